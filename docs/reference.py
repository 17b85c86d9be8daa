"""The reference pages of the site: commands, parameters, topics, keys of files, from the code.

`docs/build_site.py` has them written into `docs/reference/`, which is not committed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from payload_id.cli.main import COMMAND, DESCRIPTION, EXIT_CODES, LAUNCHER
from payload_id.files.cells.cell_keys import CellKeys
from payload_id.files.configuration.keys import Keys, Schema, keys_of
from payload_id.files.configuration.package_data import shipped
from payload_id.files.payload.payload_file import KIND, PayloadKeys
from payload_id.files.robots.robot_file import robot_names
from payload_id.files.robots.robot_keys import RobotKeys, RobotProfile
from payload_id.files.teams.team_keys import TeamKeys
from payload_id.ros.access.interfaces import INTERFACES, SETTING, Role, Way
from payload_id.ros.bridge.parameters import BRIDGE_TABLE
from payload_id.ros.common.parameters import Parameter
from payload_id.ros.estimator.parameters import ESTIMATOR_TABLE
from payload_id.ros.planner.parameters import PLANNER_TABLE
from payload_id.ros.sampler.parameters import SAMPLER_TABLE
from payload_id.ros.simulated_arm.setup import PARAMETER_TABLE
from payload_id.ros.team.parameters import TEAM_TABLE

FOLDER = Path(__file__).resolve().parent / "reference"
UNSAID = 1e6  # a largest number from which on it is not spoken of: far beyond what is meant
KINDS = {
    "string": "text", "boolean": "true or false", "number": "number", "integer": "whole number",
    "null": "null", "object": "section",
}  # fmt: skip
DRIVER = ("urdf", "joints", "joint_states", "effort", "driver")  # what a profile says of it
NODES = (
    ("Sampler: `payload_sampler`", SAMPLER_TABLE),
    ("Estimator: `payload_estimator`", ESTIMATOR_TABLE),
    ("Team: `payload_team`", TEAM_TABLE),
    ("Planner: `payload_planner`", PLANNER_TABLE),
    ("Bridge: `payload_bridge`", BRIDGE_TABLE),
    ("Simulated arm: `simulated_arm`", PARAMETER_TABLE),
)


def parameters_page() -> str:
    """Return the page of all nodes' parameters."""
    head = (
        "# Parameters of the nodes\n\nSI units. A parameter with a wrong type or outside its "
        "range is refused with a sentence that says what is allowed; a name that no table has is "
        'reported with the nearest one. A bound "per joint" takes one number, or one for each '
        "joint in the robot file's order. Parameters marked *with the next run* may be changed "
        "while the node runs.\n"
    )
    parts = [f"## {title}\n\n{describe_parameters(table)}" for title, table in NODES]
    return "\n".join([head, *parts])


def interfaces_page() -> str:
    """Return the page of topics, services and roles."""
    return (
        "# Topics and roles\n\nRelative names lie in the node's namespace; `~/x` of the node "
        "`payload_estimator` is `payload_estimator/x`. What they are for: "
        "[Running the nodes](../nodes.md).\n\n## Topics\n\n"
        f"{topics_table()}\n## Roles\n\nWho may do what, where SROS 2 is switched on "
        f"([Security](../troubleshooting.md#security)).\n\n{roles_table()}"
    )


def describe_parameters(table: Sequence[Parameter]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| parameter | values | default | when changed | meaning |",
        "|---|---|---|---|---|",
    ]
    for entry in table:
        default = "not set" if entry.default is None else f"`{_yaml(entry.default)}`"
        change = "before it is configured" if entry.read_only else "with the next run"
        lines.append(
            f"| `{entry.name}` | {entry.allowed()} | {default} | {change} | {entry.text} |"
        )
    return "\n".join(lines) + "\n"


def _yaml(value: Any) -> str:
    """Return a default as one would write it in YAML."""
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)


def topics_table() -> str:
    """Return the topics of all nodes as Markdown."""
    lines = ["| node | topic | type | direction | quality of service |", "|---|---|---|---|---|"]
    for node, interfaces in INTERFACES.items():
        for entry in interfaces:
            if entry.way in (Way.OUT, Way.IN):
                what = f"`{entry.type}`" + (f"; {entry.about}" if entry.about else "")
                name = entry.shown or f"`{entry.name}`"
                lines.append(
                    f"| `{node}` | {name} | {what} | {entry.way.value} | {entry.quality} |"
                )
    return "\n".join(lines) + "\n"


