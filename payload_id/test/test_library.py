"""The library as pip installs it: what it declares, and what is in the wheel."""

import ast
import os
import re
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from payload_id import __version__

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "payload_id"
# Distributions that are not named like what they are imported as.
DISTRIBUTIONS = {"pinocchio": "pin", "yaml": "pyyaml"}
# What pip does not provide: ROS, for the demonstration, `live`, `view`, and packages of robots.
ROS = {
    "ament_index_python", "diagnostic_msgs", "payload_id_msgs", "rcl_interfaces", "rclpy",
    "sensor_msgs", "std_srvs", "trajectory_msgs", "visualization_msgs",
}  # fmt: skip
STANDARD = {*sys.stdlib_module_names}


def imports(*layers: str) -> set[str]:
    """Return what parts of the package import that is not Python's, by distribution."""
    found = set()
    for layer in layers:
        for path in (PACKAGE / "payload_id" / layer).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    found |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    found.add(str(node.module).split(".")[0])
    foreign = found - STANDARD - {"payload_id"}
    return {canonicalize_name(DISTRIBUTIONS.get(name, name)) for name in foreign}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Build the wheel."""
    folder = tmp_path_factory.mktemp("library")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    command = [*pip, "--use-pep517", "--wheel-dir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


def member(wheel: Path, name: str) -> str:
    """Return the text of a file of the wheel's description."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(f"payload_id-{__version__}.dist-info/{name}").decode()


def test_the_package_can_be_imported_without_ros():
    code = f"import sys; sys.modules.update(dict.fromkeys({sorted(ROS)!r})); import payload_id"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_just_what_is_imported_is_declared_and_its_pinned_releases_are_allowed(wheel):
    entries = Parser().parsestr(member(wheel, "METADATA")).get_all("Requires-Dist")
    declared = [Requirement(entry) for entry in entries]
    lock = (ROOT / "requirements.lock").read_text()
    ros = {canonicalize_name(name) for name in ROS}
    by_trimesh = {"pycollada"}
    found = imports("core", "files", "fleet", "planning", "cli", "ros/view") - ros | by_trimesh
    assert {canonicalize_name(entry.name) for entry in declared} == found
    for entry in declared:
        pinned = re.findall(rf"^{canonicalize_name(entry.name)}==(\S+)", lock, re.MULTILINE)
        assert pinned and all(version in entry.specifier for version in pinned), entry


@pytest.mark.slow
def test_the_ros_package_names_all_that_is_imported():
    """What has no rosdep key is in a comment, to be installed by pip."""
    text = (PACKAGE / "package.xml").read_text()
    words = {re.sub("^python3-|-pip$", "", word) for word in re.findall(r"[\w-]+", text)}
    named = {canonicalize_name(DISTRIBUTIONS.get(word, word)) for word in words}
    assert imports(".") - named == set()


@pytest.mark.slow
def test_installed_wheel_finds_its_robots(wheel, tmp_path):
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*pip, "--target", str(tmp_path), str(wheel)], check=True)
    code = (
        "from payload_id import RobotFile, RobotModel\n"
        "from payload_id.files.configuration.package_data import share_folder\n"
        "print(share_folder(), RobotModel.from_robot_file(RobotFile.load('kinova_gen3')).n)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "AMENT_PREFIX_PATH": ""},
    )  # fmt: skip
    assert len([*tmp_path.glob("payload_id/files/reports/*.j2")]) == 3  # templates of reports
    assert len([*tmp_path.glob("payload_id/files/fleet/*.j2")]) == 1  # the page of a fleet
    share = tmp_path / "share" / "payload_id"
    assert done.stdout.split() == [str(share), "7"], done.stderr
    for folder in ("config", "launch", "rviz", "urdf"):
        files = {path.relative_to(PACKAGE) for path in (PACKAGE / folder).rglob("*.*")}
        assert files == {path.relative_to(share) for path in (share / folder).rglob("*.*")}
