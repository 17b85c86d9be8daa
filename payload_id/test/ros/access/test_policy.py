"""Policies and permissions: what follows from the table, whatever the names."""

from __future__ import annotations

from datetime import datetime
from xml.etree import ElementTree

from payload_id.cli.main import main
from payload_id.ros.access.interfaces import INTERFACES, RUN_CALLS, SET_POINTS
from payload_id.ros.access.permissions import dds_topics, permissions_xml
from payload_id.ros.access.policy import Rule, enclaves, policy_xml
from payload_id.ros.execution.back_ends.team_topics import KINDS

MOVING = {
    Rule("action", "call", "/payload_planner/execute"),
    Rule("action", "call", "/payload_planner/identify"),
    Rule("service", "request", "/payload_planner/resume"),
    Rule("action", "call", "/payload_bridge/follow"),
    Rule("service", "request", "/payload_bridge/acknowledge"),
    Rule("service", "request", "/payload_bridge/set_obstacles"),
    Rule("service", "request", "/payload_bridge/set_parameters"),
}


def roles(**names: str) -> dict[str, set[Rule]]:
    return {e.path.rpartition("/")[2]: set(e.rules) for e in enclaves(names)}


def test_each_role_may_all_that_those_before_it_may_and_only_movers_move():
    may = roles()
    assert may["reader"] < may["operator"] < may["mover"]
    assert may["mover"] >= MOVING and not may["operator"] & MOVING
    written = {"set_parameters", "set_parameters_atomically", "start", "stop", "reset", "tare",
               "save", "plan", "set_obstacles"}  # fmt: skip
    read = {r.name.rpartition("/")[2] for r in may["reader"] if r.verb in ("request", "call")}
    assert not read & written


def test_no_client_publishes_what_nodes_rely_on():
    """Samples, conditions, estimates, joint states, trajectories, obstacles, frames, the clock."""
    heard = {r.name for e in enclaves({}) for r in e.rules if r.verb == "subscribe"}
    for role in ("reader", "operator", "mover"):
        said = {r.name for r in roles()[role] if r.verb == "publish"}
        of_ros = {"/rosout", "/parameter_events"}
        assert not (said & heard) - of_ros


FOLLOW = "/joint_trajectory_controller/follow_joint_trajectory"
TRAJECTORIES = "/joint_trajectory_controller/joint_trajectory"


def test_the_planner_alone_has_the_bridge_move_the_arm_which_alone_commands_it():
    for node in INTERFACES:
        rules = roles()[node]
        asked = {r.name for r in rules if r.verb in ("request", "call")}
        of_bridge = {name for name in asked if name.startswith("/payload_bridge/")}
        assert asked - of_bridge <= {
            *(f"/payload_estimator/{name}" for name in RUN_CALLS),
            "/controller_manager/list_controllers",
            "/controller_manager/list_hardware_interfaces",
            FOLLOW,
        }
        assert node == "payload_planner" or not of_bridge
        assert Rule("topic", "publish", TRAJECTORIES) not in rules
        assert (Rule("action", "call", FOLLOW) in rules) == (node == "payload_bridge")


def test_a_load_is_applied_by_an_enclave_of_its_own_that_moves_nothing():
    service = "/io_and_status_controller/set_payload"
    found = roles(payload_service=service, driver_topics="/arm/fault /arm/mode")
    may = {name for name, rules in found.items() if Rule("service", "request", service) in rules}
    assert may == {"payload_apply"}
    own = found["payload_apply"]
    assert {Rule("topic", "subscribe", f"/arm/{x}") for x in ("fault", "mode")} <= own
    assert not own & MOVING and not any(r.verb == "call" for r in own)


def test_an_omnid_is_moved_by_its_teams_topics_and_by_nobody_but_the_bridge(tmp_path):
    assert main(["policy", str(tmp_path), "--robot", "omnid", "--team-robot", "/omnid2"]) == 0
    policy = ElementTree.parse(tmp_path / "policy.xml")
    may = {
        (topic.text, profile.get("node"))
        for profile in policy.iterfind(".//profile")
        for topic in profile.iterfind("topics[@publish='ALLOW']/topic")
    }
    for name in KINDS:  # of the back end that sends them
        assert {node for topic, node in may if topic == f"/omnid2/{name}"} == {"payload_bridge"}
    assert not any("trajectory" in topic for topic, _ in may)
    assert not any("omnid2" in r.name for rules in roles().values() for r in rules)
    assert tuple(KINDS) == SET_POINTS


def test_permissions_and_policy_allow_the_same():
    policy = ElementTree.fromstring(policy_xml(enclaves({})).encode())
    for enclave in enclaves({}):
        written = policy.find(f"enclaves/enclave[@path='{enclave.path}']")
        rules = {
            Rule(group.tag.rstrip("s"), verb, entry.text)
            for group in written.iterfind("profiles/profile/*")
            for verb, allowed in group.attrib.items()
            if allowed == "ALLOW"
            for entry in group
        }
        assert rules == set(enclave.rules)
        text = permissions_xml(enclave, 7, datetime(2030, 1, 1), datetime(2040, 1, 1))
        grant = ElementTree.fromstring(text.encode()).find("permissions/grant")
        assert grant.findtext("subject_name") == f"CN={enclave.path}"
        assert grant.findtext("default") == "DENY" and grant.findtext(".//id") == "7"
        for place, verb in enumerate(("publish", "subscribe")):
            topics = {x.text for x in grant.iterfind(f"allow_rule/{verb}/topics/topic")}
            expected = set().union(*(dds_topics(rule)[place] for rule in rules))
            assert topics == expected | {"ros_discovery_info"}
            assert not any("*" in topic for topic in topics)


def test_names_and_namespace_are_those_given(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "9")
    given = ["--robot", "xarm7", "--namespace", "left", "--name", "enable=/enable"]
    assert main(["policy", str(tmp_path), *given]) == 0
    assert "domain 9" in capsys.readouterr().out
    bridge = tmp_path / "enclaves/payload_id/left/payload_bridge/permissions.xml"
    text = bridge.read_text()
    for name in ("/enable", "/left/xarm/joint_states", "/left/payload_estimator/payload"):
        assert f"<topic>rt{name}</topic>" in text
    assert "<id>9</id>" in text and "rt/joint_states" not in text