def roles_table() -> str:
    """Return what each role may beyond the one before it, as Markdown."""
    lines = ["| role | node | topics | services and actions |", "|---|---|---|---|"]
    for role in Role:
        for node, interfaces in INTERFACES.items():
            mine = [x for x in interfaces if x.role is role]
            topics, calls = (
                [x.shown or f"`{x.name}`" for x in mine if (x.way in (Way.OUT, Way.IN)) is is_topic]
                for is_topic in (True, False)
            )
            calls += ["its parameters (read)"] * (role is Role.READER)
            calls += ["its parameters (set)"] * (SETTING.get(node) is role)
            if topics or calls:
                named = " | ".join(", ".join(dict.fromkeys(x)) for x in (topics, calls))
                lines.append(f"| {role.value} | `{node}` | {named} |")
    return "\n".join(lines) + "\n"


def robot_file_page() -> str:
    """Return the page of a robot file's keys."""
    names = ", ".join(f"`{name}`" for name in robot_names())
    head = (
        "# Keys of a robot file\n\nWhat it is for: [Robot file](../nodes.md#robot-file). Shipped, "
        f"in `payload_id/config/robots/`: {names}.\n\n"
    )
    return head + keys_table(keys_of(RobotKeys)) + drivers_section()


def drivers_section() -> str:
    """Return what is known of the shipped robots' drivers."""
    head = (
        "\n## Drivers of the shipped robots\n\n"
        "What each file in `payload_id/config/robots/` says of the arm's driver; they name the "
        "source of each value. Unknown is what no source that was read states. Nothing here was "
        "tested on an arm.\n\n"
        "`generic` has no robot description and is to be extended: "
        "certificates and intervals rest on the description, and one from a topic may change "
        "between a certificate and its use; so a file names it, with `payload_frame` and "
        "`uncertainty`.\n\n"
        "Contradictions are refused when a file is read: a command interface that is claimed but "
        "does not reach the arm, the back end `effort` where torques are accepted and ignored, a "
        "trajectory topic of another controller, a tolerance on the way below "
        "`control.tracking_position`.\n\n"
    )
    profiles = {name: RobotProfile.load(name) for name in shipped("robots")}
    facts = {name: dict(_facts(profile, DRIVER)) for name, profile in profiles.items()}
    rows = [["", *(f"`{name}`" for name in facts)], ["---"] * (len(facts) + 1)]
    rows += [[f"`{key}`", *(x[key] for x in facts.values())] for key in facts[next(iter(facts))]]
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _facts(section: BaseModel, names: Iterable[str], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield keys of a section, and what they hold as a cell of a table."""
    for name in names:
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _facts(value, type(value).model_fields, f"{prefix}{name}.")
            continue
        if isinstance(value, np.ndarray):  # one number may stand for all
            value = [*dict.fromkeys(value.tolist())]
        if isinstance(value, dict):
            value = [" ".join(map(str, dict(entry).values())) for entry in value.values()]
        cell = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        yield f"{prefix}{name}", "unknown" if cell in (None, "") else f"`{cell}`"


def cell_file_page() -> str:
    """Return the page of a cell file's keys."""
    head = "# Keys of a cell file\n\nWhat it is for: [Cell file](../motion.md#cell-file).\n\n"
    return head + keys_table(keys_of(CellKeys))


def payload_file_page() -> str:
    """Return the page of the keys of a payload file."""
    head = (
        "# Keys of a payload file\n\nWhat the kinds mean: "
        "[What you know of the payload](../knowledge.md).\n"
    )
    keys = keys_of(PayloadKeys)
    kinds = map(keys.resolved, keys.schema["additionalProperties"]["oneOf"])
    tables = {kind["properties"][KIND]["const"]: keys_table(keys, kind, KIND) for kind in kinds}
    return "\n".join([head, *(f"## `{kind}`\n\n{table}" for kind, table in tables.items())])


def team_file_page() -> str:
    """Return the page of a team file's keys."""
    names = ", ".join(f"`{name}`" for name in shipped("teams"))
    head = (
        "# Keys of a team file\n\nWhat it is for: [Team file](../teams.md#team-file). Shipped, in "
        f"`payload_id/config/teams/`: {names}. The keys of `every_robot` may be given for each "
        "robot, too.\n\n"
    )
    return head + keys_table(keys_of(TeamKeys), without="robots.")


def commands_page() -> str:
    """Return the page of all verbs with their options."""
    head = (
        f"# Commands\n\n{DESCRIPTION}\n\n{EXIT_CODES}\n\n"
        "`./payload-id VERB --help` says the same in the terminal; `./payload-id "
        "--install-completion` has a shell complete verbs and options. Several numbers of one "
        "option are one word, with commas: `--scales 0.2,1.0`.\n"
    )
    parts = []
    for name, verb in COMMAND.commands.items():
        parts += [_command(name, verb, "##")] if name not in LAUNCHER else []
        for inner, one in getattr(verb, "commands", {}).items():
            parts.append(_command(f"{name} {inner}", one, "###"))
    parts += [f"## `{name}`\n\n{said}\n" for name, said in LAUNCHER.items()]
    return "\n".join([head, *parts])


def _command(name: str, verb: Any, level: str) -> str:
    """Return what there is to know of a verb, with its options by panel."""
    examples = [line for line in (verb.epilog or "").split("\n\n") if line.startswith("./")]
    lines = [f"{level} `{name}`", "", _plain(verb.help or ""), ""]
    lines += [*(f"    {line}" for line in examples), ""] if examples else []
    panels: dict[str, list[str]] = {}
    for each in sorted(verb.params, key=lambda x: x.opts[0].startswith("-")):
        if "--help" in each.opts:
            continue
        called = " ".join(filter(None, (each.opts[0], each.metavar)))
        called = called if each.opts[0].startswith("-") else str(each.metavar)
        called = called.replace("|", "\\|")
        row = f"| `{called}` | {_plain(each.help or '')}{' (required)' * each.required} |"
        panels.setdefault(each.rich_help_panel or "", []).append(row)
    for title, rows in sorted(panels.items(), key=lambda x: x[0] != ""):
        lines += [f"| {title or 'option'} | meaning |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def _plain(text: str) -> str:
    """Return a help's text without what Rich makes of brackets."""
    return " ".join(text.replace("\\[", "[").split())


def keys_table(keys: Keys, section: Schema | None = None, without: str = "\0") -> str:
    """Return a Markdown table of keys: name, values, unit, default, meaning.

    Args:
        keys: Of a file.
        section: Of it; None: the whole file.
        without: How names of keys begin that are left out.
    """
    rows = ["| key | value | unit | default | meaning |", "|---|---|---|---|---|"]
    for name, key, required in _walk(keys, section or keys.schema, ""):
        default = "" if key.get("default") == {} else f"`{json.dumps(key.get('default'))}`"
        cells = (
            f"`{name}`", values(key), key.get("unit", ""),
            "required" if required else default, key.get("description", ""),
        )  # fmt: skip
        if not name.startswith(without):
            rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def _walk(keys: Keys, section: Schema, prefix: str) -> Iterator[tuple[str, Schema, bool]]:
    """Yield every key with its full name and whether it is required, sections first."""
    for name, entry in section.get("properties", {}).items():
        key = keys.resolved(entry)
        yield prefix + name, key, name in section.get("required", ())
        yield from _walk(keys, key, f"{prefix}{name}.")
        if isinstance(more := key.get("additionalProperties"), dict):
            yield from _walk(keys, keys.resolved(more), f"{prefix}{name}.<name>.")


def values(schema: Schema) -> str:
    """Return in words which values a key takes."""
    if "anyOf" in schema:
        return " or ".join(map(values, schema["anyOf"]))
    if choices := schema.get("enum", [schema["const"]] if "const" in schema else []):
        return "one of " + ", ".join(map(str, choices))
    if schema.get("type") == "array":
        entry = schema.get("items") or schema["prefixItems"][0]
        each = f", one for each of the {schema['each']}" if "each" in schema else ""
        fixed = schema.get("minItems", 0) == schema.get("maxItems")
        count = f" of {schema['maxItems']}" if fixed else ""
        return f"list{count}{each}: {values(entry)}"
    kind, lowest = KINDS.get(schema.get("type", ""), "section"), schema.get("minimum", -UNSAID)
    highest = schema.get("maximum", UNSAID)
    if highest < UNSAID and lowest > -UNSAID:
        return f"{kind} from {lowest:g} to {highest:g}"
    return kind + (f" not below {lowest:g}" if lowest > -UNSAID else "")


PAGES = {
    "commands.md": commands_page,
    "parameters.md": parameters_page,
    "interfaces.md": interfaces_page,
    "robot_file.md": robot_file_page,
    "cell_file.md": cell_file_page,
    "payload_file.md": payload_file_page,
    "team_file.md": team_file_page,
}


def main() -> int:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
