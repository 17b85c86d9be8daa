"""One trial of `containment.py`: draw an arm, a payload, a motion and errors; measure; identify."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from attained import attained

from arms import (
    ARMS,
    EVERY_ARM,
    PAYLOADS,
    Joints,
    Run,
    adversary,
    arm,
    draw_payload,
    noise,
    perturbed_links,
    record,
)
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import PARAMETERS
from payload_id.core.bounds import METHODS, Interval, Memory, method_named
from payload_id.core.bounds.feasibility import smallest_noise_factor
from payload_id.core.bounds.scaled_rows import ScaledRows
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.problem import Problem
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import identifiable
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.threads import one_thread

__all__ = ["ARMS", "Case", "Outcome", "Trial", "run_broken", "run_trial"]

NOISE = ("uniform", "vertices", "correlated", "gain", "adversary")
TOOL = (0.03, *[0.002] * 3, *[1e-4] * 6)
ASSUMED = {  # what may be wrong beside torque noise
    "links": Uncertainty(torque_relative=0.025, link_relative=0.05),
    "sensors": Uncertainty(
        torque_relative=0.02, torque_absolute=0.1, torque_gain=0.05, torque_offset=0.5
    ),
    "friction": Uncertainty(
        torque_absolute=0.2,
        link_relative=0.02,
        friction_coulomb=1.0,
        friction_viscous=0.5,
        rotor_inertia=0.1,
    ),
    "kinematics": Uncertainty(
        torque_relative=0.01,
        torque_absolute=0.05,
        position_error=2e-4,
        velocity_error=2e-3,
        joint_zero=2e-3,
    ),
    "stamps, gravity, tool": Uncertainty(
        torque_relative=0.01, stamp_jitter=1e-4, gravity_error=0.03, tool=TOOL
    ),
    "everything": Uncertainty(
        torque_relative=0.01,
        torque_absolute=0.05,
        torque_gain=0.01,
        torque_offset=0.1,
        link_relative=0.02,
        friction_coulomb=0.3,
        friction_viscous=0.1,
        rotor_inertia=0.02,
        position_error=1e-4,
        velocity_error=1e-3,
        stamp_jitter=1e-5,
        gravity_error=0.01,
        joint_zero=5e-4,
        tool=tuple(0.3 * x for x in TOOL),
    ),
    "nothing": Uncertainty(),
}
COMPARED = 4  # all methods in one trial of so many, the hull in all
SHARE = (0.3, 0.2, 0.15, 0.1, 0.1, 0.1, 0.05)  # of the trials with each
BROKEN = (  # bound that is broken, and what else is assumed
    ("torque_relative", Uncertainty(torque_relative=0.025, link_relative=0.05)),
    ("torque_absolute", Uncertainty(torque_absolute=0.2, link_relative=0.02)),
    ("link_relative", Uncertainty(torque_relative=0.005, link_relative=0.05)),
    ("torque_gain", Uncertainty(torque_relative=0.005, torque_gain=0.03)),
    ("torque_offset", Uncertainty(torque_absolute=0.05, torque_offset=0.3)),
    ("friction_coulomb", Uncertainty(torque_absolute=0.05, friction_coulomb=0.5)),
    ("velocity_error", Uncertainty(torque_absolute=0.02, velocity_error=2e-3)),
    ("gravity_error", Uncertainty(torque_absolute=0.02, gravity_error=0.05)),
    ("stamp_jitter", Uncertainty(torque_absolute=0.02, stamp_jitter=1e-4)),
)


@dataclass(frozen=True)
class Outcome:
    """What one method made of a trial.

    Attributes:
        missed: Parameters whose intervals miss the truth.
        status: The verdict.
        half_width: Shape (10,).
        identifiable: Which parameters are, shape (10,).
        seconds: Time of the bounds [s].
        sound: Whether the estimate is consistent and inside the interval.
        overhead: Of the proof over the solver's own optimum, part of a half-width.
        lower: Lower ends, shape (10,).
        upper: Upper ends, shape (10,).
        attained_lower: Least parameters of payloads that explain the rows (`attained.py`), shape
            (10,), of the hull and where all methods are compared only.
        attained_upper: Largest, likewise.
        noise_factor: Smallest factor on the bounds that explains the rows, where it was computed.
    """

    missed: tuple[str, ...]
    status: str
    half_width: tuple[float, ...]
    identifiable: tuple[bool, ...]
    seconds: float
    sound: bool = True
    overhead: float = 0.0
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    attained_lower: tuple[float, ...] = ()
    attained_upper: tuple[float, ...] = ()
    noise_factor: float = 0.0

    @property
    def inconsistent(self) -> bool:
        """Whether the verdict is INCONSISTENT."""
        return self.status == "INCONSISTENT"

    @property
    def failed(self) -> bool:
        """Whether the claim is wrong, for a trial that keeps its bounds."""
        return bool(self.missed) or self.inconsistent or not self.sound


@dataclass(frozen=True)
class Trial:
    """One recording and what was made of it.

    Attributes:
        seed: Makes the trial again.
        labels: Arm, payload, noise, assumption and so on.
        outcomes: By method.
    """

    seed: int
    labels: dict[str, str]
    outcomes: dict[str, Outcome]

    def ratio(self) -> Array:
        """Return half-widths of the hull over `sensitivity`, NaN if not identifiable, (10,)."""
        hull, other = self.outcomes["hull"], self.outcomes.get("sensitivity")
        if other is None or hull.inconsistent:
            return np.full(10, np.nan)
        widths = np.array(hull.half_width), np.array(other.half_width)
        ratio = widths[0] / np.maximum(widths[1], 1e-15)
        return np.where(hull.identifiable, ratio, np.nan)

    @property
    def checked(self) -> bool:
        """Whether payloads were looked for that attain the hull's ends."""
        return bool(self.outcomes["hull"].attained_lower)

    def gap(self) -> Array:
        """Return how far the hull's ends are from being attained, in half-widths, (10,)."""
        hull = self.outcomes["hull"]
        below = np.subtract(hull.attained_lower, hull.lower)
        above = np.subtract(hull.upper, hull.attained_upper)
        return np.maximum(below, above) / np.maximum(hull.half_width, 1e-300)

    def left_out(self, method: str) -> Array:
        """Return which intervals leave out a payload that explains the rows, shape (10,)."""
        hull, other = self.outcomes["hull"], self.outcomes[method]
        below = np.less(hull.attained_lower, other.lower)
        return below | np.greater(hull.attained_upper, other.upper)

    def to_json(self) -> str:
        """Return one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Trial:
        """Read one line."""
        held = json.loads(line)
        outcomes = {name: Outcome(**entries) for name, entries in held["outcomes"].items()}
        return cls(held["seed"], held["labels"], outcomes)


def run_trial(seed: int) -> Trial:
    """Return what every interval method makes of a recording that keeps its bounds."""
    rng = np.random.default_rng(seed)
    labels = {
        "arm": str(rng.choice(EVERY_ARM)),
        "payload": str(rng.choice(PAYLOADS)),
        "noise": str(rng.choice(NOISE)),
        "assumed": str(rng.choice(list(ASSUMED), p=SHARE)),
        "tare": "tare" if rng.uniform() < 0.1 else "no tare",
    }
    uncertainty = ASSUMED[labels["assumed"]]
    case = Case.draw(labels, uncertainty, rng, seed, seconds=float(rng.uniform(0.5, 2.0)))
    online = OnlineIdentifier(case.believed, Settings(uncertainty, window=case.window))
    if labels["tare"] == "tare":
        online.add(case.measured(uncertainty, "uniform", rng, seed + 1, loaded=False))
        online.tare()
    samples = case.measured(uncertainty, labels["noise"], rng, seed)
    if rng.uniform() < 0.1:  # an update on the way, whose answer the last one starts from
        online.add(samples.part(0, len(samples) // 2))
        online.update()
        online.add(samples.part(len(samples) // 2, len(samples)))
    else:
        online.add(samples)
    problem = replace(online.problem(), motion=None)  # advice on the motion is not looked at
    methods = METHODS if seed % COMPARED == 0 else ("hull",)
    outcomes = {name: _outcome(problem, case.phi, name) for name in methods}
    if seed % COMPARED == 0 and not outcomes["hull"].inconsistent:
        outcomes["hull"] = _with_ends_attained(problem, outcomes["hull"])
    return Trial(seed, labels, outcomes)


def run_broken(seed: int) -> Trial:
    """Return what the hull makes of a recording in which one bound is broken."""
    rng = np.random.default_rng(seed)
    name, stated = BROKEN[int(rng.integers(len(BROKEN)))]
    factor = float(rng.uniform(2.0, 5.0))
    labels = {
        "arm": str(rng.choice(EVERY_ARM)),
        "payload": str(rng.choice(PAYLOADS)),
        "noise": str(rng.choice(NOISE[:-1])),
        "broken": name,
        "factor": f"{factor:.2f}",
    }
    true = replace(stated, **{name: factor * getattr(stated, name)})
    case = Case.draw(labels, true, rng, seed, seconds=float(rng.uniform(3.0, 6.0)), extreme=True)
    online = OnlineIdentifier(case.believed, Settings(stated, window=case.window))
    online.add(case.measured(true, labels["noise"], rng, seed))
    problem = replace(online.problem(), motion=None)
    outcome = _outcome(problem, case.phi, "hull")
    if outcome.missed and not outcome.inconsistent:
        outcome = replace(outcome, noise_factor=_noise_factor(problem, outcome))
    return Trial(seed, labels, {"hull": outcome})


@dataclass(frozen=True)
class Case:
    """An arm with its true parameters, and a payload.

    Attributes:
        model: The arm in true gravity.
        believed: The arm that the estimator believes in.
        phi: The payload, shape (10,).
        tool: Error of the tool's inertia, shape (10,).
        links: True links, shape (n, 10).
        joints: Friction and constant sensor errors.
        zero: Errors of the encoders' zeros, shape (n,) [rad or m].
        rate: Samples in a second [Hz].
        seconds: Length of the recording [s].
        window: Length of a window [s].
    """

    model: ArmModel
    believed: ArmModel
    phi: Array
    tool: Array
    links: Array
    joints: Joints
    zero: Array
    rate: float
    seconds: float
    window: float

    @classmethod
    def draw(
        cls,
        labels: dict[str, str],
        uncertainty: Uncertainty,
        rng: np.random.Generator,
        seed: int,
        seconds: float,
        extreme: bool | None = None,
    ) -> Case:
        """Draw all that is constant within its bounds, or at them."""
        extreme = bool(rng.integers(2)) if extreme is None else extreme
        model = arm(labels["arm"])
        size = uncertainty.gravity_error * (1.0 if extreme else rng.uniform())
        gravity = model.gravity + size * rng.choice([-1.0, 1.0], 3)
        bound = np.array(uncertainty.tool or np.zeros(10))
        signs = rng.choice([-1.0, 1.0], 10) if extreme else rng.uniform(-1.0, 1.0, 10)
        phi = draw_payload(rng, labels["payload"])
        links = perturbed_links(model, rng, uncertainty.link_relative)
        if labels["noise"] == "adversary":
            shaken = record(model, seed, phi, seconds=1.0, rate=100.0)
            _, links = adversary(shaken, uncertainty, int(rng.integers(10)), 1.0, 0.2)
        return cls(
            model,
            replace(model, gravity=gravity),
            phi,
            bound * signs,
            links,
            Joints.draw(rng, uncertainty, model.n, extreme),
            zero=uncertainty.per_joint("joint_zero", model.n)
            * (rng.choice([-1.0, 1.0], model.n) if extreme else rng.uniform(-1.0, 1.0, model.n)),
            rate=float(rng.choice([100, 250, 500])),
            seconds=seconds,
            window=float(rng.choice([0.1, 0.2])),
        )

    def measured(
        self,
        uncertainty: Uncertainty,
        kind: str,
        rng: np.random.Generator,
        seed: int,
        loaded: bool = True,
    ) -> Samples:
        """Return what is measured with errors of one kind within (or at) their bounds."""
        run = record(
            self.model,
            seed,
            (self.phi if loaded else 0.0) + self.tool,
            self.seconds,
            self.rate,
            self.links,
            jitter=float(rng.choice([0.0, 0.3])),
            joints=self.joints,
        )
        of_true = bool(rng.integers(2))
        u = self._fractions(run, uncertainty, kind, rng)
        seen = _with_other_errors(run.measured(uncertainty, u, of_true=of_true), uncertainty, rng)
        return replace(seen, q=seen.q + self.zero)

    def _fractions(
        self, run: Run, uncertainty: Uncertainty, kind: str, rng: np.random.Generator
    ) -> Array:
        """Return errors of the torques as fractions of their bounds, shape (N, n)."""
        if kind == "adversary":
            return adversary(run, uncertainty, int(rng.integers(10)), 1.0, self.window)[0]
        if kind == "gain":
            return noise(rng, run.true.tau.shape, "constant") * np.sign(run.true.tau)
        return noise(rng, run.true.tau.shape, kind)


def _with_other_errors(run: Run, uncertainty: Uncertainty, rng: np.random.Generator) -> Samples:
    """Return samples whose positions, velocities and stamps are as wrong as they may be."""
    samples, n = run.samples, run.model.n
    signs = rng.choice([-1.0, 1.0], (2, *samples.q.shape))
    if rng.integers(2):
        signs = np.broadcast_to(signs[:, :1], signs.shape)
    late = rng.choice([-1.0, 1.0], len(samples)) * uncertainty.stamp_jitter
    return replace(
        samples,
        stamp=samples.stamp + late,
        q=samples.q + signs[0] * uncertainty.per_joint("position_error", n),
        dq=samples.dq + signs[1] * uncertainty.per_joint("velocity_error", n),
    )


def _outcome(problem: Problem, phi: Array, method: str) -> Outcome:
    """Return what one method makes of a problem; the hull with estimate and verdict."""
    begin = time.perf_counter()
    if method == "hull":
        found = problem.solve().estimate
        interval, status, overhead = (
            Interval(found.lower, found.upper), found.status.value, found.interval_overhead
        )  # fmt: skip
        slack = 1e-4 * interval.half_width
        inside = (found.phi >= found.lower - slack) & (found.phi <= found.upper + slack)
        sound = bool(found.physically_consistent and inside.all())
    else:
        with one_thread():
            bounds = method_named(method).bounds(
                problem.rows, problem.prior, Memory(), problem.shape
            )
        interval, overhead, sound = bounds.interval, bounds.overhead, True
        status = "" if bounds.consistent else "INCONSISTENT"
    seconds = time.perf_counter() - begin
    contained = (interval.lower <= phi) & (phi <= interval.upper)
    return Outcome(
        tuple(name for name, inside in zip(PARAMETERS, contained, strict=True) if not inside),
        status,
        _plain(interval.half_width),
        tuple(bool(x) for x in identifiable(interval, problem.prior)),
        seconds,
        sound,
        float(np.nan_to_num(overhead)),
        _plain(interval.lower),
        _plain(interval.upper),
    )


def _with_ends_attained(problem: Problem, outcome: Outcome) -> Outcome:
    """Return the hull's outcome with the payloads nearest to its ends."""
    with one_thread():
        ends = attained(problem, Interval(np.array(outcome.lower), np.array(outcome.upper)))
    return replace(outcome, attained_lower=_plain(ends.lower), attained_upper=_plain(ends.upper))


def _plain(values: Array) -> tuple[float, ...]:
    """Return numbers that a file can hold."""
    return tuple(float(x) for x in values)


def _noise_factor(problem: Problem, outcome: Outcome) -> float:
    """Return the smallest factor on the bounds that explains the rows, by a program of its own.

    Errors of the coefficients count as for payloads within the intervals that were found.
    """
    rows, prior = problem.rows, problem.prior
    found = Interval(np.array(outcome.lower), np.array(outcome.upper))
    scaled = ScaledRows.of(rows, prior, rows.bound(found.magnitude), narrow=False)
    return smallest_noise_factor(scaled, problem.shape).factor
