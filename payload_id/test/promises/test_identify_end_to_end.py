"""From what an arm publishes to a payload that is known, saved, and repeated bit for bit."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pinocchio as pin
import pytest
import yaml
from geometry_msgs.msg import InertiaStamped, WrenchStamped
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import (
    Contact,
    ExcitationGoal,
    GravityShare,
    PayloadEffort,
    PayloadEstimate,
    StopReason,
    TeamEstimate,
    WrenchBlock,
)
from payload_id_msgs.srv import (
    BeginRun,
    GetEstimate,
    GetGraspTransform,
    GetTeamEstimate,
    Save,
    Validate,
)
from scipy.spatial.transform import Rotation
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from payload_id import Recording, RobotFile

from .arms import START_NS, TO_PINOCCHIO, Arm, Motion, drawn_payload
from .command_line import is_one_sentence, payload_id
from .held_team import KINDS, TEAM, HeldTeam, messages
from .held_team import NAMES as TEAM_NAMES
from .nodes import LATCHED, NodeProcess, Observer, next_domain
from .own_arm import JOINTS
from .recorded import noisy
from .streams import ESTIMATOR, STEP_NS, Listeners, time_of

pytestmark = pytest.mark.slow  # nodes in real time, or processes

NOISE = 0.02
GOOD = (PayloadEstimate.GOOD, PayloadEstimate.TOO_WIDE)


def contains(estimate: Any, phi: np.ndarray) -> bool:
    """Whether every interval contains the truth."""
    return bool(np.all((estimate.lower <= phi) & (phi <= estimate.upper)))


def replayed(capsys: Any, folder: Path | str, *options: object) -> dict[str, Any]:
    """Return what `payload-id identify` says of a run."""
    answer = payload_id(capsys, "identify", folder, "--json", *options)
    assert answer.code == 0, answer.text
    return json.loads(answer.out)


def same_bits(told: dict[str, Any], live: Any) -> None:
    """Check that a replay says what the node said."""
    assert told["identical_to_live"] is True
    for name in ("phi", "lower", "upper", "identifiable"):
        assert told[name] == list(getattr(live, name)), name
    assert told["message"] == live.message and told["samples"] == live.samples


# --------------------------------------------------------- joint states, sampler and estimator


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    bounds = {"uncertainty.torque_offset": 0.2}
    listeners = Listeners(tmp_path_factory.mktemp("stream"), **bounds)
    yield listeners
    listeners.close()


@pytest.fixture(scope="module")
def phi() -> np.ndarray:
    return drawn_payload(np.random.default_rng(11), 0.8, 1.6)


OFFSET = np.array([0.1, -0.15, 0.05, -0.1])  # of the torques that the driver says [N m]


def measured(
    nodes: Listeners, phi: np.ndarray, seed: int, seconds: float = 2.0
) -> tuple[Motion, Any]:
    """Return a motion, and the torques that sensors with noise and offsets say in it."""
    rng = np.random.default_rng(seed)
    motion = nodes.arm.motion(rng, seconds)
    return motion, noisy(rng, nodes.arm.torques(motion, phi), NOISE) + OFFSET


@pytest.fixture(scope="module")
def made(nodes, phi) -> tuple[PayloadEstimate, str, list[int]]:
    """Return estimate, answer and stamps of a run whose samples came in another order."""
    before = len(nodes.sent)
    motion, tau = measured(nodes, phi, 12)
    nodes.begin()
    nodes.send(part(motion, 0, 400), tau[:400])
    nodes.get()
    nodes.send(part(motion, 400, 500), tau[400:], pause_ns=0)
    answer = nodes.trigger("stop").message
    estimate = nodes.get().estimate
    return estimate, answer, list(nodes.sent)[before:]


def test_a_run_by_services_ends_with_intervals_that_contain_the_truth(nodes, made, phi):
    estimate, answer, stamps = made
    assert estimate.status in GOOD and contains(estimate, phi), answer
    assert f"({len(stamps)} samples" in answer and "GOOD" in answer
    assert estimate.phi[0] == pytest.approx(phi[0], rel=0.03)
    assert np.subtract(estimate.upper, estimate.lower)[0] < 0.3 * phi[0]
    assert estimate.header.frame_id == "tool"
    stamp = estimate.header.stamp
    assert 0 <= stamps[-1] - (stamp.sec * 10**9 + stamp.nanosec) <= 25 * STEP_NS
    inertia = estimate.inertia  # as ROS has it: about the centre of mass
    com = np.array([inertia.com.x, inertia.com.y, inertia.com.z])
    np.testing.assert_allclose(com, np.array(estimate.phi[1:4]) / estimate.phi[0])
    about = np.array([[estimate.phi[k] for k in row] for row in ((4, 5, 6), (5, 7, 8), (6, 8, 9))])
    own = about - inertia.m * (com @ com * np.eye(3) - np.outer(com, com))
    told = [inertia.ixx, inertia.ixy, inertia.ixz, inertia.iyy, inertia.iyz, inertia.izz]
    np.testing.assert_allclose(told, own[np.triu_indices(3)], atol=1e-12)
    box = nodes.observer.listen(InertiaStamped, f"{ESTIMATOR}/payload_inertia", LATCHED)
    nodes.observer.wait(lambda: box, "the inertia")
    assert box[-1].inertia == inertia and box[-1].header == estimate.header
    published = nodes.estimates[-1]
    assert (published.phi == estimate.phi).all() and published.status == estimate.status
    earlier = [x for x in nodes.estimates if 0 < x.samples < estimate.samples]
    assert earlier and all(contains(x, phi) for x in earlier if x.status in GOOD)
    condition = {x.key: x.value for x in nodes.condition[-1].values}
    assert condition["lifecycle"] == "active"


@pytest.fixture(scope="module")
def saved(nodes, made) -> Path:
    """Return the folder that this run was saved in."""
    answer = nodes.observer.call(Save, f"{ESTIMATOR}/save", path="")
    assert answer.success and Path(answer.path) == nodes.recording, answer.message
    return Path(answer.path)


def test_a_saved_run_is_repeated_bit_for_bit_from_its_folder(made, saved, capsys):
    same_bits(replayed(capsys, saved), made[0])
    other = replayed(capsys, saved, "--intervals", "least_squares_image")
    assert other["identical_to_live"] is None  # solved anew: nothing is compared
    assert other["lower"] != list(made[0].lower)


def test_a_saved_run_that_was_altered_is_refused_or_says_the_same(made, saved, capsys, tmp_path):
    rng, copy = np.random.default_rng(0), tmp_path / "run"
    shutil.copytree(saved, copy)
    files = ("payload_id_run.npz", next(x.name for x in copy.glob("*.mcap")))
    for name in files:
        whole = (copy / name).read_bytes()
        for at in rng.integers(0, len(whole), 6):
            altered = bytearray(whole)
            altered[at] ^= 1 << rng.integers(8)
            (copy / name).write_bytes(altered)
            answer = payload_id(capsys, "identify", copy, "--json")
            same = answer.code == 0 and json.loads(answer.out)
            assert is_one_sentence(answer) or same["phi"] == list(made[0].phi), (name, at, answer)
        (copy / name).write_bytes(whole[: len(whole) // 2])
        assert is_one_sentence(payload_id(capsys, "identify", copy)) or name.endswith("mcap")
        (copy / name).write_bytes(whole)


def test_a_report_says_what_the_run_holds_in_each_format(nodes, made, saved, phi, capsys, tmp_path):
    estimate, _, stamps = made
    told = json.loads(payload_id(capsys, "report", saved, "--json").out)
    for name in ("phi", "lower", "upper"):
        assert told[name] == list(getattr(estimate, name))
    said = {x["name"]: x for x in told["quantities"][:10]}
    com = phi[1:4] / phi[0]
    inertia = matrix(phi[4:]) - phi[0] * (com @ com * np.eye(3) - np.outer(com, com))
    true = {"mass": phi[0]} | {
        f"centre of mass, {x}": 1e3 * c for x, c in zip("xyz", com, strict=True)
    }
    true |= {f"{kind} of inertia, {name}": inertia[at] for kind, name, at in (
        ("moment", "xx", (0, 0)), ("product", "xy", (0, 1)), ("product", "xz", (0, 2)),
        ("moment", "yy", (1, 1)), ("product", "yz", (1, 2)), ("moment", "zz", (2, 2)))}  # fmt: skip
    assert said.keys() == true.keys()
    for name, value in true.items():
        assert said[name]["lower"] <= value <= said[name]["upper"], name
    for axis in "xyz":
        given = getattr(estimate.inertia.com, axis)
        assert said[f"centre of mass, {axis}"]["value"] == pytest.approx(1e3 * given)
    assert said["product of inertia, xy"]["value"] == pytest.approx(estimate.inertia.ixy)
    page = payload_id(capsys, "report", saved, "--markdown").out
    rows = [
        [x.strip() for x in line.strip("|").split("|")] for line in page.splitlines() if "|" in line
    ]
    table = {row[0]: row[1:] for row in rows}
    for name, one in list(said.items())[:4]:
        value, half, low, high = (float(x) for x in table[name][:4])
        digit = 10.0 ** -len(table[name][0].partition(".")[2])
        for shown, held in ((value, one["value"]), (low, one["lower"]), (high, one["upper"])):
            assert abs(shown - held) <= digit, name
        farther = max(one["upper"] - one["value"], one["value"] - one["lower"])
        assert half == pytest.approx(farther, abs=digit)
    torques = np.abs([nodes.sent[x][2] for x in stamps]).max(axis=0)
    for joint, largest in zip(JOINTS, torques, strict=True):
        assert float(table[joint][3].split()[0]) == pytest.approx(largest, rel=0.01)
    assert "bit for bit" in page and "**GOOD.**" in page
    run = (saved / "payload_id_run.npz").read_bytes()
    assert hashlib.sha256(run).hexdigest() in page
    out = tmp_path / "run.html"
    assert payload_id(capsys, "report", saved, "--out", out).code == 0
    html = out.read_text()
    assert "GOOD" in html and table["mass"][0] in html and "bit for bit" in html
    assert not re.search(r"(src|href)=.?(http|//)", html)  # it needs no other file


def matrix(six: Any) -> np.ndarray:
    """Return the inertia matrix of its six elements, row by row."""
    return np.array([six[[0, 1, 2]], six[[1, 3, 4]], six[[2, 4, 5]]])


def test_an_export_of_a_run_is_of_its_payload(nodes, made, saved, capsys):
    told = yaml.safe_load(payload_id(capsys, "load", "export", saved, "--as", "yaml").out)
    estimate = made[0].inertia
    assert told["mass"] == pytest.approx(estimate.m)
    assert told["center_of_mass"] == pytest.approx([estimate.com.x, estimate.com.y, estimate.com.z])
    for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        assert told["inertia"][name] == pytest.approx(getattr(estimate, name))
    assert told["mass_interval"] == [made[0].lower[0], made[0].upper[0]] and told["frame"] == "tool"


def test_what_the_payload_does_to_the_joints_is_its_own_inverse_dynamics(nodes, made, phi):
    """Mean torques and wrench of the estimate over windows; the bounds hold those of the truth."""
    box = nodes.observer.listen(PayloadEffort, f"{ESTIMATOR}/payload_effort")
    wrenches = nodes.observer.listen(WrenchStamped, f"{ESTIMATOR}/payload_wrench")
    motion, tau = measured(nodes, phi, 13, 1.2)
    stamps = np.array(nodes.send(motion, tau))
    nodes.observer.wait(lambda: len(box) >= 8 and len(wrenches) >= 8, "torques of the payload")
    alone = [share_of(nodes, motion, x) for x in (np.array(made[0].phi), phi)]
    for message in box:
        end = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        inside = (stamps <= end) & (stamps >= end - round(1e9 * message.window))
        if inside.sum() < 5 or stamps[inside][-1] != end:
            continue
        own, true = (over(x[inside]) for x in alone)
        np.testing.assert_allclose(message.torque, own[:4], rtol=1e-3, atol=5e-3)
        assert (message.torque_lower <= true[:4]).all() and (true[:4] <= message.torque_upper).all()
        force, turn = message.wrench.force, message.wrench.torque
        told = [force.x, force.y, force.z, turn.x, turn.y, turn.z]
        np.testing.assert_allclose(told, own[4:], rtol=5e-3, atol=5e-3)
        assert (message.wrench_lower <= true[4:]).all() and (true[4:] <= message.wrench_upper).all()
        assert (np.array(message.external_lower) <= 0).all()
        assert (np.array(message.external_upper) >= 0).all()
        width = np.subtract(message.torque_upper, message.torque_lower)
        assert (width < 1.0 + 0.3 * np.abs(message.torque)).all()
    assert message.header.frame_id == "tool" and list(message.joints) == list(JOINTS)


def over(rows: np.ndarray) -> np.ndarray:
    """Return the mean of samples over the time between the first and the last."""
    return (rows[:-1] + rows[1:]).mean(axis=0) / 2


def share_of(nodes: Listeners, motion: Motion, phi: np.ndarray) -> np.ndarray:
    """Return the joints' torques and the tool's wrench that a payload takes, shape (N, 10)."""
    torques = nodes.arm.torques(motion, phi) - nodes.arm.torques(motion, np.zeros(10))
    return np.hstack([torques, wrench_of(nodes.arm, motion, phi)])


def test_a_contact_is_certain_while_something_pushes_and_never_else(nodes, made, phi):
    box = nodes.observer.listen(Contact, f"{ESTIMATOR}/contact", LATCHED)
    efforts = nodes.observer.listen(PayloadEffort, f"{ESTIMATOR}/payload_effort")
    motion, tau = measured(nodes, phi, 14, 1.0)
    nodes.send(motion, tau)
    seen = len(efforts)
    assert not any(x.certain for x in box)
    pushed, push = push_of(nodes, motion, np.array([0.0, 0.0, -60.0]))
    stamps = np.array(nodes.send(motion, tau - pushed))
    nodes.observer.wait(lambda: box and box[-1].certain, "a contact that is certain")
    told = box[-1]
    assert 0.0 < told.least_force <= push and 0.0 < told.least_torque <= np.abs(pushed).max()
    assert set(told.joints) <= set(JOINTS) and told.joints
    for message in efforts[seen:]:
        end = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        inside = (stamps <= end) & (stamps >= end - round(1e9 * message.window))
        if inside.sum() > round(250 * message.window):
            mean = over(pushed[inside])
            assert (message.external_lower <= mean).all() and (mean <= message.external_upper).all()
    nodes.send(motion, tau)
    nodes.observer.wait(lambda: not box[-1].certain, "the end of the contact")


def push_of(nodes: Listeners, motion: Motion, force: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the torques that a force at the tool, in the base's axes, has on the joints."""
    model = nodes.arm.model
    data, frame = model.createData(), model.getFrameId("tool")
    along = pin.LOCAL_WORLD_ALIGNED
    jacobians = (pin.computeFrameJacobian(model, data, q, frame, along)[:3] for q in motion.q)
    return np.array([J.T @ force for J in jacobians]), float(np.linalg.norm(force))


