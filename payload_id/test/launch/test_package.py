"""What tools of ROS are told of the package: dependencies, executables, tests, who maintains it."""

from __future__ import annotations

import ast
import re
import runpy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import setuptools

PACKAGE = Path(__file__).resolve().parents[2]
DOCS = PACKAGE.parent / "docs"
# Names in package.xml (rosdep keys) of libraries that it does not name as they are imported.
KEYS = {
    "pin": "pinocchio", "PyYAML": "python3-yaml", "mujoco": "python3-mujoco-pip",
    "rosbags": "python3-rosbags-pip", "trimesh": "python3-trimesh-pip",
    "typing_extensions": "python3-typing-extensions", "coal": "coal", "xacro": "xacro",
}  # fmt: skip
BY_ROS = ("ament_", "rcl", "rosgraph", "builtin_interfaces", "tf2")


def setup_of(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what setup.py tells setuptools when colcon runs it."""
    told: dict[str, Any] = {}
    monkeypatch.setattr(setuptools, "setup", lambda **entries: told.update(entries))
    monkeypatch.setattr("sys.argv", ["setup.py", "build"])
    monkeypatch.chdir(PACKAGE)
    runpy.run_path("setup.py")
    return told


def depends() -> set[str]:
    root = ElementTree.parse(PACKAGE / "package.xml").getroot()
    return {entry.text or "" for entry in root.findall("exec_depend")}


def test_every_ros_package_that_is_imported_is_named():
    imported = set()
    for path in (PACKAGE / "payload_id").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [x.name for x in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            imported |= {name.partition(".")[0] for name in names}
    ros = {
        name for name in imported if name.endswith(("_msgs", "_srvs")) or name.startswith(BY_ROS)
    }
    assert len(ros) > 10 and ros <= depends()


def test_every_library_is_named_or_said_to_have_no_key(monkeypatch):
    told = setup_of(monkeypatch)
    assert told["install_requires"] == []
    namespace = runpy.run_path(str(PACKAGE / "setup.py"))
    libraries = {re.split(r"[>;]", entry)[0] for entry in namespace["LIBRARIES"]}
    without = {x for x in libraries if KEYS.get(x, f"python3-{x.lower()}") not in depends()}
    pip = re.search(r"pip install (apsw[^\n]*)", (DOCS / "interfaces.md").read_text())
    assert pip is not None and without == set(pip.group(1).split())
    comment = (PACKAGE / "package.xml").read_text()
    assert all(name in comment for name in without)


def test_executables_are_those_of_the_page(monkeypatch):
    entries = setup_of(monkeypatch)["entry_points"]["console_scripts"]
    table = (DOCS / "interfaces.md").read_text().partition("| executable | what |")[2]
    rows = re.findall(r"^\| (`[^|]*) \|", table.partition("\n\n")[0], re.MULTILINE)
    named = {name.split()[0] for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert named == {entry.partition(" = ")[0] for entry in entries}
