"""Write what follows from tables in the code: `./payload-id python docs/generate.py`.

With `--check` nothing is written; the exit code is 1 if a file is not up to date.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

from pydantic import BaseModel

from payload_id.files.cells.cell_keys import CellKeys
from payload_id.files.configuration.keys import keys_of
from payload_id.files.payload.payload_file import PayloadKeys
from payload_id.files.recordings.known_runs_keys import KnownRunsKeys
from payload_id.files.robots.robot_keys import RobotKeys
from payload_id.files.tables.column_keys import ColumnKeys, WrenchKeys
from payload_id.files.teams.team_keys import TeamKeys
from payload_id.ros.access.policy import enclaves, policy_xml
from payload_id.ros.execution.machine import TABLE as TRANSITIONS
from payload_id.ros.execution.machine import Event
from payload_id.ros.execution.monitors import Phase, monitors_table

FOLDER = Path(__file__).resolve().parent
TABLE = "<!-- Written by docs/generate.py from payload_id/ros/{}.py; edit that instead. -->"
END = "<!-- End of what is written. -->"
MODELS = {
    "robot": RobotKeys, "cell": CellKeys, "team": TeamKeys, "payload": PayloadKeys,
    "columns": ColumnKeys, "wrench_columns": WrenchKeys, "runs": KnownRunsKeys,
}  # fmt: skip


def motion_page() -> str:
    """Return the page of safe motion with the bridge's table of states and its monitors."""
    text = (FOLDER / "motion.md").read_text("utf-8")
    tables = {"execution/machine": transitions(), "execution/monitors": monitors_table()}
    for module, table in tables.items():
        before, begin, rest = text.partition(TABLE.format(module))
        _, end, after = rest.partition(END)
        text = f"{before}{begin}\n\n{table}\n{end}{after}"
    return text


def transitions() -> str:
    """Return the table as Markdown: a row for each phase."""
    events = tuple(Event)
    lines = [
        f"| | {' | '.join(x.value for x in events)} |",
        "|---" * (len(events) + 1) + "|",
    ]
    for phase in Phase:
        cells = [TRANSITIONS.get((phase, event)) for event in events]
        if any(cells):
            said = (
                "" if cell is None else f"{cell[0].value}{f': {cell[1].value}' if cell[1] else ''}"
                for cell in cells
            )
            lines.append(f"| {phase.value} | {' | '.join(said)} |")
    return "\n".join(lines)


def shipped_policy() -> str:
    """Return the policy of nodes without a namespace, on topics of the usual names."""
    return policy_xml(enclaves({}))


def editor_schema(model: type[BaseModel]) -> str:
    """Return the JSON Schema by which an editor completes and checks a file, or a part of one."""
    schema = keys_of(model).schema
    more = {"extends": {"type": "string", "description": "file whose entries count, too"}}
    whole = {**schema, "properties": {**more, **schema.get("properties", {})}}
    whole.pop("required", None)
    return json.dumps(whole, indent=1) + "\n"


FILES = {
    "../payload_id/config/policies/policy.xml": shipped_policy,
    "motion.md": motion_page,
    **{
        f"../payload_id/config/schemas/{name}.json": partial(editor_schema, model)
        for name, model in MODELS.items()
    },
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
