"""Three layers: the mathematics below, files on it, ROS nodes and commands on top."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import payload_id

PACKAGE = Path(payload_id.__file__).parent
LAYERS = ("core", "files", "ros", "cli")  # each may import those before it

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
    "core": (*ROS, "ament_index_python", "rosbags", "yaml", "xacro", "rich", "matplotlib"),
    "files": ROS,
}
# Results may depend on samples alone: no clock, no files, no environment, no global randomness.
WORLD = ("time", "datetime", "pathlib", "os", "io", "random", "socket", "subprocess", "shutil")


def modules(layer):
    """Return the source files of a layer."""
    return sorted((PACKAGE / layer).rglob("*.py"))


def name_of(path):
    """Return the dotted name of a module."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


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
            names |= {whole} | {f"{whole}.{alias.name}" for alias in node.names}
    return names


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


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_go_downwards_only(layer):
    above = [f"payload_id.{name}" for name in LAYERS[LAYERS.index(layer) + 1 :]]
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in modules(layer)
        for name in sorted(imported(path))
        if any(begins_with(name, prefix) for prefix in (*above, *FOREIGN.get(layer, ())))
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
    for layer in LAYERS:
        for path in modules(layer):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Assert):
                    wrong.append(f"{name_of(path)} asserts in line {node.lineno}")
                if isinstance(node, ast.ExceptHandler) and node.type is None:
                    wrong.append(f"{name_of(path)} catches everything in line {node.lineno}")
    assert not wrong, wrong
