"""Write what follows from tables in the code: `./payload-id python docs/generate.py`.

With `--check` nothing is written; the exit code is 1 if a file is not up to date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from payload_id.ros.access.policy import enclaves, policy_xml
from payload_id.ros.execution.machine import transitions
from payload_id.ros.execution.monitors import monitors_table

FOLDER = Path(__file__).resolve().parent
TABLE = "<!-- Written by docs/generate.py from payload_id/ros/{}.py; edit that instead. -->"
END = "<!-- End of what is written. -->"


def motion_page() -> str:
    """Return the page of safe motion with the bridge's table of states and its monitors."""
    text = (FOLDER / "motion.md").read_text("utf-8")
    tables = {"execution/machine": transitions(), "execution/monitors": monitors_table()}
    for module, table in tables.items():
        before, begin, rest = text.partition(TABLE.format(module))
        _, end, after = rest.partition(END)
        text = f"{before}{begin}\n\n{table}\n{end}{after}"
    return text


def shipped_policy() -> str:
    """Return the policy of nodes without a namespace, on topics of the usual names."""
    return policy_xml(enclaves({}))


FILES = {
    "../payload_id/config/policies/policy.xml": shipped_policy,
    "motion.md": motion_page,
}


def stale() -> list[str]:
    """Return the names of the files that are not what the code says."""
    return [
        name
        for name, made in FILES.items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text("utf-8") != made()
    ]


def main(arguments: list[str]) -> int:
    """Write or check the files; return the exit code."""
    names = stale()
    if arguments == ["--check"]:
        for name in names:
            print(f"docs/{name} is not up to date: run ./payload-id python docs/generate.py")
        return 1 if names else 0
    for name in names:
        (FOLDER / name).write_text(FILES[name](), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