def test_what_is_held_out_is_predicted_unless_the_payload_is_another(nodes, made, phi):
    motion, tau = measured(nodes, phi, 15)
    heavier = tau + nodes.arm.torques(motion, 1.6 * phi) - nodes.arm.torques(motion, phi)
    for later, agrees in ((tau, True), (heavier, False)):
        nodes.begin()
        nodes.send(part(motion, 0, 300), tau[:300])
        assert nodes.trigger("hold_out").success
        nodes.send(part(motion, 300, 500), later[300:], pause_ns=0)
        told = nodes.observer.call(Validate, f"{ESTIMATOR}/validate")
        assert told.success and told.agrees == agrees, told.message
        assert told.seconds == pytest.approx(0.8, abs=0.25)
        assert (told.largest_use <= 1.0) == agrees
        assert nodes.trigger("stop").success == agrees


def part(motion: Motion, begin: int, end: int) -> Motion:
    """Return some samples of a motion."""
    rows = (getattr(motion, x)[begin:end] for x in ("time", "q", "dq", "ddq"))
    return Motion(*rows)


def test_a_tare_and_a_known_mass_narrow_a_run_and_are_repeated(nodes, made, phi, capsys):
    nodes.begin()
    nodes.send(*measured(nodes, np.zeros(10), 17))
    answer = nodes.trigger("tare")
    assert answer.success and "without payload" in answer.message
    nodes.trigger("stop")
    known = [phi[0] + 0.004, 0.005]
    begin = f"{ESTIMATOR}/begin"
    refused = nodes.observer.call(BeginRun, begin, known_mass=known, enough=[0.1])
    assert not refused.success and "three numbers" in refused.message
    answer = nodes.observer.call(BeginRun, begin, known_mass=known, enough=[1e-9] * 3)
    assert answer.success and answer.tared and Path(answer.recording) == nodes.recording
    nodes.send(*measured(nodes, phi, 12))
    nodes.trigger("stop")
    tared = nodes.get().estimate
    assert contains(tared, phi) and tared.status == tared.TOO_WIDE
    assert known[0] - known[1] <= tared.lower[0] + 1e-9 and tared.upper[0] <= sum(known) + 1e-9
    plain = made[0]
    width = np.subtract(tared.upper, tared.lower) / np.subtract(plain.upper, plain.lower)
    assert (width < 1.01).all() and width[3] < 0.8
    folder = nodes.observer.call(Save, f"{ESTIMATOR}/save", path="").path
    same_bits(replayed(capsys, folder), tared)
    path = Path(folder) / "payload_id_run.npz"
    as_saved = path.read_bytes()
    for part in ("knowledge", "tare"):  # with another's numbers in their place
        with ZipFile(path) as held:
            members = {name: held.read(name) for name in held.namelist()}
        with ZipFile(path, "w") as altered:
            for name, content in members.items():
                if part in name and name.endswith("npy"):
                    content = content[:-8] + bytes(8)
                altered.writestr(name, content)
        answer = payload_id(capsys, "identify", folder)
        assert is_one_sentence(answer) and "changed" in answer.text, answer
        path.write_bytes(as_saved)
    assert "a tare" in nodes.trigger("reset").message  # forgotten
    again = nodes.observer.call(BeginRun, begin, known_mass=[])
    assert again.success and not again.tared
    assert nodes.get().estimate.samples == 0
    nodes.trigger("stop")


