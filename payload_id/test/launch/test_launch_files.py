"""Launch files and parameter tables agree, checked without launch being installed."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from payload_id.ros.estimator.parameters import ESTIMATOR_TABLE
from payload_id.ros.planner.parameters import PLANNER_TABLE
from payload_id.ros.sampler.parameters import SAMPLER_TABLE
from payload_id.ros.simulated_arm.setup import PARAMETER_TABLE as ARM_TABLE

PACKAGE = Path(__file__).resolve().parents[2]
FILES = sorted((PACKAGE / "launch").glob("*.launch.xml"))
TABLES = {
    "sampler": SAMPLER_TABLE,
    "estimator": ESTIMATOR_TABLE,
    "planner": PLANNER_TABLE,
    "simulated_arm": ARM_TABLE,
}
NAMES = {
    "sampler": "payload_sampler",
    "estimator": "payload_estimator",
    "planner": "payload_planner",
    "simulated_arm": "simulated_arm",
}


def read(file: Path) -> ElementTree.Element:
    return ElementTree.parse(file).getroot()


def own_nodes(file: Path) -> list[ElementTree.Element]:
    return [node for node in read(file).iter("node") if node.get("pkg") == "payload_id"]


def arguments(file: Path) -> dict[str, ElementTree.Element]:
    return {arg.get("name"): arg for arg in read(file).findall("arg")}


def test_there_are_launch_files():
    names = {"identify.launch.xml", "demo.launch.xml", "planner.launch.xml"}
    assert {file.name for file in FILES} == names


@pytest.mark.parametrize("file", FILES, ids=lambda x: x.name)
def test_nodes_are_installed_and_have_the_parameters(file):
    setup = (PACKAGE / "setup.py").read_text()
    assert own_nodes(file)
    for node in own_nodes(file):
        program = node.get("exec")
        assert f'"{program} = payload_id.ros.' in setup
        assert node.get("name") == NAMES[program]
        known = {entry.name for entry in TABLES[program]} | {"use_sim_time"}
        for parameter in node.findall("param"):
            assert parameter.get("name") in known


@pytest.mark.parametrize("file", FILES, ids=lambda x: x.name)
def test_arguments_are_described_and_all_used(file):
    text = file.read_text()
    for name, argument in arguments(file).items():
        assert argument.get("default") is not None
        assert len(argument.get("description")) > 10
        assert f"$(var {name})" in text
    assert set(re.findall(r"\$\(var (\w+)\)", text)) == set(arguments(file))


def test_included_files_exist_and_have_the_arguments():
    for include in [x for file in FILES for x in read(file).iter("include")]:
        path = include.get("file").replace("$(find-pkg-share payload_id)", str(PACKAGE))
        assert Path(path) in FILES
        assert {x.get("name") for x in include.findall("arg")} <= set(arguments(Path(path)))


@pytest.mark.parametrize("file", FILES, ids=lambda x: x.name)
def test_default_values_are_allowed(file):
    defaults = {name: x.get("default") for name, x in arguments(file).items()}
    for node in own_nodes(file):
        table = {entry.name: entry for entry in TABLES[node.get("exec")]}
        for parameter in node.findall("param"):
            name = re.fullmatch(r"\$\(var (\w+)\)", parameter.get("value")).group(1)
            is_text = parameter.get("type") == "str"
            value = defaults[name] if is_text else yaml.safe_load(defaults[name])
            entry = table.get(parameter.get("name"))
            if hasattr(entry, "check"):
                assert entry.check(value) == value
            elif entry is not None:
                assert type(value) is type(entry.default)


def test_rviz_shows_what_the_nodes_publish():
    scene = yaml.safe_load((PACKAGE / "rviz" / "payload.rviz").read_text())
    displays = scene["Visualization Manager"]["Displays"]
    topics = {x["Topic"]["Value"] for x in displays if "Topic" in x}
    planner = {f"/payload_planner/{name}" for name in ("swept_volume", "obstacle_markers")}
    assert topics == {"/payload_estimator/markers", *planner}
