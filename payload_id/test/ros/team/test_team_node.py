"""The team node as others see it: robots' messages in, the team's estimate out."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
from payload_id_msgs.msg import TeamEstimate
from payload_id_msgs.srv import GetGraspTransform, GetTeamEstimate, LetGo
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from harness import LATCHED, NodeProcess, Observer
from promises.nodes import next_domain
from team_messages import RELIABLE, grasp_messages, joint_states
from team_motion import Path as Way
from team_motion import Team

DOMAIN = int(os.environ.get("ROS_DOMAIN_ID", next_domain()))
BOUNDS = {
    "orientation": 2e-4, "position": 2e-4, "angular_velocity": 2e-3, "linear_velocity": 2e-3,
    "force_absolute": 0.3, "moment_absolute": 0.01, "clock": 0.01, "jitter": 1e-4,
}  # fmt: skip
NAMES = ("omnid1", "omnid2", "omnid3")
TEAM = {
    "name": "three for a test",
    "prior": {"mass_max": 30.0, "com_max": 1.5},
    "every_robot": {"reliability": "reliable", "smoothing": 0.03, "bounds": BOUNDS},
    "robots": {
        "omnid1": {},
        "omnid2": {},
        "omnid3": {"source": "topics", "topics": {"wrench_sign": -1.0}},
    },
}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def samples():
    team, rng = Team.of_table_1(np.random.default_rng(5)), np.random.default_rng(6)
    return team.samples(Way.drawn(rng, length=8.0, holds=4, angle=0.1, reach=0.03, hold=1.5), rng)


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    one = Observer(DOMAIN)
    yield one
    one.close()


@pytest.fixture(scope="module")
def node(observer: Observer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    folder = tmp_path_factory.mktemp("team")
    (folder / "team.yaml").write_text(yaml.safe_dump(TEAM, sort_keys=False))
    process = NodeProcess(
        "team", DOMAIN, folder / "log", team_file=folder / "team.yaml", runs_folder=folder / "runs",
        update_period=0.5,
    )  # fmt: skip
    observer.listen(TeamEstimate, "/payload_team/team", LATCHED)
    observer.wait(lambda: observer.mailbox["/payload_team/team"], "the first message")
    yield process
    assert process.stop() == 0, process.printed


@pytest.fixture(scope="module")
def robots(observer: Observer, node: NodeProcess):
    """Return publishers by topic."""
    kinds = {"pose": PoseStamped, "twist": TwistStamped, "wrench": WrenchStamped}
    made = {
        name: observer.node.create_publisher(JointState, f"/{name}/joint/joint_states", RELIABLE)
        for name in NAMES[:2]
    }
    for kind, message in kinds.items():
        topic = f"/omnid3/grasp/{kind}"
        made[kind] = observer.node.create_publisher(message, topic, RELIABLE)
    observer.wait(
        lambda: all(x.get_subscription_count() for x in made.values()), "the node's subscriptions"
    )
    return made


def send(observer: Observer, robots, samples) -> None:
    """Publish samples of the robots, all at about the same time."""
    streams = {name: joint_states(x) for name, x in zip(NAMES, samples, strict=True)}
    third = grasp_messages(samples[2])
    for k in range(len(streams["omnid1"])):
        for name in NAMES[:2]:
            robots[name].publish(streams[name][k])
        pose, twist, wrench = third[k]
        for vector in (wrench.wrench.force, wrench.wrench.torque):
            vector.x, vector.y, vector.z = -vector.x, -vector.y, -vector.z
        for kind, message in zip(("pose", "twist", "wrench"), third[k], strict=True):
            robots[kind].publish(message)
        if k % 25 == 0:
            observer.executor.spin_once(timeout_sec=0.01)


def trigger(observer: Observer, name: str):
    return observer.call(Trigger, f"/payload_team/{name}")


def test_names_that_do_not_exist_are_answered_with_those_that_do(observer, node):
    for kind, service, fields in (
        (GetGraspTransform, "get_grasp_transform", {"from_robot": "", "to_robot": "omnid1"}),
        (LetGo, "let_go", {"robot": "omnid9"}),
    ):
        said = observer.call(kind, f"/payload_team/{service}", **fields)
        assert not said.success
        assert "omnid1, omnid2, omnid3" in said.message


def test_a_guided_payload_and_a_robot_that_lets_go(observer, robots, samples):
    assert trigger(observer, "start").success
    assert observer.call(SetBool, "/payload_team/guide", data=True).success
    part = [x.between(0.0, 3.0) for x in samples]
    send(observer, robots, part)
    found = observer.call(GetTeamEstimate, "/payload_team/get_estimate").estimate
    assert all(x.guided for x in found.members)
    assert observer.call(SetBool, "/payload_team/guide", data=False).success
    send(observer, robots, [x.between(3.01, 6.0) for x in samples])
    observer.wait(
        lambda: observer.call(LetGo, "/payload_team/let_go", robot="omnid3").success,
        "omnid3 to have been heard",
    )
    found = observer.call(GetTeamEstimate, "/payload_team/get_estimate").estimate
    assert {x.robot: x.holds for x in found.members}["omnid3"] is False
    assert found.windows > 0  # of the part that nobody guided; and nothing has failed:
    box = observer.listen(DiagnosticStatus, "/payload_team/condition", LATCHED)
    observer.wait(lambda: box, "the node's condition")
    assert {x.key: x.value for x in box[-1].values}["errors"] == "0"
    trigger(observer, "stop")