# --------------------------------------------------------------- an xArm7 with a wrench sensor

OF_SENSOR = """---
force_error: 0.05
torque_error: 0.01
linear_acceleration_error: 0.3
angular_acceleration_error: 0.5
prior: {mass_max: 3.0, com_max: 0.3}
...
"""
RATE = 125.0  # of joint states and wrenches [Hz]


class Sensor:
    """Wrench sampler and estimator, and the drivers of an xArm7 and of the sensor on its flange."""

    def __init__(self, folder: Path) -> None:
        self.arm, self.domain = Arm("xarm7"), next_domain()
        bounds = folder / "sensor.yaml"
        bounds.write_text(OF_SENSOR)
        self.observer = Observer(self.domain)
        self.blocks = self.observer.listen(WrenchBlock, "/payload_sampler/samples")
        self.estimates = self.observer.listen(PayloadEstimate, f"{ESTIMATOR}/payload", LATCHED)
        self.nodes = [
            NodeProcess("sampler", self.domain, folder, "-r", "wrench:=/ft", robot_file="xarm7",
                        source="wrench", wrench_sign=-1.0, bag=folder / "bag"),
            NodeProcess("estimator", self.domain, folder, robot_file="xarm7", source="wrench",
                        wrench_uncertainty=bounds, recordings_folder=folder),
        ]  # fmt: skip
        self.states = self.observer.publisher(JointState, "/joint_states")
        self.sensor = self.observer.publisher(WrenchStamped, "/ft")
        self.observer.wait(
            lambda: self.observer.node.count_subscribers("/payload_sampler/samples") >= 2, "both"
        )

    def send(self, motion: Motion, wrench: np.ndarray, start_ns: int = START_NS) -> None:
        """Publish a motion, and what a sensor says that counts what the payload exerts."""
        for k, t in enumerate(motion.time):
            state = JointState(name=list(self.arm.file.joints), position=motion.q[k].tolist())
            state.velocity = motion.dq[k].tolist()
            stamp = start_ns + round(1e9 * t)
            self.states.publish(time_of(state, stamp))
            said = time_of(WrenchStamped(), stamp)
            said.header.frame_id = self.arm.file.payload_frame
            for one, values in (
                (said.wrench.force, wrench[k, :3]),
                (said.wrench.torque, wrench[k, 3:]),
            ):
                one.x, one.y, one.z = map(float, -values)
            self.sensor.publish(said)
            self.observer.executor.spin_once(timeout_sec=0.0)

    def trigger(self, name: str) -> Any:
        return self.observer.call(Trigger, f"{ESTIMATOR}/{name}")

    def close(self) -> None:
        assert [node.stop() for node in self.nodes] == [0, 0], [x.printed for x in self.nodes]
        self.observer.close()


