"""What is certified keeps its limits at every instant, for all that was stated; else it is refused.

The worst that a motion does is searched by means of its own (`worst.py`): nothing may be worse than
a certificate says, nor far better. With limits just below that worst a motion is refused, with the
constraint, the joint or pair, and the time; with limits just above it, it is certified.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from payload_id import (
    Certificate,
    ConvexBody,
    FourierSeries,
    MotionPlan,
    NotCertifiedError,
    PayloadIdError,
    PayloadPrior,
    Refusal,
    RobotFile,
    SpeedLimits,
    certify,
    load_certificate,
    motion_through,
    plan,
    verify,
)

from .arms import Arm
from .files import digest
from .sliding_arm import sliding_arm
from .worst import SPEEDS, Found, Worst

NOBODY = "none, a test"
CLEARANCES = ("self-collision", "obstacles", "payload volume")
PRIOR = PayloadPrior(mass_max=1.5, com_max=0.12)
LIGHT = PayloadPrior(mass_max=0.8, com_max=0.1)
BOX, CENTRE = (0.1, 0.1, 0.1), (0.0, 0.0, 0.07)
CRATE = ConvexBody.primitive("box", (0.3, 0.3, 0.3), translation=(0.6, 0.5, 0.2), name="crate")
HOME = np.array([0.0, 0.26, 3.14, -2.27, 0.0, 0.96, 1.57])
NONE = (np.zeros(10), np.zeros(10))  # no payload
ROOMY = {
    "position_lower": [None, -3.0, None, -3.0, None, -3.0, None],
    "position_upper": [None, 3.0, None, 3.0, None, 3.0, None],
    "velocity": [20.0] * 7,
    "acceleration": [200.0] * 7,
    "effort": [400.0, 400.0, 400.0, 400.0, 100.0, 100.0, 100.0],
}
# By how much a certificate may be more careful than the worst that is found.
SLACK = {
    "position": 1e-4, "velocity": 1e-3, "acceleration": 0.01, "torque": 0.13, "holding torque": 0.2,
    "tool speed": 0.2, "payload speed": 0.2, "elbow speed": 0.2, "kinetic energy": 0.1,
}  # fmt: skip


def sharp(folder: Path, base: str = "kinova_gen3", **stated: Any) -> Arm:
    """Return an arm of which next to nothing is uncertain, but for what is stated.

    Args:
        folder: For its robot file.
        base: The shipped arm that it is else.
        stated: `control`, `uncertainty`, `limits` (one set) and `file` (further sections).
    """
    nothing = ("link_relative", "friction_coulomb", "friction_viscous", "rotor_inertia",
               "stiction_velocity")  # fmt: skip
    content = {
        "extends": f"package://payload_id/config/robots/{base}.yaml",
        "name": "sharp",
        "control": {
            "tracking_position": 1e-4, "tracking_velocity": 1e-3, "tracking_acceleration": 1e-2,
            **stated.get("control", {}),
        },
        **stated.get("file", {}),
        "uncertainty": {**dict.fromkeys(nothing, 0.0), **stated.get("uncertainty", {})},
        "driver": {"goal": {"path": 1.0, "end": 1.0}},
        "limits": {"use": "own", "sets": {"own": {**ROOMY, **stated.get("limits", {})}}},
    }  # fmt: skip
    path = folder / f"sharp_{len(list(folder.iterdir()))}.yaml"
    path.write_text(json.dumps(content))
    return Arm(str(path))


def drawn(seed: int = 3, size: float = 0.25, seconds: float = 3.0, start: np.ndarray = HOME) -> Any:
    """Return a motion of all joints that is drawn."""
    free = np.random.default_rng(seed).normal(size=(7, 2, 3)) * size
    return FourierSeries.from_free(start, free, seconds)


def check(certificate: Certificate, found: dict[str, Found], clearance: float) -> None:
    """Compare every margin with the worst that was found."""
    left = {m.constraint: m.left for m in certificate.margins}
    assert left.keys() == found.keys()
    for margin in certificate.margins:
        name, own = margin.constraint, found[margin.constraint]
        if name not in CLEARANCES:
            assert own.left - SLACK[name] <= left[name] <= own.left + 1e-6, (margin, own)
        if name in ("position", "velocity", "acceleration"):
            assert margin.where == own.where
            assert margin.start - 1e-3 <= own.time <= margin.end + 1e-3, (margin, own)
    check_clearance(certificate, found, clearance)


def check_clearance(certificate: Certificate, found: dict[str, Found], clearance: float) -> None:
    """Compare the margins of distances with the smallest that were found."""
    for name in set(CLEARANCES) & found.keys():
        own, margin = found[name], certificate.margin(name)
        worst = own.left - clearance
        assert worst - 0.005 - 0.25 * own.left <= margin.left <= worst + 1e-6, (margin, own)


@pytest.mark.slow
@pytest.mark.parametrize("arm", [("kinova_gen3", "safety_warning"), ("xarm7", "urdf")], ids=str)
def test_planned_motions_and_all_their_stops_are_no_worse_than_certified(arm, tmp_path):
    name, limits = arm
    stated = {
        "cell": NOBODY, "clearance": 0.015, "payload_box": BOX, "payload_box_centre": CENTRE,
        "prior": PRIOR, "obstacles": [CRATE], "limits": limits,
    }  # fmt: skip
    planned = plan(name, duration=4.0, seed=1, **stated)
    worst = Worst(Arm(name), PRIOR, limits, BOX, CENTRE, (CRATE,))
    check(planned.certificate, worst.of(planned.motion), 0.015)
    motion, ends = planned.motion, planned.motion.at(np.array([0.0, planned.motion.duration]))
    assert np.ptp(motion.at(np.linspace(0, 4, 50)).q, axis=0).max() > 0.05
    np.testing.assert_allclose(ends.dq, 0.0, atol=1e-9)
    np.testing.assert_allclose(ends.q[0], worst.arm.home, atol=1e-9)
    assert [stop.time for stop in planned.stops] == sorted(stop.time for stop in planned.stops)
    assert np.diff([0.0, *(x.time for x in planned.stops), motion.duration]).max() < 0.5 + 1e-9
    path = motion.at(np.linspace(0.0, motion.duration, 4001)).q
    for k, stop in enumerate(planned.stops):
        begin, left = stop.motion.at(np.zeros(1)), motion.at(np.array([stop.time]))
        for one in ("q", "dq", "ddq"):
            np.testing.assert_allclose(getattr(begin, one), getattr(left, one), atol=1e-9)
        end = stop.motion.at(np.array([stop.motion.duration]))
        np.testing.assert_allclose(end.dq, 0.0, atol=1e-9)
        assert np.abs(path - end.q).max(axis=1).min() < 1e-2  # on the motion's own path
        if k % 6 == 1:
            found = worst.of(stop.motion)
            assert min(x.left for x in found.values()) > 0.0
            assert min(found[x].left for x in CLEARANCES) > 0.015


def test_motions_of_ones_own_are_no_worse_than_certified():
    for name, limits in (("kinova_gen3", "safety_error"), ("xarm7", "urdf")):
        arm = Arm(name)
        ways = arm.home + np.array([[0.0] * 7, [0.3] * 7, [0.1, -0.2, 0.1, 0.2, -0.3, 0.1, 0.5]])
        for motion in (motion_through(ways, [2.0, 2.5]), drawn(2, 0.05, 4.0, arm.home)):
            outcome = certify(
                name, motion, cell=NOBODY, clearance=0.01, limits=limits, prior=LIGHT,
                payload_box=BOX, payload_box_centre=CENTRE, obstacles=[CRATE],
            )  # fmt: skip
            assert isinstance(outcome, Certificate), outcome
            check(outcome, Worst(arm, LIGHT, limits, BOX, CENTRE, (CRATE,)).of(motion), 0.01)


@pytest.fixture(scope="module")
def known(tmp_path_factory: Any) -> tuple[Worst, Any, dict[str, Found]]:
    """An arm of which little is uncertain, a motion, and its worst."""
    folder = tmp_path_factory.mktemp("known")
    speeds = SpeedLimits(tool=8.0, payload=8.0, elbow=8.0, energy=80.0)
    worst, motion = Worst(sharp(folder), LIGHT, "", BOX, CENTRE, (), speeds), drawn(3, 0.1, 2.0)
    return worst, motion, worst.of(motion)


def test_margins_of_an_arm_that_is_known_well_are_those_of_the_worst(known):
    worst, motion, found = known
    outcome = certify(
        worst.arm.name, motion, cell=NOBODY, clearance=0.0, payload_box=BOX,
        payload_box_centre=CENTRE, speeds=worst.speeds, prior=LIGHT,
    )  # fmt: skip
    assert isinstance(outcome, Certificate), outcome
    check(outcome, found, 0.0)


def test_limits_just_below_the_worst_are_refused_and_just_above_are_kept(known, tmp_path):
    worst, motion, found = known
    joints, caps = list(worst.arm.file.joints), vars(worst.speeds)
    for name in ("position", "velocity", "acceleration", "torque", *SPEEDS):
        own, below, above = found[name], 0.998, 1.002
        used, outcomes = 1.0 - own.left, []
        if name in SPEEDS or name == "torque":
            below, above = 0.985, 1.04
        for part in (below, above):
            limits, speeds = dict(ROOMY), SpeedLimits()
            if name in SPEEDS:
                key = name.split()[0].replace("kinetic", "energy")
                speeds = SpeedLimits(**{key: part * used * caps[key]})
            else:
                keys = {"position": ("position_lower", "position_upper"), "torque": ("effort",)}
                j = joints.index(own.where[0])
                for key in keys.get(name, (name,)):
                    values = list(ROOMY[key])
                    values[j] *= part * used
                    limits[key] = values
            arm = sharp(tmp_path, limits=limits)
            outcomes.append(certify(
                arm.name, motion, cell=NOBODY, clearance=0.0, payload_box=BOX,
                payload_box_centre=CENTRE, speeds=speeds, prior=LIGHT,
            ))  # fmt: skip
        refusal, outcome = outcomes
        assert isinstance(refusal, Refusal), (name, refusal)
        assert refusal.constraint == name, refusal
        assert name in SPEEDS or refusal.where == own.where, (refusal, own)
        assert abs(refusal.time - own.time) < 0.15, (refusal, own)
        assert refusal.constraint in str(refusal) and refusal.where[0] in str(refusal)
        assert isinstance(outcome, Certificate), (name, outcome)


def test_a_clearance_just_above_the_distance_is_refused_and_just_below_is_kept(tmp_path):
    motion = drawn(3, 0.05, 2.0)
    lamp = ConvexBody.primitive("sphere", (0.208,), translation=(-0.05, -0.28, 0.62), name="lamp")
    pole = ConvexBody.primitive("sphere", (0.101,), translation=(0.7, 0.2, 0.35), name="pole")
    for name, stated in (
        ("self-collision", {}),
        ("obstacles", {"obstacles": (lamp,)}),
        ("payload volume", {"obstacles": (pole,), "box": BOX, "centre": CENTRE}),
        ("payload volume", {"box": (0.1, 0.1, 0.12), "centre": (0.0, 0.0, 0.04)}),
    ):
        worst = Worst(sharp(tmp_path), **stated)
        found = worst.clearances(motion)
        own = min(found.values(), key=lambda x: x.left)
        assert found[name] == own and 0.004 < own.left < 0.1, (name, found)
        given = {
            "cell": NOBODY, "payload": NONE, "obstacles": stated.get("obstacles", ()),
            "payload_box": stated.get("box"), "payload_box_centre": stated.get("centre", CENTRE),
        }  # fmt: skip
        refusal = certify(worst.arm.name, motion, clearance=own.left + 5e-4, **given)
        assert isinstance(refusal, Refusal), (name, refusal)
        assert refusal.constraint == name, refusal
        assert {x.split("/")[0] for x in refusal.where} == set(own.where), (refusal, own)
        assert 0.0 <= refusal.missing < 2e-3, refusal
        outcome = certify(worst.arm.name, motion, clearance=own.left - 1e-3, **given)
        assert isinstance(outcome, Certificate), (name, outcome)
        assert 0.0 <= outcome.margin(name).left <= 1e-3 + 1e-6


def test_the_tracking_error_of_a_joint_that_slides_is_kept_clear_of_on_either_side(tmp_path):
    home, slide = np.zeros(4), np.array([0.0, 0.05, 0.0, 0.0])
    sliding_arm(tmp_path)
    limits = {"velocity": [6.0] * 4, "acceleration": [50.0] * 4, "effort": [200.0] * 4}

    def left(side: float, error: float) -> float:
        path = tmp_path / "on_a_rail.yaml"
        path.write_text(json.dumps({
            "extends": "sliding_arm.yaml", "name": "on_a_rail",
            "control": {"tracking_position": [1e-4, error, 1e-4, 1e-4],
                        "tracking_velocity": 1e-3, "tracking_acceleration": 1e-2},
            "driver": {"goal": {"path": 1.0, "end": 1.0}},
            "limits": {"use": "own", "sets": {"own": limits}},
        }))  # fmt: skip
        post = ConvexBody.primitive("box", (0.1, 0.4, 2.0), translation=(0.4 * side, 0.0, 0.8))
        outcome = certify(
            path, motion_through([home, home + side * slide], 2.0), cell=NOBODY, clearance=0.0,
            payload=NONE, obstacles=[post],
        )  # fmt: skip
        assert isinstance(outcome, Certificate), outcome
        return outcome.margin("obstacles").left

    for side in (-1.0, 1.0):
        assert left(side, 1e-4) - left(side, 0.03) >= 0.0299 - 1e-4, side


def test_a_refusal_says_whether_the_motion_itself_or_a_tracking_error_breaks_the_limit(tmp_path):
    motion = drawn(3, 0.1, 2.0)
    for name, error, part in (("velocity", 0.5, 0.5), ("acceleration", 2.0, 0.5),
                              ("velocity", 1e-4, 2e3), ("acceleration", 1e-4, 2e4)):  # fmt: skip
        control = {f"tracking_{name}": error}
        found = Worst(sharp(tmp_path, control=control)).kinematic(motion)[name]
        limit = (1.0 - found.left) * ROOMY[name][0] - part * error
        arm = sharp(tmp_path, control=control, limits={name: [limit] * 7})
        refusal = certify(arm.name, motion, cell=NOBODY, clearance=0.0, payload=NONE)
        assert isinstance(refusal, Refusal), (name, refusal)
        assert (refusal.constraint, refusal.where) == (name, found.where), refusal
        assert refusal.certain is (part > 1.0), (refusal, error)
        assert ("on the desired motion" in str(refusal)) is refusal.certain


def test_slow_motions_may_have_the_smaller_tracking_errors_and_no_others(tmp_path):
    arm, motion = Arm("kinova_gen3"), motion_through([HOME, HOME + 0.1], 4.0)
    for speeds in (SpeedLimits(0.5, 0.5, 0.5), SpeedLimits(0.51, 0.5, 0.5)):
        stated = {"cell": NOBODY, "clearance": 0.0, "limits": "safety_error", "payload": NONE}
        outcome = certify(arm.name, motion, payload_box=BOX, payload_box_centre=CENTRE,
                          speeds=speeds, **stated)  # fmt: skip
        if not isinstance(outcome, Certificate):
            assert speeds.tool > 0.5 and outcome.constraint.endswith("speed"), outcome
            continue
        own = Worst(arm, None, "safety_error", speeds=speeds).kinematic(motion)
        for name in ("position", "velocity", "acceleration"):
            assert abs(outcome.margin(name).left - own[name].left) < 2e-3, (name, outcome, own)


def test_a_motion_that_is_slowed_near_people_is_no_worse_than_certified():
    name, speeds, limits = "kinova_gen3", SpeedLimits(0.25, 0.25, 0.25), "safety_error"
    planned = plan(
        name, duration=3.0, time_budget=0.5, seed=1, cell=NOBODY, clearance=0.0, limits=limits,
        payload_box=BOX, payload_box_centre=CENTRE, speeds=speeds, prior=LIGHT,
    )  # fmt: skip
    assert planned.motion.duration > 3.5
    own = Worst(Arm(name), LIGHT, limits, speeds=speeds).kinematic(planned.motion)
    for one in ("position", "velocity", "acceleration"):
        left = planned.certificate.margin(one).left
        assert own[one].left - SLACK[one] <= left <= own[one].left + 1e-6, (one, left, own)


def test_a_hold_that_needs_more_than_the_motion_is_refused(tmp_path):
    down = HOME.copy()
    down[1], down[3], up = 2.2, -0.3, HOME.copy()
    up[1], up[3] = 0.9, -0.3
    motion = motion_through([up, down], 1.2)
    bound = {"uncertainty": {"friction_coulomb": [0.0, 15.0, 0.0, 0.0, 0.0, 0.0, 0.0]}}
    moving, _ = torque_limits(tmp_path, bound, False, motion)
    held, certified = torque_limits(tmp_path, bound, True, motion)
    assert 1.0 - held.left > 1.05 * (1.0 - moving.left), (held, moving)
    refusal, outcome = certified(0.985), certified(1.03)
    assert isinstance(refusal, Refusal), refusal
    assert (refusal.constraint, refusal.where) == ("holding torque", held.where), refusal
    assert isinstance(outcome, Certificate), outcome


def test_a_foil_that_the_payload_passes_between_two_samples_is_refused(tmp_path):
    arm, motion = sharp(tmp_path), motion_through([HOME, HOME + [1.5, 0, 0, 0, 0, 0, 0]], 1.0)
    worst = Worst(arm, None, "", (0.02, 0.02, 0.02), (0.0, 0.0, 0.3))
    worst.put(motion.at(np.array([0.5])).q[0])
    (body,) = worst.held
    place = worst.data.oMi[body.joint] * body.pose
    across = place.translation / np.linalg.norm(place.translation[:2])
    turn = np.array([[-across[1], across[0], 0], [across[0], across[1], 0], [0, 0, -1]]).T
    foil = ConvexBody.primitive("box", (1e-4, 0.05, 0.05), turn, place.translation, "foil")
    stated = {"cell": NOBODY, "clearance": 0.0, "payload": NONE, "obstacles": [foil],
              "payload_box_centre": (0.0, 0.0, 0.3)}  # fmt: skip
    refusal = certify(arm.name, motion, payload_box=(0.02, 0.02, 0.02), **stated)
    assert isinstance(refusal, Refusal), refusal
    assert refusal.constraint == "payload volume" and set(refusal.where) == {"payload", "foil"}
    assert abs(refusal.time - 0.5) < 0.05, refusal


# What is stated, on which torques depend: sections of robot and cell file, and the payload.
BOUNDS: dict[str, dict[str, Any]] = {
    "prior": {"prior": PayloadPrior(3.0, 0.1)},
    "payload": {"payload": (np.array([1.0, *[-0.05] * 3, *[-0.01] * 6]),
                            np.array([3.0, *[0.15] * 3, *[0.03] * 6]))},
    "link_relative": {"uncertainty": {"link_relative": 0.5}},
    "rotor_inertia": {"uncertainty": {"rotor_inertia": 3.0}},
    "friction_coulomb": {"uncertainty": {"friction_coulomb": 15.0}},
    "friction_stribeck": {"uncertainty": {"friction_stribeck": 15.0, "stribeck_velocity": 0.1}},
    "friction_viscous": {"uncertainty": {"friction_viscous": 15.0}},
    "gravity_error": {"uncertainty": {"gravity_error": 6.0}},
    "base_tilt": {"tilt": 0.5},
    "tracking_position": {"control": {"tracking_position": 0.05}},
    "tracking_velocity": {"control": {"tracking_velocity": 0.5},
                          "uncertainty": {"friction_viscous": 15.0}},
    "stiction_velocity": {"uncertainty": {"friction_coulomb": 15.0, "stiction_velocity": 3.0}},
    "tracking_acceleration": {"control": {"tracking_acceleration": 9.0}},
}  # fmt: skip


# How much at least a bound raises the torque here, and which part of the worst is certified; proofs
# of the others are sharp.
LOOSER = {
    "gravity_error": (1.15, 1.2), "base_tilt": (1.15, 1.2), "tracking_position": (1.03, 1.12),
    "tracking_velocity": (1.15, 1.1), "tracking_acceleration": (1.15, 1.1),
}  # fmt: skip


def torque_limits(folder: Path, bound: dict[str, Any], still: bool, motion: Any) -> tuple:
    """Return the worst torque under a bound as a part of the usual limits, and what certifies."""
    files = {k: v for k, v in bound.items() if k in ("uncertainty", "control")}
    payload = {} if "prior" in bound else {"payload": bound.get("payload", NONE)}
    payload |= {"prior": bound["prior"]} if "prior" in bound else {}
    tilt, cell = bound.get("tilt", 0.0), NOBODY
    if tilt:
        cell = folder / "tilted.yaml"
        cell.write_text(
            json.dumps({"name": "tilted", "floor": None, "base_tilt": tilt, "clearance": 0})
        )
    worst = Worst(sharp(folder, **files), gravity_error=9.81 * np.sin(tilt), **payload)
    joints = worst.arm.file.joints
    (found,) = worst.extremes(
        motion, worst.torque, np.array(ROOMY["effort"]), joints, together=True, still=still
    )

    def certified(part: float) -> Certificate | Refusal:
        limits = {"effort": [part * (1.0 - found.left) * x for x in ROOMY["effort"]]}
        arm = sharp(folder, limits=limits, **files)
        return certify(arm.name, motion, cell=cell, clearance=0.0, **payload)

    return found, certified


@pytest.mark.slow
def test_every_stated_bound_counts_in_torques_and_no_bound_counts_twice(tmp_path):
    motion = drawn(5, 0.15, 2.0)
    plain, _ = torque_limits(tmp_path, {}, False, motion)
    for name, bound in BOUNDS.items():
        found, certified = torque_limits(tmp_path, bound, False, motion)
        least, enough = LOOSER.get(name, (1.15, 1.01))
        assert 1.0 - found.left > least * (1.0 - plain.left), (name, found, plain)
        refusal, outcome = certified(0.993), certified(enough)
        assert isinstance(refusal, Refusal), (name, refusal)
        assert (refusal.constraint, refusal.where) == ("torque", found.where), (name, refusal)
        assert isinstance(outcome, Certificate), (name, outcome)


def test_what_a_cell_file_says_is_kept_clear_of(tmp_path):
    motion, arm = drawn(3, 0.05, 2.0), sharp(tmp_path)
    far = ConvexBody.primitive("sphere", (0.1,), translation=(1.5, 0.0, 0.5), name="far")
    turn = pin.rpy.rpyToMatrix(0.3, 0.2, 0.1)
    box = {"shape": "box", "size": [0.1, 0.2, 0.3], "position": [0.62, -0.3, 0.3]}
    pole = {"shape": "cylinder", "size": [0.1, 0.5], "position": [0.25, 0.3, 0.5]}
    wall = {"shape": "wall", "position": [-0.2, 0.0, 0.0], "rpy": [0.0, np.pi / 2, 0.0]}
    cage = {"size": [1.2, 3.0, 3.0], "position": [0.0, 0.0, 0.8]}
    rpy = {"rpy": [0.3, 0.2, 0.1]}
    turned, back = (pin.rpy.rpyToMatrix(0.0, x, 0.0) for x in (np.pi / 2, -np.pi / 2))
    for entries, alike in (
        ({"floor": 0.1}, ConvexBody.ground(0.1)),
        ({"bodies": {"own": {**box, **rpy}}}, ("box", (0.1, 0.2, 0.3), turn, (0.62, -0.3, 0.3))),
        ({"keep_out": {"own": {**pole, **rpy}}}, ("cylinder", (0.1, 0.5), turn, (0.25, 0.3, 0.5))),
        ({"keep_out": {"own": wall}}, ("half_space", (), turned, (-0.2, 0.0, 0.0))),
        ({"keep_in": {"own": cage}}, ("half_space", (), back, (0.6, 0.0, 0.0))),
    ):
        cell = tmp_path / "cell.yaml"
        cell.write_text(json.dumps({"name": "bench", "floor": None, "clearance": 0.003, **entries}))
        outcome = certify(arm.name, motion, cell=cell, payload=NONE, obstacles=[far])
        body = ConvexBody.primitive(*alike, name="own") if isinstance(alike, tuple) else alike
        found = Worst(arm, obstacles=(body, far)).clearances(motion)
        assert body.name in found["obstacles"].where and found["obstacles"].left < 0.2, found
        assert isinstance(outcome, Certificate), (entries, outcome)
        check_clearance(outcome, found, 0.003)
    margin = 0.4
    cell.write_text(json.dumps({"name": "bench", "floor": None, "joint_margin": margin}))
    narrow = certify(arm.name, motion, cell=cell, payload=NONE).margin("position")
    reach = 3.0 * (1.0 - Worst(arm).kinematic(motion)["position"].left)
    assert abs(narrow.used - reach / (3.0 - margin)) < 1e-4, narrow


def test_what_is_carried_where_and_allowed_to_touch_is_in_the_certificate(tmp_path):
    motion, near = drawn(3, 0.05, 2.0), {"payload_box": (0.1, 0.1, 0.12)}
    given = {"cell": NOBODY, "payload": NONE, "payload_box_centre": (0.0, 0.0, 0.02)}
    stated = {"payload spherical_wrist_1_link": "the cover is soft"}
    plain = certify(sharp(tmp_path).name, motion, clearance=0.0, **near, **given)
    allowed = certify(
        sharp(tmp_path, file={"allowed_contacts": stated}).name,
        motion,
        clearance=0.0,
        **near,
        **given,
    )
    assert set(plain.margin("payload volume").where) == {"payload", "spherical_wrist_1_link"}
    assert "spherical_wrist_1_link" not in allowed.margin("payload volume").where
    assert plain.margin("payload volume").left < allowed.margin("payload volume").left
    sentences = " ".join(allowed.assumptions)
    assert "the cover is soft" in sentences and "the cover is soft" not in str(plain.assumptions)
    for pair in ("shoulder_link and half_arm_1_link", "base_link and shoulder_link"):
        assert pair in sentences  # neighbours that are not checked are named
    assert {m.constraint for m in certify(sharp(tmp_path).name, motion, **given).margins} == {
        "position", "velocity", "acceleration", "torque", "holding torque", "self-collision",
    }  # fmt: skip


def test_bodies_that_overlap_where_the_motion_begins_are_refused_with_what_to_mend(tmp_path):
    motion = motion_through([HOME, HOME + 0.1], 2.0)
    given = {"cell": NOBODY, "clearance": 0.0, "payload": NONE, "payload_box": (0.1, 0.1, 2.6),
             "payload_box_centre": (0.0, 0.0, 0.02)}  # fmt: skip
    refusal = certify(sharp(tmp_path).name, motion, **given)
    assert isinstance(refusal, Refusal), refusal
    assert refusal.constraint == "payload volume" and "payload" in refusal.where
    assert all(x in str(refusal) for x in refusal.where)
    assert "allowed_contacts" in str(refusal), refusal


FINGER = """
<xacro:arg name="gripper" default=""/><xacro:arg name="vision" default=""/>
<link name="finger">
  <inertial><origin xyz="0 0 0.1"/><mass value="0.4"/>
    <inertia ixx="1e-3" iyy="1e-3" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><origin xyz="0 0 0.1"/><geometry><box size="0.02 0.02 0.16"/></geometry></collision>
