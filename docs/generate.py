"""Write what follows from tables in the code: `./payload-id python docs/generate.py`.

With `--check` nothing is written; the exit code is 1 if a file is not up to date.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

<<<<<<< HEAD
=======
import numpy as np
from pydantic import BaseModel

from payload_id.files.cells.cell_keys import CellKeys
from payload_id.files.configuration.keys import Keys, Schema, keys_of
from payload_id.files.knowledge.knowledge_file import KIND, KnowledgeKeys
from payload_id.files.recordings.known_runs_keys import KnownRunsKeys
from payload_id.files.robots.robot_file import profile_names, robot_names
from payload_id.files.robots.robot_keys import RobotKeys, RobotProfile
from payload_id.files.tables.column_keys import ColumnKeys, WrenchKeys
from payload_id.files.teams.team_file import team_names
from payload_id.files.teams.team_keys import TeamKeys
from payload_id.ros.access.interfaces import roles_table, topics_table
>>>>>>> bdef0080 (Make the pages of keys and JSON Schemas from the models; show what is known of drivers by their keys)
from payload_id.ros.access.policy import enclaves, policy_xml
from payload_id.ros.execution.machine import transitions
from payload_id.ros.execution.monitors import monitors_table

FOLDER = Path(__file__).resolve().parent
TABLE = "<!-- Written by docs/generate.py from payload_id/ros/{}.py; edit that instead. -->"
END = "<!-- End of what is written. -->"
<<<<<<< HEAD


def motion_page() -> str:
    """Return the page of safe motion with the bridge's table of states and its monitors."""
    text = (FOLDER / "motion.md").read_text("utf-8")
=======
UNSAID = 1e6  # a largest number from which on it is not spoken of: far beyond what is meant
KINDS = {
    "string": "text", "boolean": "true or false", "number": "number", "integer": "whole number",
    "null": "null", "object": "section",
}  # fmt: skip
DRIVER = ("urdf", "joints", "joint_states", "effort", "driver")  # what a profile says of it
MODELS = {
    "robot": RobotKeys, "cell": CellKeys, "team": TeamKeys, "payload": KnowledgeKeys,
    "columns": ColumnKeys, "wrench_columns": WrenchKeys, "runs": KnownRunsKeys,
}  # fmt: skip
NODES = (
    ("Sampler: `payload_sampler`", SAMPLER_TABLE),
    ("Estimator: `payload_estimator`", ESTIMATOR_TABLE),
    ("Team: `payload_team`", TEAM_TABLE),
    ("Planner: `payload_planner`", PLANNER_TABLE),
    ("Bridge: `payload_bridge`", BRIDGE_TABLE),
    ("Simulated arm: `simulated_arm`", PARAMETER_TABLE),
    ("Frames for RViz: `payload_frames`", FRAMES_TABLE),
)


def parameters_page() -> str:
    """Return the page of all nodes' parameters."""
    head = (
        f"{NOTE}\n# Parameters of the nodes\n\n"
        "SI units. A parameter with a wrong type or outside its range is refused with a sentence "
        "that says what is allowed; a name that no table has is reported with the nearest one. "
        "Topics, services and messages are on the page [Interfaces](interfaces.md).\n\n"
        'A bound "per joint" takes one number, or one for each joint in the robot file\'s order. '
        "Parameters marked *with the next run* may be changed while the node runs; the next "
        "`~/start` takes them up.\n"
    )
    parts = [f"## {title}\n\n{describe_parameters(table)}" for title, table in NODES]
    return "\n".join([head, *parts])