def test_an_arm_with_a_wrench_sensor_identifies_and_its_run_is_repeated(tmp_path, capsys):
    sensor, rng = Sensor(tmp_path), np.random.default_rng(21)
    try:
        phi, arm = drawn_payload(rng, 0.8, 1.5), sensor.arm
        motion = arm.motion(rng, 4.0, RATE, 0.3)
        wrench = wrench_of(arm, motion, phi) + rng.uniform(-1, 1, (500, 6)) * (
            [0.04] * 3 + [0.008] * 3
        )
        bias = np.array([2.0, -1.0, 5.0, 0.1, 0.2, -0.1])
        answer = sensor.trigger("start")
        assert answer.success, answer.message
        sensor.send(motion, wrench + bias)
        seen = lambda: sum(len(block.stamp_ns) for block in sensor.blocks)  # noqa: E731
        sensor.observer.wait(lambda: seen() > 380, "wrenches, but for those whose motion goes on")
        answer = sensor.trigger("stop")
        assert answer.success, answer.message
        estimate = sensor.observer.call(GetEstimate, f"{ESTIMATOR}/get_estimate").estimate
        assert estimate.status in GOOD and contains(estimate, phi), estimate.message
        assert estimate.phi[0] == pytest.approx(phi[0], rel=0.01)
        assert estimate.header.frame_id == arm.file.payload_frame
        saved = sensor.observer.call(Save, f"{ESTIMATOR}/save", path="")
        same_bits(replayed(capsys, saved.path), estimate)
    finally:
        sensor.close()


