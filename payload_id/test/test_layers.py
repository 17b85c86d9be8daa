"""The order of the rooms: imports go down, none go round, every room says what it is for."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import payload_id

PACKAGE = Path(payload_id.__file__).parent

# The order, lowest first, in every folder that holds rooms: each may import those before it.
# OWN is where the folder's own files stand among its rooms.
OWN = "(files of the folder itself)"
ORDER = {
    "": ("core", "files", "fleet", "planning", "ros", "cli", OWN),
    "core": (
        OWN, "body", "knowledge", "arm", "mechanism", "samples", "rows", "statistics", "estimators",
        "bounds", "diagnosis", "plausibility", "history", "identification", "team", "wrists",
        "contact", "calibration", "fleet", "motion", "safety", "excitation", "control",
        "simulation",
    ),
    "core/knowledge": (OWN, "catalogue"),
    "core/rows": (OWN, "joint_torque", "wrench"),
    "core/rows/joint_torque": ("constant_errors", OWN, "readings"),
    "core/diagnosis": ("causes", "remade", "reliance", OWN, "wrench"),
    "core/identification": (OWN, "wrench"),
    "core/team": (
        "closed_form", OWN, "kinematic_bounds", "hinged", "faults", "online", "sequential",
    ),
    "core/safety": ("tube", "margins", "torque", "clearance", "speed", "certificate"),
    "core/simulation": ("drive", OWN, "team"),
    "core/excitation": ("candidates", "prediction", "criteria", "search", OWN, "wrists"),
    "files": ("configuration", "learnt", "drivers", "robots", "profiles", "cells", "shapes",
              "knowledge", "runs", "teams", "export", "tables", "bags", "recordings", "drafts",
              "figures", "reports", "fleet", "notebooks"),
    "files/robots": ("description", OWN),
    "files/export": ("loads", "targets", OWN),
    "ros": ("access", "common", "lifecycle", "sampler", "wrench_sampler", "estimator", "identify",
            "team", "certifying", "effort_loop", "execution", "supervision", "loads", "bridge",
            "planner", "client",
            "simulated_arm", "frames", "view"),
    "ros/view": ("session", "page", OWN),
    "ros/estimator": ("sources", OWN),
    "ros/execution": ("back_ends", OWN),
    "ros/bridge": ("obstacles", OWN),
    "ros/simulated_arm": ("controllers", "servers", "real_controllers", OWN),
    "ros/planner": ("identifying", OWN),
    "cli": ("common", "new_robot", "check", "doctor", "replay", "report", "fleet", "export",
            "apply", "compare", "calibrate", "noise", "known_runs", "verify", "new_key", "sign",
            "policy", "demo", "live", "view", OWN),
}  # fmt: skip
# Files that stand beside rooms where one would look for rooms only.
LOOSE = {
    "": ("__main__", "early_interrupt"),
    "core": ("arrays", "conic", "errors", "threads", "version", "views"),
    "core/rows": ("gate", "quadrature", "row_block", "row_source", "windows"),
    "core/rows/joint_torque": (
        "calibrated",
        "hat_rows",
        "kinematic_error",
        "momentum",
        "motion_memory",
        "nuisance",
        "position_gate",
        "scales",
        "stamp_error",
        "stated_errors",
        "torque_bound",
        "uncertainty",
        "window_sums",
    ),
    "core/knowledge": ("convex", "knowledge", "statement"),
    "core/diagnosis": ("blame", "diagnose", "lengths", "motion_advice", "stated_knowledge"),
    "core/identification": (
        "bound_use",
        "estimate",
        "held_out",
        "identify",
        "kept_rows",
        "known_payload",
        "online",
        "point_estimate",
        "problem",
        "samples_seen",
        "settings",
        "status",
        "suspicion",
        "tare",
    ),
    "core/safety": (),
    "core/excitation": ("receding_horizon",),
    "core/team": (
        "blocks",
        "bounds",
        "equations",
        "estimate",
        "grasp_frames",
        "hinged_payload",
        "joint",
        "refine",
        "rows",
        "samples",
        "window_features",
        "window_series",
        "window_wrench",
        "windows",
    ),
    "core/simulation": (
        "closed_loop",
        "controller",
        "live_drives",
        "mujoco_arm",
        "mujoco_state",
        "perturbation",
        "plant",
        "plant_model",
        "realistic_arm",
        "rigid_body",
        "sensors",
        "skeleton",
        "torque_plant",
    ),
    "files": (),
    "files/robots": (
        "arm_frames",
        "arm_geometry",
        "body_shapes",
        "body_sizes",
        "contacts",
        "held_joints",
        "held_play",
        "link_ellipsoids",
        "link_places",
        "link_travel",
        "robot_file",
        "robot_model",
        "robot_schema",
        "robot_sections",
    ),
    "files/export": ("exported", "load_record"),
    "ros": (),
    "ros/estimator": (
        "block_subscription",
        "block_watch",
        "condition",
        "contact_publisher",
        "contact_worker",
        "estimate_publisher",
        "looping_thread",
        "markers",
        "node",
        "parameters",
        "run_control",
        "run_keeping",
        "run_worker",
        "services",
        "shape_parameters",
    ),
    "ros/execution": (
        "arm_parameters",
        "arm_watch",
        "clock_watch",
        "controller_watch",
        "held_joint_watch",
        "joint_state_listener",
        "motion_execution",
        "payload_intervals",
        "rest_watch",
        "silence",
        "speed_slider",
        "standing_arm",
        "start_check",
        "stop_reason",
        "turn_count",
    ),
    "ros/bridge": (
        "arm_use",
        "context",
        "driver_watches",
        "fault_memory",
        "move_server",
        "node",
        "obstacle_server",
        "parameters",
        "prepared_motions",
        "promises",
        "state_publisher",
    ),
    "ros/view": ("arguments", "node", "recorded", "server"),
    "ros/planner": (
        "bridge_link",
        "context",
        "execute_messages",
        "execute_server",
        "horizon_execution",
        "identify_run",
        "identify_server",
        "node",
        "parameters",
        "pause_server",
        "payload_intervals",
        "piece_mover",
        "plan_messages",
        "plan_server",
    ),
    "ros/simulated_arm": ("hardware", "node", "pacing", "robot", "setup"),
    "cli": ("main",),
}
MOST_FILES = 15  # in one room
NOTHING_BUT_DOWN = "a room may import only the rooms before it (ORDER)"

# What a layer must do without, although it may be installed.
ROS = (
    "rclpy",
    "payload_id_msgs",
    "sensor_msgs",
    "std_msgs",
    "trajectory_msgs",
    "builtin_interfaces",
)
FOREIGN = {
    "core": (
        *ROS,
        "ament_index_python",
        "rosbags",
        "yaml",
        "xacro",
        "rich",
        "matplotlib",
        "cryptography",
    ),
    "files": ROS,
    "fleet": ROS,
    "planning": ROS,
}
LAYERS = ("core", "files", "fleet", "planning", "ros", "cli")
# Results may depend on samples alone: no clock, no files, no environment, no global randomness.
WORLD = ("time", "datetime", "pathlib", "os", "io", "random", "socket", "subprocess", "shutil")


def modules(layer=""):
    """Return the source files of a layer."""
    return sorted((PACKAGE / layer).rglob("*.py"))


def name_of(path):
    """Return the dotted name of a module."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in modules()}


