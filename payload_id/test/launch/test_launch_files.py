"""Launch files and parameter tables agree, checked without launch being installed."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from payload_id.files.robots.robot_file import RobotFile, robot_names
from payload_id.ros.access.policy import enclaves
from payload_id.ros.bridge.parameters import BRIDGE_TABLE
from payload_id.ros.common import robot_facts
from payload_id.ros.estimator.parameters import ESTIMATOR_TABLE
from payload_id.ros.planner.parameters import PLANNER_TABLE
from payload_id.ros.sampler.parameters import SAMPLER_TABLE
from payload_id.ros.simulated_arm.setup import PARAMETER_TABLE as ARM_TABLE
from payload_id.ros.team.parameters import TEAM_TABLE

PACKAGE = Path(__file__).resolve().parents[2]
FILES = sorted((PACKAGE / "launch").glob("*.launch.xml"))
TABLES = {
    "sampler": SAMPLER_TABLE,
    "estimator": ESTIMATOR_TABLE,
    "planner": PLANNER_TABLE,
    "bridge": BRIDGE_TABLE,
    "simulated_arm": ARM_TABLE,
    "team": TEAM_TABLE,
}
NAMES = {
    "sampler": "payload_sampler",
    "estimator": "payload_estimator",
    "planner": "payload_planner",
    "bridge": "payload_bridge",
    "simulated_arm": "simulated_arm",
    "team": "payload_team",
}
BRINGUP, RVIZ = (PACKAGE / "launch" / f"{x}.launch.xml" for x in ("bringup", "rviz"))
WITHOUT_NODES = BRINGUP, RVIZ  # of this package


def read(file: Path) -> ElementTree.Element:
    return ElementTree.parse(file).getroot()


def own_nodes(file: Path) -> list[ElementTree.Element]:
    return [node for node in read(file).iter("node") if node.get("pkg") == "payload_id"]


def arguments(file: Path) -> dict[str, ElementTree.Element]:
    return {arg.get("name"): arg for arg in read(file).findall("arg")}


def test_nodes_are_installed_and_have_the_parameters():
    for file in FILES:
        setup = (PACKAGE / "setup.py").read_text()
        assert own_nodes(file) or file in WITHOUT_NODES
        for node in own_nodes(file):
            program = node.get("exec")
            assert f'"{program} = payload_id.ros.' in setup
            assert node.get("name") == NAMES[program]
            known = {entry.name for entry in TABLES[program]} | {"use_sim_time", "autostart"}
            for parameter in node.findall("param"):
                assert parameter.get("from") == "$(var params)" or parameter.get("name") in known


def in_order(element: ElementTree.Element) -> list[str]:
    """Return what a launch file does, in its order; an include of RViz as such."""
    found = []
    for entry in element:
        if entry.tag == "group":
            found += in_order(entry)
        elif entry.tag in ("let", "push_ros_namespace", "node", "include"):
            file = entry.get("file", "")
            found.append("rviz" if file.endswith("rviz.launch.xml") else entry.tag)
    return found


def test_what_can_fail_comes_before_any_node():
    """A launch that fails after a node has started leaves that node running."""
    for file in [x for x in FILES if x != BRINGUP]:
        steps = in_order(read(file))
        assert steps[-1] == "node"
        first = steps.index("node")
        assert not {"let", "rviz"} & set(steps[first:])
        if "include" in steps:  # the included file checks the same namespace and parameter file
            at = steps.index("include")
            assert at < first and set(steps[:at]) <= {"let"}


def test_what_users_give_is_one_word_of_a_command_and_never_evaluated():
    for file in FILES:
        values = [value for entry in read(file).iter() for value in entry.attrib.values()]
        assert not [value for value in values if "$(eval" in value]
        for value in values:
            if "$(command" in value:
                bare = re.sub(r'"[^"]*"', "", value.removeprefix("$(command "))
                assert "$(" not in bare, "a path with a space would be two words"


def test_every_node_runs_in_an_enclave_that_the_policy_has():
    for file in FILES:
        known = {enclave.path for enclave in enclaves({})}
        for node in own_nodes(file):
            default = arguments(file)["enclaves"].get("default")
            option, path = node.get("ros_args").split(maxsplit=1)
            enclave = path.replace("$(var enclaves)", default)
            assert (option, enclave) == ("--enclave", f"{default}/{node.get('name')}")
            assert enclave in known
        for include in read(file).iter("include"):
            handed = {x.get("name"): x.get("value") for x in include.findall("arg")}
            wanted = None if include.get("file").endswith(RVIZ.name) else "$(var enclaves)"
            assert handed.get("enclaves") == wanted


def test_no_argument_of_an_included_file_reaches_what_comes_after_it():
    """An included file sets its arguments, defaults too, in the scope of whoever includes it."""
    for file in FILES:
        root = read(file)
        for parent in root.iter():
            for _ in parent.findall("include"):
                assert parent.tag == "group" and parent.get("scoped", "true") == "true"
                assert [child.tag for child in parent] == ["include"]


def test_facts_of_a_robot_are_printed_and_one_without_description_is_refused(capsys):
    for arguments, printed in (
        (("joint_states", "kinova_gen3"), "joint_states"),
        (("joint_states", "xarm7"), "xarm/joint_states"),
        (("controller", "xarm7"), "xarm7_traj_controller"),
        (("base_frame", "xarm7"), "link_base"), (("base_frame", "kinova_gen3"), "base_link"),
        (("description", "xarm7"), RobotFile.load("xarm7").urdf),
        (("wrench", "xarm7"), ""), (("wrench", "ur10e"), "force_torque_sensor_broadcaster/wrench"),
        (("is_of_team", "ur10e"), "false"), (("is_of_team", "omnid"), "true"),
    ):  # fmt: skip
        assert robot_facts.main(arguments) == 0 and capsys.readouterr().out == printed
    for name in ("generic", "nothing"):
        assert robot_facts.main(["joint_states", name]) == 2
        assert name in capsys.readouterr().err


def test_bringup_starts_each_node_once_with_what_it_is_given():
    """An include gets all its arguments that bringup has: a default would replace none of them."""
    assert in_order(read(BRINGUP)) == ["let"] * 6 + ["include"] * 4
    includes = list(read(BRINGUP).iter("include"))
    conditions = "is_of_team", "from_torque", "from_wrench", "is_of_team"
    assert [x.get("if") or x.get("unless") for x in includes] == [f"$(var {x})" for x in conditions]
    for include in includes:
        handed = {x.get("name"): x.get("value") for x in include.findall("arg")}
        file = PACKAGE / "launch" / include.get("file").rsplit("/", 1)[-1]
        shared = (arguments(file).keys() & arguments(BRINGUP).keys()) - handed.keys()
        assert not shared
        assert all(value in (f"$(var {name})", "false") for name, value in handed.items())
    assert handed["rviz"] == "false"  # RViz once


def test_every_robot_that_is_shipped_has_a_source_that_bringup_starts():
    for name in robot_names():
        robot = RobotFile.load(name)
        is_of_team = "team_topics" in robot.driver.back_ends
        assert is_of_team or robot.wrench_topic or robot.effort.source != "none"


def test_the_package_names_every_package_that_launch_files_start_or_look_for():
    text = "".join(file.read_text() for file in FILES)
    found = set(re.findall(r"(?:pkg=\"|find-pkg-(?:prefix|share) )(\w+)", text))
    named = ElementTree.parse(PACKAGE / "package.xml").findall("exec_depend")
    assert found - {"payload_id"} <= {entry.text for entry in named}