def wrench_of(arm: Arm, motion: Motion, phi: np.ndarray) -> np.ndarray:
    """Return what the flange exerts on a payload, in the payload frame about its origin."""
    model = arm.model
    data, frame = model.createData(), model.getFrameId(arm.file.payload_frame)
    body, wrench = pin.Inertia.FromDynamicParameters(phi[TO_PINOCCHIO]), []
    for q, dq, ddq in zip(motion.q, motion.dq, motion.ddq, strict=True):
        pin.forwardKinematics(model, data, arm.configuration(q), dq, ddq)
        pin.updateFramePlacements(model, data)
        v = pin.getFrameVelocity(model, data, frame, pin.LOCAL)
        a = pin.getFrameAcceleration(model, data, frame, pin.LOCAL)
        a = pin.Motion(a.linear - data.oMf[frame].rotation.T @ arm.file.gravity, a.angular)
        wrench.append((body * a + v.cross(body * v)).vector)
    return np.array(wrench)


# ------------------------------------------------------------------------------------- a team


@pytest.fixture(scope="module")
def held() -> HeldTeam:
    return HeldTeam.drawn(np.random.default_rng(31))


@pytest.fixture(scope="module")
def team(held, tmp_path_factory):
    """Give an observer, the node's estimate after a run, and the folder that it was saved in."""
    folder, domain = tmp_path_factory.mktemp("team"), next_domain()
    (folder / "team.yaml").write_text(TEAM)
    node = NodeProcess("team", domain, folder, team_file=folder / "team.yaml",
                       runs_folder=folder / "runs", update_period=2.0)  # fmt: skip
    observer, seconds = Observer(domain), 11.0
    try:
        said = messages(held, np.random.default_rng(32), seconds)
        speak = [{kind: observer.publisher(KINDS[kind], f"/{name}/grasp/{kind}") for kind in KINDS}
                 for name in TEAM_NAMES]  # fmt: skip
        assert observer.call(Trigger, "/payload_team/start").success
        for k in range(len(said[0]["pose"])):
            for robot, topics in zip(said, speak, strict=True):
                for kind, publisher in topics.items():
                    publisher.publish(robot[kind][k])
            observer.executor.spin_once(timeout_sec=0.0)

        def heard() -> bool:
            found = observer.call(GetTeamEstimate, "/payload_team/get_estimate").estimate
            return all(x.received >= len(said[0]["pose"]) for x in found.members)

        observer.wait(heard, "all messages at the node")
        answer = observer.call(Trigger, "/payload_team/stop")
        assert answer.success, answer.message
        estimate = observer.call(GetTeamEstimate, "/payload_team/get_estimate").estimate
        saved = observer.call(Save, "/payload_team/save", path="")
        assert saved.success, saved.message
        yield observer, estimate, Path(saved.path)
        assert node.stop() == 0 and "Traceback" not in node.printed, node.printed
    finally:
        node.stop()
        observer.close()