@cache
def imported(path):
    """Return the absolute names of all that a module imports, wherever in it."""
    names = set()
    here = path.relative_to(PACKAGE.parent).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = list(here[: len(here) - node.level + 1]) if node.level else []
            whole = ".".join([*base, *([node.module] if node.module else [])])
            for name in (f"{whole}.{alias.name}" for alias in node.names):
                names |= {name} if name in FILES else {whole, name}
    return names


def all_imports():
    """Return the files of the package that each of them imports."""
    return {name: {FILES[x] for x in imported(path) if x in FILES} for name, path in FILES.items()}


def place(path, folder):
    """Return which entry of a folder's order a file below that folder belongs to."""
    parts = path.relative_to(PACKAGE / folder).parts
    return parts[0] if len(parts) > 1 else OWN


def wrong_imports(imports):
    """Return the imports that do not go down, as sentences."""
    wrong = []
    for name, targets in imports.items():
        for target in targets - {FILES[name]}:
            shared = Path(*_common(FILES[name].parent.parts, target.parent.parts))
            folder = "" if shared == PACKAGE else shared.relative_to(PACKAGE).as_posix()
            if folder not in ORDER:
                continue  # two files of one room
            order = ORDER[folder]
            if order.index(place(target, folder)) > order.index(place(FILES[name], folder)):
                wrong.append(f"{name} imports {name_of(target)}: {NOTHING_BUT_DOWN}")
    return sorted(wrong)