</link>
<joint name="finger_joint" type="revolute">
  <parent link="end_effector_link"/><child link="finger"/><axis xyz="0 1 0"/>
  <limit lower="-0.8" upper="0.8" effort="5" velocity="1"/>
</joint>
</robot>"""


def test_a_finger_may_be_anywhere_unless_it_is_said_where_it_is(tmp_path):
    urdf, motion = tmp_path / "with_finger.xacro", drawn(3, 0.05, 2.0)
    text = Arm("kinova_gen3").file.urdf.replace("</robot>", FINGER)
    urdf.write_text(text.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" '))
    file: dict[str, Any] = {"urdf": str(urdf)}
    lamp = ConvexBody.primitive("sphere", (0.05,), translation=(0.74, 0.0, 0.30), name="lamp")
    given = {"cell": NOBODY, "clearance": 0.0, "payload": NONE, "obstacles": [lamp]}
    anywhere = certify(sharp(tmp_path, file=file).name, motion, **given)
    assert isinstance(anywhere, Certificate), anywhere
    assert "finger_joint" in " ".join(anywhere.assumptions)
    left = []
    for place in (-0.8, 0.0, 0.8):
        arm = sharp(tmp_path, file={**file, "passive_joints": {"finger_joint": place}})
        outcome = certify(arm.name, motion, **given)
        assert isinstance(outcome, Certificate), outcome
        found = Worst(arm, payload=NONE, obstacles=(lamp,)).of(motion)
        check(outcome, found, 0.0)
        left.append({name: x.left for name, x in found.items()})
    for margin in anywhere.margins:
        least = min(x[margin.constraint] for x in left)
        assert margin.left <= least + 1e-6, (margin, left)
        assert margin.left >= least - SLACK.get(margin.constraint, 0.03), (margin, left)
    assert np.ptp([x["obstacles"] for x in left]) > 0.05


# What is said of a design that counts on this part of one of its numbers.
DESIGN_WORDS = {
    ("disturbance", 0.65): "Refused (disturbance)", ("change", 0.7): "Refused (torque change)",
    ("inertia", 1.02): "Refused (inertia)",
    ("rotor", 1.02): "Refused (inertia)", ("mismatch", 0.7): "Refused (momentum error)",
    ("momentum", 0.5): "Refused (momentum)",
    ("period", 1.6): "Refused (",
}  # fmt: skip


@pytest.fixture(scope="module")
def by_torques(tmp_path_factory: Any) -> tuple[Arm, MotionPlan, dict[str, Any], Path]:
    """An arm that torques move, a plan, its robust design as it is saved, and the saved file."""
    folder = tmp_path_factory.mktemp("torques")
    path = folder / "by_torques.yaml"
    path.write_text(json.dumps({
        "extends": "package://payload_id/config/robots/kinova_gen3.yaml",
        "name": "by_torques",
        "control": {"rotor_inertia": [10.0] * 7, "rotor_inertia_relative": 0.01,
                    "effort_period": 0.001, "effort_delay": 0.001},
        "uncertainty": {"link_relative": 0.01, "friction_coulomb": 0.0, "friction_viscous": 0.0},
        "limits": {"use": "safety_error"},
    }))  # fmt: skip
    planned = plan(path, cell=NOBODY, prior=LIGHT, duration=4.0, time_budget=1.0,
                   by_torques=True, stop_step=2.5)  # fmt: skip
    file = planned.save(folder / "plan")
    return Arm(str(path)), planned, json.loads(file.read_text())["tube"], file


def test_a_robust_design_holds_for_what_it_takes_for_granted(by_torques):
    arm, planned, tube, _ = by_torques
    made = {key: np.asarray(value) for key, value in tube["reserve"].items()}
    error = made["velocity_error"] + 4.0 * made["position_error"]
    rho = np.sqrt(2.0 * made["level"] / made["inertia"]) + error
    widths = {"position": rho / 4.0, "velocity": 2.0 * rho, "reference_velocity": rho,
              "reference_acceleration": 8.0 * rho}  # fmt: skip
    for name, width in widths.items():
        np.testing.assert_allclose(tube[name], width, rtol=1e-6)
    errors = (widths["position"], rho, widths["reference_acceleration"])
    worst, motion = Worst(arm, LIGHT, errors=errors), planned.motion
    (own,) = worst.extremes(
        motion, worst.disturbance, made["disturbance"], arm.file.joints, together=True
    )
    margin = planned.certificate.margin("disturbance")
    assert own.left - 0.4 <= margin.left <= own.left + 1e-6, (margin, own)
    rng = np.random.default_rng(0)
    for q in motion.at(np.linspace(0.0, motion.duration, 30)).q:
        M = worst.inertia(q + rng.choice([-1, 1], 7) * errors[0], rng)
        assert np.linalg.eigvalsh(M - np.diag(made["inertia"]))[0] > -1e-9
    assert {
        "disturbance", "torque change", "momentum error", "momentum", "inertia", "level"
    } <= {m.constraint for m in planned.certificate.margins}  # fmt: skip


@pytest.mark.slow
def test_of_a_robust_design_nothing_can_be_made_smaller(by_torques, tmp_path):
    _, _, _, file = by_torques
    assert verify(file, samples=100).verified
    path, plain = tmp_path / "smaller.json", load_certificate(file)
    for (key, part), words in DESIGN_WORDS.items():
        entries = json.loads(file.read_text())
        reserve, certificate = entries["tube"]["reserve"], entries["certificate"]
        reserve[key] = (part * np.asarray(reserve[key])).tolist()
        certificate["digests"]["tube"] = digest(entries["tube"])
        path.write_text(json.dumps(entries))
        others = certificate["assumptions"][len(plain.tube.rests_on) :]
        certificate["assumptions"] = [*load_certificate(path).tube.rests_on, *others]
        del entries["digest"]
        path.write_text(json.dumps(entries | {"digest": digest(entries)}))
        found = verify(path, samples=100)
        assert not found.verified, key
        assert words in " ".join(found.differences), (key, found.differences)


def test_a_robust_design_that_does_not_exist_is_refused(by_torques):
    arm, *_ = by_torques
    with pytest.raises(PayloadIdError) as refused:
        plan(
            arm.name,
            cell=NOBODY,
            time_budget=0.5,
            by_torques=True,
            prior=PayloadPrior(6.0, 0.4),
        )
    assert "robust design" in str(refused.value) and "0.002 s" in str(refused.value)


def test_a_cable_that_would_be_wound_up_too_far_is_refused(tmp_path):
    motion = motion_through([HOME, HOME + [1.0, 0, 0, 0, 0, 0, 0], HOME], 2.0)
    for upper, kept in ((1.01, True), (0.99, False)):
        turns = {"turn_limits": {"joint_1": {"lower": -3.0, "upper": upper}}}
        outcome = certify(sharp(tmp_path, file=turns).name, motion, cell=NOBODY, payload=NONE)
        assert isinstance(outcome, Certificate) is kept, outcome
        margin = outcome.margin("position") if kept else outcome
        assert (margin.constraint, margin.where) == ("position", ("joint_1",)), margin


def test_no_motion_is_planned_where_none_is_safe_and_the_sentence_says_why(tmp_path):
    given = {"cell": NOBODY, "time_budget": 0.5, "duration": 2.0}
    low = HOME.copy()
    low[3] = -2.569
    touched = ConvexBody.primitive("sphere", (0.1,), translation=(0.45, 0.0, 0.45), name="thing")
    for start, stated, words in (
        (low, {}, ("position", "joint_4", "start")),
        (HOME, {"obstacles": [touched]}, ("thing", "start")),
        (HOME, {"prior": PayloadPrior(60.0, 0.5)}, ("torque", "joint_")),
    ):
        with pytest.raises(NotCertifiedError) as refused:
            plan("kinova_gen3", start=start, **given, **stated)
        assert all(word in str(refused.value) for word in words), refused.value


def test_every_shipped_arm_moves_from_its_home():
    shipped = {path.stem for path in (Path(__file__).parents[2] / "config/robots").glob("*.yaml")}
    for name in sorted(shipped - {"generic"}):  # which has no arm of its own
        home = RobotFile.load(name).home
        small = motion_through([home, home + 0.05, home], 4.0)
        assert not isinstance(certify(name, small, cell=NOBODY, prior=LIGHT), Refusal), name


def test_what_is_no_motion_of_this_arm_is_refused_in_a_sentence(tmp_path):
    name, still = "kinova_gen3", np.zeros((7, 2))
    moving = FourierSeries(HOME, still, still + 0.01, 3.0)
    six = motion_through([HOME[:6], HOME[:6] + 0.1], 2.0)
    fine = motion_through([HOME, HOME + 0.1], 2.0)
    for call, words in (
        (lambda: certify(name, moving, cell=NOBODY), "rest"),
        (lambda: certify(name, six, cell=NOBODY), "6 joints"),
        (lambda: certify(name, fine, cell=""), "cell"),
        (lambda: certify(name, fine, cell="none"), "reason"),
        (lambda: certify(name, fine, cell=NOBODY, limits="fast"), "safety_warning"),
        (lambda: certify(name, fine, cell=NOBODY, speeds="slow"), "collaborative"),
        (lambda: certify(name, fine, cell=NOBODY, clearance=-0.1), "clearance"),
        (lambda: certify(name, fine, cell=NOBODY, payload=(np.ones(10), -np.ones(10))), "payload"),
        (lambda: certify(name, fine, cell=NOBODY, payload_box=(0.1, 0.0, 0.1)), "payload"),
        (lambda: motion_through([HOME], 2.0), "two waypoints"),
        (lambda: motion_through([HOME, HOME], 0.0), "duration"),
        (lambda: motion_through([HOME, HOME], [1.0, 1.0]), "one time"),
        (lambda: motion_through([HOME, HOME * np.nan], 1.0), "finite"),
        (lambda: plan(name, cell=NOBODY, family="spline"), "there_and_back"),
        (lambda: plan(name, cell=NOBODY, criterion="beauty"), "condition_number"),
        (lambda: plan(name, cell=NOBODY, duration=-1.0), "duration"),
        (lambda: plan(name, cell=NOBODY, speed_scale=1.5), "speed_scale"),
        (lambda: plan(name, cell=NOBODY, start=[0.0] * 6), "7 positions"),
    ):
        with pytest.raises(PayloadIdError) as refused:
            call()
        assert words in str(refused.value) and "\n" not in str(refused.value), refused.value