def robot_file_page() -> str:
    """Return the page of a robot file's keys."""
    head = (
        f"{NOTE}\n# Robot file\n\n"
        "A YAML file that says everything about one robot: description, topics, meaning of effort, "
        f"limits and uncertainty. Shipped, in `payload_id/config/robots/`: "
        f"{', '.join(f'`{name}`' for name in robot_names())}. Their comments say when to change "
        "each key.\n\n"
        "A file of one's own says only what differs:\n\n"
        "```yaml\n---\n"
        "extends: package://payload_id/config/robots/kinova_gen3.yaml\n"
        "name: our_gen3\n"
        "effort:\n"
        "  offset: [0.4, -1.1, 0.2, 0.0, 0.1, -0.3, 0.0]\n"
        "uncertainty:\n"
        "  torque_offset: 0.5\n"
        "...\n```\n\n"
        "Sections are merged, other values replaced; relative paths mean relative to the file that "
        "gives them. Unknown, missing and impossible entries are all told at once, each with file, "
        "line, what was found and what is allowed. Editors complete and check the keys of a file "
        "whose first line is `# yaml-language-server: $schema=FOLDER/robot.json`, FOLDER that of "
        "`payload_id/config/schemas/`, which has the other kinds of files, too. A file that begins "
        "with the line `---` must end with the "
        "line `...`: of one that a full disk or a broken copy cuts off, the rest is YAML, too, and "
        "every bound that is missing would count as 0. All files that this package ships, drafts "
        "and writes have both lines; keep them in copies. How to choose the bounds is on the page "
        "[Uncertainty](uncertainty.md).\n\n## Keys\n\n"
    )
    return head + keys_table(keys_of(RobotKeys)) + drivers_section()


def drivers_section() -> str:
    """Return what is known of the shipped robots' drivers."""
    head = (
        "\n## Drivers of the shipped robots\n\n"
        "What each file in `payload_id/config/robots/` says of the arm's driver; they name the "
        "source of each value. Unknown is what no source that was read states. Nothing here was "
        "tested on an arm.\n\n"
        "`ur10e` and `generic` have no robot description and are to be extended: "
        "certificates and intervals rest on the description, and one from a topic may change "
        "between a certificate and its use; so a file names it, with `payload_frame` and "
        "`uncertainty`.\n\n"
        "Contradictions are refused when a file is read: a command interface that is claimed but "
        "does not reach the arm, the back end `effort` where torques are accepted and ignored, a "
        "trajectory topic of another controller, a tolerance on the way below "
        "`control.tracking_position`.\n\n"
    )
    profiles = {name: RobotProfile.load(name) for name in profile_names()}
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
    head = (
        f"{NOTE}\n# Cell file\n\n"
        "A YAML file that says what stands around one arm: floor, walls, fixtures, zones, and how "
        "well its base is levelled. The planner's parameter `cell` names it; every certificate is "
        "made for it, and `./payload-id verify --cell` compares. Where nothing is within reach, it "
        "is `none, ` and the reason, which certificates repeat.\n\n"
        "```yaml\n---\n"
        "name: bench_3\n"
        "clearance: 0.03\n"
        "floor: -0.02\n"
        "base_tilt: 0.005\n"
        "bodies:\n"
        "  cabinet: {shape: box, size: [0.6, 0.4, 1.2], position: [0.9, 0.0, 0.6]}\n"
        "keep_out:\n"
        "  walkway: {shape: wall, position: [-0.9, 0.0, 0.0], rpy: [0.0, 1.5708, 0.0]}\n"
        "keep_in:\n"
        "  cage: {size: [2.4, 2.4, 2.4], position: [0.0, 0.0, 1.0]}\n"
        "...\n```\n\n"
        "All poses are in the robot's base frame. Bodies and zones are treated alike: nothing of "
        "arm, tool and payload comes nearer than `clearance`. The base itself does not move, and "
        "may stand in them. A tilt counts as a bound on the direction of gravity.\n\n## Keys\n\n"
    )
    return head + keys_table(keys_of(CellKeys))


def knowledge_file_page() -> str:
    """Return the page of the keys of a file of knowledge."""
    head = (
        f"{NOTE}\n# Knowledge file\n\n"
        "A YAML file of what is known of a payload: every key is the name of a statement, which "
        "messages use, and its section holds `kind` and the keys of that kind. SI units, places "
        "and directions in the payload frame. What the kinds mean, and what rests on them: "
        "[Knowledge about the payload](knowledge.md).\n\n"
        "```yaml\n---\n"
        "canister:\n"
        "  kind: filled_container\n"
        "  mass: 0.31\n"
        "  mass_tolerance: 0.005\n"
        "  centre: [0.0, 0.0, 0.09]\n"
        "  centre_tolerance: 0.002\n"
        "  inertia: [1.1e-3, 0.0, 0.0, 1.1e-3, 0.0, 4.0e-4]\n"
        "  inertia_tolerance: 5.0e-5\n"
        "  cavity: {shape: cylinder, size: [0.04, 0.15], position: [0.0, 0.0, 0.1]}\n"
        "  density_max: 1000.0\n"
        "on its axis:\n"
        "  kind: centre_near_line\n"
        "  point: [0.0, 0.0, 0.0]\n"
        "  direction: [0.0, 0.0, 1.0]\n"
        "  distance: 0.002\n"
        "...\n```\n"
    )
    keys = keys_of(KnowledgeKeys)
    kinds = map(keys.resolved, keys.schema["additionalProperties"]["oneOf"])
    tables = {kind["properties"][KIND]["const"]: keys_table(keys, kind, KIND) for kind in kinds}
    return "\n".join([head, *(f"## `{kind}`\n\n{table}" for kind, table in tables.items())])