def _common(one, other):
    """Return the parts with which both begin."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]


def circles(imports):
    """Return files that import each other, in a circle of any length."""
    left = {FILES[name]: set(targets) for name, targets in imports.items()}
    while True:
        ends = {path for path, targets in left.items() if not targets & left.keys() - {path}}
        if not ends:
            return sorted(name_of(path) for path in left)
        left = {path: targets for path, targets in left.items() if path not in ends}


def begins_with(name, prefix):
    return name == prefix or name.startswith(prefix + ".")


def without(blocked, names):
    """Import modules in a new interpreter in which others cannot be; return what it said.

    The package itself offers names of several layers; it is left out.
    """
    code = (
        "import importlib, sys, types\n"
        "package = sys.modules['payload_id'] = types.ModuleType('payload_id')\n"
        f"package.__path__ = [{str(PACKAGE)!r}]\n"
        f"sys.modules.update(dict.fromkeys({sorted(blocked)!r}))\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
    )
    command = [sys.executable, "-W", "error::ImportWarning", "-c", code]
    return subprocess.run(command, capture_output=True, text=True)


def test_imports_between_rooms_go_down():
    assert wrong_imports(all_imports()) == []


def test_an_import_upwards_would_be_seen():
    low, high = "payload_id.core.body.inertial", "payload_id.core.bounds.hull"
    assert any(low in sentence for sentence in wrong_imports({low: {FILES[high]}}))


def test_no_files_import_each_other():
    assert circles(all_imports()) == []


def test_a_circle_would_be_seen():
    one, two = "payload_id.core.body.solid", "payload_id.core.body.shape"
    assert circles(all_imports() | {one: {FILES[two]}, two: {FILES[one]}}) != []


def test_the_table_lists_every_room_and_no_other():
    for folder, order in ORDER.items():
        found = {path.parent.name for path in (PACKAGE / folder).glob("*/__init__.py")}
        assert set(order) - {OWN} == found, folder
    deeper = {
        path.parent.parent.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.glob("*/**/__init__.py")
    }
    with_rooms_of_one_kind = {"core/excitation/criteria"}  # a family is a room, not rooms
    assert deeper - {"."} - with_rooms_of_one_kind <= ORDER.keys()


@pytest.mark.parametrize("folder", LOOSE)
def test_no_file_stands_loose_that_is_not_listed(folder):
    found = {path.stem for path in (PACKAGE / folder).glob("*.py")} - {"__init__"}
    assert found == set(LOOSE[folder])


def test_every_folder_of_rooms_lists_its_loose_files():
    assert LOOSE.keys() == ORDER.keys()


def test_every_folder_with_files_is_a_package():
    assert {path.parent for path in modules()} <= {p.parent for p in PACKAGE.rglob("__init__.py")}


def test_no_room_is_crowded():
    rooms = {path.parent for path in PACKAGE.rglob("__init__.py")}
    count = {room: len(list(room.glob("*.py"))) - 1 for room in rooms}
    assert {str(room): n for room, n in count.items() if n > MOST_FILES} == {}


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("__init__.py")), ids=lambda path: str(path.parent.name)
)
def test_every_room_says_what_it_is_for(path):
    """One sentence of purpose; then, for rooms below a layer, what comes in and what goes out."""
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    assert len(text.splitlines()[0]) > 20, path
    if len(path.relative_to(PACKAGE).parts) > 2:
        assert "\nIn: " in text, path
        assert "\nOut: " in text, path


@pytest.mark.parametrize("layer", FOREIGN)
def test_layer_can_be_imported_alone(layer):
    above = [f"payload_id.{name}" for name in LAYERS[LAYERS.index(layer) + 1 :]]
    done = without([*FOREIGN[layer], *above], [name_of(path) for path in modules(layer)])
    assert done.returncode == 0, done.stderr


def test_package_can_be_imported_without_ros():
    code = f"import sys; sys.modules.update(dict.fromkeys({ROS!r})); import payload_id"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_blocking_works():
    assert "rclpy" in without(["rclpy"], ["rclpy"]).stderr


@pytest.mark.parametrize("layer", FOREIGN)
def test_layer_does_without_what_is_foreign_to_it(layer):
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in modules(layer)
        for name in sorted(imported(path))
        if any(begins_with(name, prefix) for prefix in FOREIGN[layer])
    ]
    assert modules(layer)
    assert not wrong, wrong


def test_mathematics_knows_no_clock_and_no_files():
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in modules("core")
        for name in sorted(imported(path))
        if any(begins_with(name, prefix) for prefix in WORLD)
    ]
    for path in modules("core"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Name) and called.id in ("open", "print", "input", "exec"):
                wrong.append(f"{name_of(path)} calls {called.id}() in line {node.lineno}")
            if isinstance(called, ast.Attribute) and ast.unparse(called).startswith("np.random."):
                if called.attr not in ("default_rng", "Generator", "SeedSequence"):
                    wrong.append(f"{name_of(path)} draws global random numbers")
    assert not wrong, wrong


def test_user_input_is_not_asserted_and_no_error_is_swallowed():
    wrong = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Assert):
                wrong.append(f"{name_of(path)} asserts in line {node.lineno}")
            if isinstance(node, ast.ExceptHandler) and node.type is None:
                wrong.append(f"{name_of(path)} catches everything in line {node.lineno}")
    assert not wrong, wrong


def quoted(handler: ast.ExceptHandler) -> list[int]:
    """Return the lines of an f-string that hold an error as Python writes it."""
    values = (x.value for x in ast.walk(handler) if isinstance(x, ast.FormattedValue))
    return [x.lineno for x in values if isinstance(x, ast.Name) and x.id == handler.name]


def test_errors_of_the_system_are_told_in_words_without_their_numbers():
    wrong = [
        f"{name_of(path)} quotes an error of the system as it is in line {line}"
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler) and node.type and "OSError" in ast.unparse(node.type)
        for line in quoted(node)
    ]
    assert not wrong, wrong
