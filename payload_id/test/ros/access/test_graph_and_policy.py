"""What the graph of ROS shows of running nodes is what the policy lets them do, nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from payload_id_msgs.msg import PlanDescription
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)
from rclpy.parameter import Parameter as RosParameter

from harness import NodeProcess, Observer
from payload_id.core.identification.status import Status
from payload_id.files.configuration.input_path import MOST
from payload_id.ros.access.interfaces import INTERFACES
from payload_id.ros.access.policy import Rule, enclaves
from payload_id.ros.client.payload_client import PayloadClient
from payload_id.ros.client.waiting import NotAnsweredError
from promises.nodes import next_domain

DOMAIN = next_domain()
SPACE = "/left"
KNOWN = "weighed: {kind: known_mass, mass: 1.0, tolerance: 0.1}"
PROGRAM = Path(__file__).parents[2] / "support" / "all_nodes.py"
FAULTS = f"{SPACE}/fault_controller/internal_fault"  # where its type is here
OMNIDS = ("omnid1", "omnid2", "omnid3")  # of the shipped team file
TEAM = {
    "team_topics": " ".join(f"/{x}/joint/joint_states" for x in OMNIDS),
    "team_shares": " ".join(f"/{x}/payload_share" for x in OMNIDS),
}
# What a node does only while the arm is in use, by one of its back ends, hands-free, or where no
# other one does.
AT_TIMES = {
    "payload_estimator": {
        Rule("topic", "publish", f"{SPACE}/payload_estimator/payload_event"),
        Rule("topic", "publish", f"{SPACE}/payload_estimator/payload_feedforward"),
        Rule("topic", "subscribe", f"{SPACE}/joint_states"),
    },
    "payload_sampler": {Rule("topic", "subscribe", f"{SPACE}/wrench")},
    "payload_bridge": {
        Rule("topic", "publish", f"{SPACE}/joint_trajectory_controller/joint_trajectory"),
        Rule("action", "call", f"{SPACE}/joint_trajectory_controller/follow_joint_trajectory"),
        Rule("topic", "subscribe", FAULTS),
    },
    "payload_planner": {Rule("topic", "publish", f"{SPACE}/attached_collision_object")},
    "payload_team": {Rule("topic", "publish", "/tf_static")},
    "simulated_arm": {
        Rule("topic", "publish", f"{SPACE}/robot_joint_states"),
        Rule("topic", "subscribe", f"{SPACE}/robot_joint_commands"),
    },
}


@pytest.fixture(scope="module")
def observer(tmp_path_factory) -> Iterator[Observer]:
    """Return a node beside all nodes, which do all that their parameters can have them do."""
    folder = tmp_path_factory.mktemp("nodes")
    (folder / "files").mkdir()
    os.mkfifo(folder / "files" / "pipe.yaml")
    with (folder / "files" / "large.stl").open("wb") as file:
        file.truncate(MOST + 1)
    for name, text in (("secret.yaml", "password: 1"), ("files/known.yaml", KNOWN)):
        (folder / name).write_text(text)
    (folder / "files" / "link.yaml").symlink_to(folder / "secret.yaml")
    space = ("-r", f"__ns:={SPACE}", "-p", "use_sim_time:=true")
    processes = [
        NodeProcess(
            str(PROGRAM), DOMAIN, folder / "log", *space, folder=folder, bag=folder / "bag",
            publish_clock=True, paused=True, files_folder=folder / "files",
            cell="none, these are tests",
        ),
    ]  # fmt: skip
    one = Observer(DOMAIN)
    yield one
    one.close()
    for process in processes:
        process.stop()


def seen(observer: Observer, name: str, space: str = SPACE) -> set[Rule]:
    """Return what the graph shows of a node; the parts of its actions count as the action."""
    of, where = observer.node, (name, space)
    found = {
        Rule(kind, verb, full)
        for kind, verb, look in (
            ("topic", "publish", of.get_publisher_names_and_types_by_node),
            ("topic", "subscribe", of.get_subscriber_names_and_types_by_node),
            ("service", "reply", of.get_service_names_and_types_by_node),
            ("service", "request", of.get_client_names_and_types_by_node),
        )
        for full, _ in look(*where)
        if "/_action/" not in full
    }
    served = get_action_server_names_and_types_by_node(of, *where)
    asked = get_action_client_names_and_types_by_node(of, *where)
    found |= {Rule("action", "execute", full) for full, _ in served}
    return found | {Rule("action", "call", full) for full, _ in asked}


@pytest.mark.slow
@pytest.mark.parametrize("name", [x for x in INTERFACES if x != "payload_apply"])
def test_nodes_do_what_they_may_and_may_no_more_than_they_do(observer, name):
    every = enclaves({**TEAM, "driver_topics": FAULTS}, SPACE)
    of_node = {e.path: e for e in every}[f"/payload_id{SPACE}/{name}"]
    allowed = set(of_node.rules)
    expected = allowed - AT_TIMES.get(name, set())
    found: set[Rule] = set()

    def complete() -> bool:
        nonlocal found
        known = (name, SPACE) in observer.node.get_node_names_and_namespaces()
        found = seen(observer, name) if known else set()
        return expected <= found <= allowed

    try:
        observer.wait(complete, f"all of {name}", 30.0)
    except AssertionError as error:
        raise AssertionError(
            f"{name} does what it may not: {sorted(found - allowed)}; may what it does not do: "
            f"{sorted(expected - found)}"
        ) from error


@pytest.mark.slow
def test_nobody_has_another_file_read_while_the_node_runs(observer):
    """Nor is told what it holds."""
    service = f"{SPACE}/payload_estimator/set_parameters"

    def answer(path: str) -> SetParametersResult:
        message = RosParameter("payload", value=path).to_parameter_msg()
        return observer.call(SetParameters, service, parameters=[message]).results[0]

    for path in (
        "secret.yaml", "files/../secret.yaml", "files/link.yaml", "/etc/passwd", "~/.bashrc",
        "/dev/zero", "/proc/self/environ", "files", "/", "files/pipe.yaml", "files/large.stl",
        "files/missing.yaml", "~nobody/x", "x" * 5000, "a\x07b",
    ):  # fmt: skip
        refused = answer(path)
        assert not refused.successful and "password" not in refused.reason, path
        assert "within" in refused.reason or "files" in refused.reason, (path, refused.reason)
    assert answer("files/known.yaml").successful and answer("").successful


@pytest.mark.slow
def test_commands_use_what_their_role_may_alone(observer):
    """What reads can be allowed to those who may not move the arm, nor end a run."""
    may = {e.path.rpartition("/")[2]: set(e.rules) for e in enclaves({}, SPACE)}

    def does(role: str) -> bool:
        return seen(observer, "payload_client", "/") <= may[role]

    names = [f"{SPACE}/payload_{x}" for x in ("estimator", "planner", "bridge")]
    with PayloadClient(*names, observer.context) as client:
        client.wait_for(lambda: client.messages, 30.0, "an estimate")
        assert client.estimate().status is Status.WAITING  # what it is worth is for the caller
        with pytest.raises(NotAnsweredError, match="plan"):
            client.described()
        assert does("reader")
        client.reset()
        assert does("operator") and not does("reader")
        with pytest.raises(NotAnsweredError, match="pause"):
            client.pause_motion()
        assert does("operator")
        assert not client.execute(PlanDescription(), 10.0).success
        assert does("mover") and not does("operator")
