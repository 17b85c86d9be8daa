"""Data that contradict what is stated are called false, with joint and cause; honest ones not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from payload_id import (
    OnlineIdentifier,
    PayloadPrior,
    Recording,
    Settings,
    Status,
    Uncertainty,
    WrenchUncertainty,
    identify,
    identify_wrench,
)

from .arms import Arm, drawn_payload
from .errors import Run, everything
from .sensors import Handling, tilted
from .sliding_arm import sliding_arm

BOUNDS = Uncertainty(
    torque_relative=0.01, torque_absolute=0.03, torque_offset=0.05, link_relative=0.02,
    friction_coulomb=0.05, friction_viscous=0.05, position_error=1e-4, velocity_error=1e-3,
    prior=PayloadPrior(mass_max=5.0, com_max=0.5),
)  # fmt: skip
DRAWN = replace(BOUNDS, friction_coulomb=0.02)
Fault = Callable[[Run, Recording], Recording]


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return sliding_arm(tmp_path_factory.mktemp("arm"))


def honest(arm: Arm, seed: int) -> tuple[Run, Recording]:
    rng = np.random.default_rng(seed)
    phi = drawn_payload(rng, 0.8)
    run = Run.drawn(arm, rng, phi, seconds=2.0, rate=200.0, size=0.5)
    return run, everything(run, DRAWN, rng)


def changed(joint: int | None = None, **columns: Callable) -> Fault:
    """Return a fault that changes columns of one joint, or of all."""

    def fault(run: Run, recording: Recording) -> Recording:
        made = {name: getattr(recording, name).copy() for name in ("q", "dq", "tau")}
        for name, change in columns.items():
            which = slice(None) if joint is None else joint
            made[name][:, which] = change(made[name][:, which])
        return replace(recording, **made)

    return fault


def with_torques(make: Callable[[Run, np.ndarray], np.ndarray]) -> Fault:
    return lambda run, recording: replace(recording, tau=make(run, recording.tau.copy()))


def upside_down(run: Run, tau: np.ndarray) -> np.ndarray:
    model, m = run.arm.loaded(run.phi), run.motion
    model.gravity.linear = -model.gravity.linear
    data = model.createData()
    return np.array([pin.rnea(model, data, run.arm.configuration(q), v, a)
                     for q, v, a in zip(m.q, m.dq, m.ddq, strict=True)])  # fmt: skip


def slipped(run: Run, tau: np.ndarray) -> np.ndarray:
    other = run.phi * 1.8
    other[1:4] += [0.1, 0.05, -0.05]
    later = run.motion.time > 1.03
    tau[later] = run.arm.torques(run.motion, other)[later]
    return tau


def touched(run: Run, tau: np.ndarray) -> np.ndarray:
    model = run.arm.loaded(run.phi)
    data, frame = model.createData(), model.getFrameId(run.arm.file.payload_frame)
    for k in np.flatnonzero(abs(run.motion.time - 1.05) < 0.25):
        q = run.arm.configuration(run.motion.q[k])
        J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
        rise = np.sin(np.pi * (run.motion.time[k] - 0.8) / 0.5)
        tau[k] -= J[:3].T @ np.array([15.0, 10.0, -20.0]) * rise
    return tau


def without_weight(run: Run, tau: np.ndarray) -> np.ndarray:
    still = replace(run.motion, dq=0 * run.motion.dq, ddq=0 * run.motion.ddq)
    return tau - run.arm.torques(still, np.zeros(10))


def late(run: Run, tau: np.ndarray) -> np.ndarray:
    t = run.motion.time
    return np.array([np.interp(t - 0.03, t, x) for x in tau.T]).T


def rubbing(run: Run, tau: np.ndarray) -> np.ndarray:
    tau[:, 1] += np.sign(run.motion.dq[:, 1])
    return tau


def without_tool(run: Run, tau: np.ndarray) -> np.ndarray:
    """Torques of an arm whose description has half the payload more than there is."""
    return tau - 1.5 * (run.tau - run.arm.torques(run.motion, np.zeros(10)))


def too_heavy(run: Run, tau: np.ndarray) -> np.ndarray:
    return run.arm.torques(run.motion, run.phi / run.phi[0] * 9.0)


def other_links(run: Run, tau: np.ndarray) -> np.ndarray:
    """Torques of bodies every parameter of which is off by 15 %, by signs of no meaning."""
    links = run.arm.links()
    signs = np.random.default_rng(2).choice([-1, 1], links.shape)
    return run.arm.torques(run.motion, run.phi, links * (1 + 0.15 * signs))


def exchanged(columns: np.ndarray) -> np.ndarray:
    return columns[:, [1, 0, 2, 3]]


def stuck(columns: np.ndarray) -> np.ndarray:
    return np.where(np.arange(len(columns)) < 200, columns, columns[200])


# fault, cause, words of the message in their order
CONVENTIONS = (
    (changed(2, tau=np.negative), "torque sign", ("swing_joint has the opposite sign",)),
    (changed(tau=lambda x: 100 * x), "units", ("N cm",)),
    (changed(tau=exchanged), "joint order", ("efforts of lift_joint and slide_joint",)),
    (
        changed(tau=exchanged, q=exchanged, dq=exchanged), "joint order",
        ("columns of lift_joint and slide_joint",),
    ),
    (with_torques(without_weight), "kind of efforts", ("What the links weigh",)),
)  # fmt: skip
SENSORS = (
    (changed(1, tau=lambda x: x + 3), "torque offset", ("slide_joint is off by about 3",)),
    (changed(1, tau=lambda x: 1.6 * x), "torque gain", ("slide_joint is about 0.6",)),
    (changed(0, q=lambda x: x + 0.15), "joint zero", ("lift_joint are about 8.", "deg more")),
    (changed(0, tau=lambda x: 0 * x + 3.3), "stuck torque", ("torque sensor of lift_joint", "3.3")),
    (changed(3, tau=stuck), "stuck torque", ("torque sensor of wrist_joint", "from 1.00 s")),
    (changed(2, dq=lambda x: 1.1 * x), "velocity", ("swing_joint", "1.1 times")),
    (with_torques(late), "torque delay", ("30 ms late",)),
)
ARM = (
    (with_torques(upside_down), "gravity direction", (", 9.8", "180 deg")),
    (with_torques(rubbing), "friction", ("joints with most: slide_joint",)),
    (with_torques(other_links), "link model", ("more than link_relative",)),
)
PAYLOAD = (
    (with_torques(slipped), "payload slipped", ("moved or changed at about 1.0",)),
    (with_torques(touched), "contact", ("0.80 s to 1.30 s",)),
    (with_torques(without_tool), "wrong tool", ("kg less than the robot description",)),
    (with_torques(too_heavy), "prior", ("about 9 kg", "prior.mass_max")),
)
SEED = 41


def are_named(arm: Arm, faults) -> None:
    run, recording = honest(arm, SEED)
    for fault, cause, words in faults:
        found = identify(fault(run, recording), arm.robot, BOUNDS)
        said = (cause, found.status, found.cause, found.message)
        assert found.status is Status.INCONSISTENT, said
        assert found.cause.split(" or ")[0] == cause, said
        place = -1
        for word in words:
            assert (place := found.message.find(word, place + 1)) >= 0, (word, *said)
        if np.isfinite(found.noise_factor):
            assert found.noise_factor > 1.0 and np.isinf(found.upper).all(), said
            assert {x[0] for x in found.blame} <= set(arm.file.joints)
            assert cause == "velocity" or abs(sum(x[3] for x in found.blame) - 1) < 0.5


@pytest.mark.slow
def test_wrong_conventions_are_named(arm):
    are_named(arm, CONVENTIONS)


@pytest.mark.slow
def test_false_sensors_are_named_with_their_joints(arm):
    are_named(arm, SENSORS)


@pytest.mark.slow
def test_a_false_description_is_named(arm):
    are_named(arm, ARM)


@pytest.mark.slow
def test_what_the_payload_does_is_named_with_its_time(arm):
    are_named(arm, PAYLOAD)


def test_positions_in_degrees_are_named_where_no_sample_is_left(arm):
    run, recording = honest(arm, SEED)
    for made in ({"q": np.rad2deg}, {"q": np.rad2deg, "dq": np.rad2deg}):
        false = recording
        for joint in (0, 2, 3):  # those that turn
            false = changed(joint, **made)(run, false)
        found = identify(false, arm.robot, BOUNDS)
        assert found.status in (Status.NO_DATA, Status.INCONSISTENT)
        assert found.lower[0] <= 0.0, found.message
        assert sum(found.false_samples.values()) > 300 or "deg" in found.message


def test_nobody_is_called_false_in_honest_runs(arm):
    """Other seeds, payloads and motions; noise of either kind, in one piece and growing."""
    for number, kind in enumerate(("uniform", "worst") * 2):
        rng = np.random.default_rng(100 + number)
        run = Run.drawn(arm, rng, drawn_payload(rng), seconds=1.3, rate=250.0, size=0.5)
        online = OnlineIdentifier(arm.robot, Settings(BOUNDS))
        recording = everything(run, BOUNDS, rng, kind)
        for start in (0, 150):
            online.add(recording.part(start, start + 150))
            found = online.update()
            assert found.status not in (Status.INCONSISTENT, Status.NO_DATA), found.message
            assert not found.cause and not found.blame and not found.false_samples
        assert found.contains(run.phi).all()


@pytest.mark.slow
def test_another_payload_begins_a_new_run_in_growing_data(arm):
    """What came before a change is left out once a second of the new payload is consistent."""
    run, recording = honest(arm, 43)
    rng = np.random.default_rng(44)
    other = Run(arm, run.motion, drawn_payload(rng, 2.5, 3.0), run.signs)
    later = everything(other, DRAWN, rng)
    later = replace(later, stamp=later.stamp + recording.stamp[-1] + 0.005)
    online = OnlineIdentifier(arm.robot, Settings(BOUNDS))
    online.add(recording)
    assert online.update().contains(run.phi).all()
    for start in (0, 240):
        online.add(later.part(start, start + 240))
        found = online.update()
    assert found.status is not Status.INCONSISTENT and found.contains(other.phi).all()
    assert abs(online.changed_at - recording.stamp[-1]) < 0.2 and f"{2.0:.1f}" in found.message
    assert not found.contains(run.phi)[0]


def test_a_payload_that_was_not_there_is_no_tare(arm):
    run, recording = honest(arm, 45)
    online = OnlineIdentifier(arm.robot, Settings(BOUNDS))
    online.add(recording)
    with pytest.raises(Exception, match="No tare was made: if nothing was in the hand"):
        online.tare()
    with pytest.raises(Exception, match="if this payload was"):
        online.tare(1.3 * run.phi)
    online.tare(run.phi)
    assert online.tared


# The sensor at the wrist.


def test_a_false_wrench_is_named():
    rng = np.random.default_rng(3)
    phi = drawn_payload(rng, 1.0)
    samples = Handling.drawn(rng).samples(phi)
    bounds = WrenchUncertainty(
        force_error=0.2, torque_error=0.02, force_bias=1.0, torque_bias=0.1,
        prior=PayloadPrior(5.0, 0.5),
    )  # fmt: skip
    push = (abs(samples.stamp - 1.0) < 0.15)[:, None] * np.array([8.0, -5.0, 3.0, 0.5, 0.8, 0.0])
    turned = np.kron(np.eye(2), [[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for false, words in (
        (samples.with_wrench(-samples.wrench), ("sign",)),
        (samples.with_wrench(samples.wrench @ turned.T), ("turned", "frame", "axes")),
        (tilted(samples, 0.5), ("gravity", "orientation", "tilt")),
        (samples.with_wrench(samples.wrench + push), ("0.8", "0.9", "contact", "touch")),
    ):
        found = identify_wrench(false, bounds)
        said = (words, found.status, found.cause, found.message)
        assert found.status is Status.INCONSISTENT and found.noise_factor > 1.1, said
        assert any(word in found.message for word in words), said
    honest = identify_wrench(samples, bounds)
    assert honest.contains(phi).all() and not honest.diagnosis and honest.contamination is None
