"""Loads written into an arm's driver over ROS: shown, confirmed, read back, taken back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml

from driver_messages import build
from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.status import Status
from promises.nodes import next_domain

DOMAIN = next_domain()
PHI = from_mass_com_inertia(1.25, np.array([0.012, -0.034, 0.056]), np.diag([4e-3, 5e-3, 6e-3]))
PROGRAM = Path(__file__).parents[2] / "support" / "load_driver.py"
JOINTS = [f"joint_{j}" for j in range(1, 8)]
UR = {
    "target": "ur", "service": "/io_and_status_controller/set_payload",
    "type": "ur_msgs/srv/SetPayload", "state_topic": "/dynamic_joint_states",
    "frame": "end_effector_link", "rated_mass": 4.0,
}  # fmt: skip
XARM = {
    **UR, "target": "xarm", "service": "/xarm/set_tcp_load", "type": "xarm_msgs/srv/SetTcpLoad",
    "state_topic": None,
}  # fmt: skip


def written(folder, phi=PHI, status=Status.GOOD, half=1e-3):
    """Return a file as 'identify --json' writes it."""
    estimate = Estimate(
        phi=phi, lower=phi - half, upper=phi + half, identifiable=np.ones(10, dtype=bool),
        status=status, message="", estimator="lmi", intervals="hull",
        payload_frame="end_effector_link",
    )  # fmt: skip
    path = folder / "result.json"
    path.write_text(json.dumps(estimate.to_dict()))
    return path


def robot(folder, payload=UR, topic="/running"):
    """Return the file of an arm whose driver takes loads and says whether it runs."""
    runs = {"topic": topic, "type": "std_msgs/msg/Bool", "field": "data", "allowed": [1]}
    entries = {
        "extends": "package://payload_id/config/robots/kinova_gen3.yaml",
        "driver": {"payload": payload, "follows_while": {"no_fault": runs}},
    }
    path = folder / f"{payload['target']}.yaml"
    path.write_text(yaml.safe_dump(entries))
    return path


@pytest.mark.parametrize(
    ("to", "change", "words"),
    [("kinova", {}, "export"), ("ur", {"status": Status.SMALL_LOAD}, "GOOD or TOO_WIDE"),
     ("ur", {"half": 2.8}, "4.05 kg, the upper end"), ("franka", {}, "names no service")],
)  # fmt: skip
def test_what_an_arm_must_not_be_told_is_refused_before_anything_is_sought(
    tmp_path, capsys, to, change, words
):
    path = written(tmp_path, **change)
    command = ["load", "send", str(path), "--to", to, "--robot", str(robot(tmp_path)), "--confirm"]
    assert main(command) == 2 and words in capsys.readouterr().err


class Arm:
    """A driver in a process of its own, and commands there."""

    def __init__(self, environment: dict[str, str], namespace: str = "") -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**environment, "ROS_DOMAIN_ID": str(DOMAIN)}, text=True,
        )  # fmt: skip
        self.send({"joints": JOINTS, "namespace": namespace})

    def send(self, what) -> None:
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def does(self, *argv, **be):
        """Return exit code, words, and what the driver was told."""
        self.send({"argv": ["load", "send", *map(str, argv)], "be": be})
        found = json.loads(self.process.stdout.readline())
        return found["code"], found["words"], found["told"]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(30.0)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return build(tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="module")
def arm(environment):
    one = Arm(environment)
    yield one
    one.close()


@pytest.mark.slow
def test_a_ur_is_told_and_says_so_and_gets_back_what_it_had(arm, tmp_path):
    path = written(tmp_path)
    to = (path, "--to", "ur", "--robot", robot(tmp_path))
    code, words, told = arm.does(*to)
    assert code == 0 and not told and "Nothing was sent" in words and "mass: 1.25" in words
    for wrong, said in (
        ({"moving": True}, "The arm is moving"), ({"stopped": True}, "/running says data 0"),
    ):  # fmt: skip
        code, words, told = arm.does(*to, "--confirm", **wrong)
        assert code == 2 and said in words and not told, words
    code, words, told = arm.does(*to, "--confirm", refuses=True)
    assert code == 2 and "did not take the load" in words and len(told) == 1
    assert "nothing to undo" in arm.does(*to, "--undo")[1]
    code, words, (told,) = arm.does(*to, "--confirm")
    assert code == 0 and "says that it has it" in words, words
    assert told["mass"] == 1.25 and told["cog.z"] == pytest.approx(0.056)
    assert told["inertia.izz"] == pytest.approx(6e-3) and told["transition_time"] == 0.5
    assert arm.does(*to, "--confirm")[0] == 0  # once more: what it had before is still known
    code, words, told = arm.does(*to, "--undo")
    assert code == 0 and not told and "mass: 0.0" in words
    code, words, (told,) = arm.does(*to, "--undo", "--confirm")
    assert code == 0 and told["mass"] == 0.0 and told["inertia.izz"] == 0.0
    assert "undone already" in arm.does(*to, "--undo", "--confirm")[1]


@pytest.mark.slow
def test_of_two_arms_the_one_in_the_namespace_is_told_and_has_a_record_of_its_own(
    arm, environment, tmp_path
):
    relative = {**UR, "service": UR["service"].lstrip("/")}
    to = (written(tmp_path), "--to", "ur", "--robot", robot(tmp_path, relative, "running"))
    left = Arm(environment, "/left")
    try:
        assert left.does(*to)[0] == 0  # its driver is there
        code, words, told = arm.does(*to, "--namespace", "left", "--confirm")
        assert code == 0 and "says that it has it" in words and not told, words
        assert "nothing to undo" in arm.does(*to, "--undo")[1]
        code, words, told = left.does(*to, "--namespace", "/left", "--confirm", moving=True)
        assert code == 2 and "The arm is moving" in words and not told
        code, words, (told,) = left.does(*to, "--namespace", "left", "--undo", "--confirm")
        assert code == 0 and told["mass"] == 0.0, words
    finally:
        left.close()
    assert "such as left" in arm.does(*to, "--namespace", "a b")[1]


@pytest.mark.slow
def test_an_xarm_is_told_in_millimetres_and_what_it_had_must_be_stated(arm, tmp_path):
    to = (written(tmp_path), "--to", "xarm", "--robot", robot(tmp_path, XARM), "--confirm")
    code, words, (told,) = arm.does(*to)
    assert code == 0 and "does not say which load" in words and "state 5" in words
    assert told["weight"] == 1.25
    assert told["center_of_gravity"] == pytest.approx([12.0, -34.0, 56.0], rel=1e-6)
    assert "not known what the arm had" in arm.does(*to, "--undo")[1]
    before = tmp_path / "before.yaml"
    before.write_text("{weight: 0.5, center_of_gravity: [0, 0, 30]}")
    (tmp_path / "result.load_applied_xarm.json").unlink()
    part, text = tmp_path / "part.yaml", tmp_path / "text.yaml"
    part.write_text("{weight: 0.5}")
    text.write_text("{weight: heavy, center_of_gravity: [0, 0, 30]}")
    more = tmp_path / "more.yaml"
    more.write_text("{weight: 0.5, center_of_gravity: [0, 0, 30], colour: 3}")
    for file, said in (
        (part, "lacks 'center_of_gravity'"), (text, "not what"), (more, "no load of this arm"),
    ):  # fmt: skip
        code, words, told = arm.does(*to, "--before", file)
        assert code == 2 and said in words and not told
    assert arm.does(*to, "--before", before)[0] == 0
    code, _, (told,) = arm.does(*to, "--undo")
    assert code == 0 and told == {"weight": 0.5, "center_of_gravity": [0.0, 0.0, 30.0]}
    code, words, _ = arm.does(*to, ret=9)
    assert code == 2 and "ret 9, 'as it is'" in words


def seen(mass, since, half=0.01, status=0):
    """Return what a hands-free estimator says of a payload."""
    return {"phi": (PHI * mass / PHI[0]).tolist(), "since": since, "half": half, "status": status}


@pytest.mark.slow
def test_an_arm_is_told_of_each_payload_and_of_its_empty_hand(arm, tmp_path):
    """Each step is the next call: twice as well known, another payload, an empty hand."""
    before = tmp_path / "before.yaml"
    before.write_text("{weight: 0.5, center_of_gravity: [0, 0, 30]}")
    to = (tmp_path, "--to", "xarm", "--robot", robot(tmp_path, XARM), "--follow")
    code, words, told = arm.does(*to)
    assert code == 0 and not told and "Nothing is sent" in words, words
    code, words, told = arm.does(*to, "--confirm")
    assert code == 2 and "empty hand is not known" in words and not told
    hand = [seen(1.25, 10, half=0.1), seen(1.2, 10, half=0.04), seen(0.7, 12), {"since": 15},
            seen(0.9, 16, status=1), {"since": 17}]  # fmt: skip
    code, words, told = arm.does(*to, "--confirm", "--before", before, hand=hand)
    assert code == 0 and "as with an empty hand" in words, words
    assert [x["weight"] for x in told] == pytest.approx([1.25, 1.2, 0.7, 0.5, 0.9, 0.5])
    undo = (tmp_path, "--to", "xarm", "--robot", robot(tmp_path, XARM), "--undo", "--confirm")
    code, words, (told,) = arm.does(*undo)
    assert code == 0 and told["weight"] == 0.5, words


@pytest.mark.slow
def test_a_driver_that_hides_its_load_from_the_torques_is_not_followed(arm, tmp_path):
    to = (tmp_path, "--to", "ur", "--robot", robot(tmp_path), "--follow", "--confirm")
    code, words, told = arm.does(*to)
    assert code == 2 and "take the hand for empty" in words and not told, words