def test_a_team_finds_its_payload_and_where_each_robot_holds_it(team, held):
    observer, estimate, _ = team
    assert estimate.status in (TeamEstimate.GOOD, TeamEstimate.TOO_WIDE), estimate.message
    assert contains(estimate, held.phi)
    assert estimate.header.frame_id == "left/grasp" and estimate.reference == "left"
    assert estimate.phi[0] == pytest.approx(held.phi[0], rel=0.02)
    frames = {x.robot: x for x in estimate.frames}
    for i, name in enumerate(TEAM_NAMES[1:], start=1):
        place, turn = frames[name].transform.translation, frames[name].transform.rotation
        away = np.abs([place.x, place.y, place.z] - held.p[i])
        assert (away <= np.array(frames[name].position_bound) + 1e-9).all()
        assert max(frames[name].position_bound) < 0.05
        given = Rotation.from_quat([turn.x, turn.y, turn.z, turn.w])
        off = (given.inv() * Rotation.from_matrix(held.R[i])).as_rotvec()
        assert (np.abs(off) <= np.array(frames[name].rotation_bound) + 1e-9).all()
        assert max(frames[name].rotation_bound) < 0.05
    other = observer.call(GetGraspTransform, "/payload_team/get_grasp_transform",
                          from_robot="right", to_robot="front")  # fmt: skip
    place = other.transform.transform.translation
    expected = held.R[1].T @ (held.p[2] - held.p[1])
    away = np.abs([place.x, place.y, place.z] - expected)
    assert other.success and (away <= np.array(other.position_bound) + 1e-9).all()