def team_file_page() -> str:
    """Return the page of a team file's keys."""
    head = (
        f"{NOTE}\n# Team file\n\n"
        "A YAML file that says which robots hold a payload together, what each of them publishes, "
        "and how wrong that may be. The parameter `team_file` of the node `payload_team` names it. "
        f"Shipped, in `payload_id/config/teams/`: "
        f"{', '.join(f'`{name}`' for name in team_names())}.\n\n"
        "```yaml\n---\n"
        "name: two mocobots and an arm\n"
        "prior: {mass_max: 20.0, com_max: 1.5}\n"
        "every_robot:\n"
        "  bounds: {force_absolute: 1.0, orientation: 0.004, clock: 0.05, jitter: 0.002}\n"
        "robots:\n"
        "  omnid1: {}\n"
        "  omnid2:\n"
        "    mechanism: {spring: 850.0}\n"
        "  arm:\n"
        "    namespace: /hall/arm\n"
        "    source: topics\n"
        "    topics: {wrench: /hall/arm/ft/wrench, wrench_sign: -1.0, moments: true}\n"
        "    bounds: {force_absolute: 0.3, moment_absolute: 0.05}\n"
        "...\n```\n\n"
        "The keys of `every_robot` may be given for each robot, too; what a robot does not say is "
        "as there, and with `extends: other.yaml` as in another file. The first robot's grasp "
        "frame {1} and clock are the reference of the estimate.\n\n"
        "{i0} is robot i's own frame, fixed and level (z up); its place and heading are nobody's "
        "knowledge but the robot's. {i} is the grasp frame, fixed to the payload, at the centre of "
        "the gimbal or of the wrench's measurement. Stamps are those of the robot's own clock, "
        "which may be off by the bound `clock`.\n\n"
        "- **`source: joint_states`**: joint states of delta and gimbal, as `omnid.yaml` of the "
        "public sources lists them. Pose T_i0i = (g(phi), h(theta)), twist, and force "
        "f = (dh/dtheta)^-T tau less what the mechanism itself weighs, with angles and torques "
        "smoothed by a cubic over `smoothing` on either side. A passive gimbal transmits no "
        "moment but its friction's: `bounds.moment_absolute`.\n"
        "- **`source: topics`**: pose, twist and wrench, each with its own stamps; pose and twist "
        "are interpolated at the wrenches' stamps.\n"
        "- **`imu`**: angular velocity and specific force beside either, joined by stamp, used "
        "while it is heard; samples without it are counted.\n\n"
        "Every bound is 0 unless it is given, and intervals are true only if bounds are: state "
        "them.\n\n## Keys\n\n"
    )
    return head + keys_table(keys_of(TeamKeys), without="robots.")


def interfaces_page() -> str:
    """Return the page of interfaces with the table of topics as the code has it."""
    return _with_tables("interfaces.md", {"access/interfaces": topics_table()})


def security_page() -> str:
    """Return the page on security with the table of roles as the code has it."""
    return _with_tables("security.md", {"access/interfaces": roles_table()})


def bridge_page() -> str:
    """Return the page of the bridge with its table of states and its monitors."""
>>>>>>> bdef0080 (Make the pages of keys and JSON Schemas from the models; show what is known of drivers by their keys)
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


def editor_schema(model: type[BaseModel]) -> str:
    """Return the JSON Schema by which an editor completes and checks a file, or a part of one."""
    schema = keys_of(model).schema
    more = {"extends": {"type": "string", "description": "file whose entries count, too"}}
    whole = {**schema, "properties": {**more, **schema.get("properties", {})}}
    whole.pop("required", None)
    return json.dumps(whole, indent=1) + "\n"


PAGES |= {
    f"../payload_id/config/schemas/{name}.json": partial(editor_schema, model)
    for name, model in MODELS.items()
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