def test_every_robot_of_a_team_is_told_what_it_carries_in_its_own_frame(team, held):
    observer, estimate, _ = team
    total = 0.0
    for i, name in enumerate(TEAM_NAMES):
        box = observer.listen(GravityShare, f"/{name}/payload_share", LATCHED)
        observer.wait(lambda box=box: box and box[-1].valid, f"the share of {name}")
        share, com = box[-1], held.R[i].T @ (held.phi[1:4] / held.phi[0] - held.p[i])
        assert share.header.frame_id == f"{name}/grasp" and share.mass == estimate.phi[0]
        assert share.mass_lower <= held.phi[0] <= share.mass_upper
        ends = [[getattr(x, axis) for axis in "xyz"] for x in (share.com_lower, share.com_upper)]
        assert (ends[0] <= com).all() and (com <= ends[1]).all()
        assert share.mass_share == pytest.approx(share.share * share.mass)
        total += share.mass_share
    assert total == pytest.approx(held.phi[0], rel=0.05)


def test_a_saved_run_of_a_team_is_repeated_bit_for_bit(team, capsys, tmp_path):
    _, estimate, folder = team
    said = payload_id(capsys, "identify", folder)
    assert said.code == 0 and "bit for bit" in said.text, said.text
    told = replayed(capsys, folder)
    assert told["phi"] == list(estimate.phi) and told["upper"] == list(estimate.upper)
    copy = tmp_path / "run"
    shutil.copytree(folder, copy)
    for file in sorted(x for x in copy.iterdir() if x.is_file()):
        whole = file.read_bytes()
        for content in (whole[:-1], whole[: len(whole) // 2], b""):
            file.write_bytes(content)
            answer = payload_id(capsys, "identify", copy)
            assert is_one_sentence(answer) or answer.out == said.out, (file.name, answer)
        file.write_bytes(whole)
    assert is_one_sentence(payload_id(capsys, "identify", folder, "--estimator", "ols"))


# ----------------------------------------------------------- a Gen3, identified in one goal

TRUTH = drawn_payload(np.random.default_rng(41), 0.7, 1.2)
GEN3 = """---
extends: package://payload_id/config/robots/kinova_gen3.yaml
name: gen3
uncertainty:
  torque_absolute: 0.0
  torque_offset: 0.0
  friction_coulomb: 0.0
  friction_viscous: 0.0
  rotor_inertia: 0.0
  prior: {mass_max: 1.6, com_max: 0.25}
...
"""
OF_MOTION = {
    "cell": "none, a simulation",
    "payload_box": "[0.18, 0.18, 0.18]",
    "payload_box_centre": "[0.0, 0.0, 0.1]",
}
SELDOM = {"payload_estimator:update_period": 2.0, "payload_estimator:intervals": "hull_lp"}
GOAL = ExcitationGoal(family="bezier", duration=4.0, speed_scale=0.6, time_budget=1.0, seed=3)


@pytest.fixture(scope="module")
def identified(tmp_path_factory):
    """Give the result of `~/identify`, its feedback, and what the arm published meanwhile."""
    folder, domain = tmp_path_factory.mktemp("gen3"), next_domain()
    file = folder / "gen3.yaml"
    file.write_text(GEN3)
    of_all = {"robot_file": file, "use_sim_time": True}  # the arm falls behind on a busy machine
    nodes = [
        NodeProcess("simulated_arm", domain, folder, robot_file=file, rate=100.0, seed=5,
                    link_relative=0.05, torque_relative=0.025, physics_step=1e-3,
                    publish_clock=True, payload=TRUTH.tolist()),
        NodeProcess("identify", domain, folder, bag=folder / "bag", recordings_folder=folder,
                    **of_all, **SELDOM),
        NodeProcess("bridge", domain, folder, **of_all, **OF_MOTION),
        NodeProcess("planner", domain, folder, limits="safety_warning",
                    certificates_folder=folder / "certificates", **of_all, **OF_MOTION),
    ]  # fmt: skip
    observer = Observer(domain)
    states = observer.listen(JointState, "/joint_states")
    truth = observer.listen(String, "/simulated_arm/truth", LATCHED)
    try:
        observer.wait(lambda: observer.is_ready("payload_planner", "payload_bridge"), "both", 180.0)
        handle, future, feedback = observer.goal(
            Identify, "/payload_planner/identify", one_motion=True, goal=GOAL, requested_by="Ada"
        )
        assert handle.accepted
        result, _ = observer.result(future, 120.0)
        observer.wait(lambda: truth, "what was simulated")
        yield result, feedback, states, json.loads(truth[-1].data)
        codes = [node.stop() for node in nodes[1:]]
        assert codes == [0, 0, 0], [node.printed for node in nodes]
    finally:
        for node in nodes:
            node.stop()
        observer.close()


def test_one_goal_identifies_the_payload_of_a_gen3(identified):
    result, feedback, states, simulated = identified
    assert result.success and result.error_code == Identify.Result.NONE, result.message
    estimate = result.estimate
    assert estimate.status in GOOD and contains(estimate, TRUTH)
    assert simulated["payload_phi"] == pytest.approx(TRUTH.tolist())
    assert estimate.phi[0] == pytest.approx(TRUTH[0], rel=0.1)
    assert np.subtract(estimate.upper, estimate.lower)[0] < 0.8 * TRUTH[0]
    assert result.validated and result.at_rest and result.recording and result.saved
    assert result.reason.code == StopReason.COMPLETED and 0.0 < result.largest_use <= 1.0
    assert result.seconds > 3.0 and result.pieces == 1
    progress = [x.progress for x in feedback]
    assert progress == sorted(progress) and progress[-1] > 0.5
    seen = [x.state for x in feedback]
    assert seen == sorted(seen) and Identify.Feedback.EXCITING in seen
    moved = np.ptp([x.position for x in states], axis=0)
    assert (moved > 0.02).sum() >= 5
    assert max(np.abs(states[-1].velocity)) < 0.02


def test_the_run_of_that_goal_is_on_disk_and_repeated_bit_for_bit(identified, capsys):
    result, _, states, _ = identified
    same_bits(replayed(capsys, result.saved), result.estimate)
    file = RobotFile.load("kinova_gen3")
    recording = Recording.from_bag(result.recording, joints=file.joints,
                                   effort_sign=tuple(file.effort.sign))  # fmt: skip
    sent = {x.header.stamp.sec * 10**9 + x.header.stamp.nanosec: x for x in states}
    stamps = recording.start_ns + np.rint(recording.stamp * 1e9).astype(np.int64)
    assert len(stamps) > 300
    for k, stamp in enumerate(stamps):
        if int(stamp) in sent:
            assert recording.q[k].tolist() == list(sent[int(stamp)].position)
            assert (-recording.tau[k]).tolist() == list(sent[int(stamp)].effort)
    missing = [x for x in sent if stamps[0] < x < stamps[-1] and x not in set(stamps.tolist())]
    assert not missing


def test_its_motion_is_proved_again_from_the_saved_certificate(identified, capsys):
    motion = Path(identified[0].certificates) / "motion.json"
    answer = payload_id(capsys, "certificate", "verify", motion, "--cell", OF_MOTION["cell"],
                        "--json", "--samples", 200)  # fmt: skip
    assert answer.code == 0 and json.loads(answer.out)["verified"] is True, answer.text
