"""Is a certified motion ever unsafe? Certificates against the worst that is found, of drawn arms.

Arms of four to seven joints, some of which stand on a rail, hang on a wall, slide, or carry a
gripper whose fingers are held or may be anywhere, are drawn with their description and bounds,
bodies at arm's reach, and motions of four families, which are made smaller until one is certified.
Of each the worst of every constraint is then searched by Pinocchio and coal alone
(`test/promises/worst.py`: samples, then local maximisation over time and corners of the tube);
nothing may be worse than the certificate says. Then one limit is set to a thousandth less than that
worst needs: this must be refused. Times are the processor's, in one thread, of files and scene too.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from bench import options, show, tell

from payload_id import (
    Certificate,
    ConvexBody,
    FourierSeries,
    PayloadPrior,
    Refusal,
    SpeedLimits,
    certify,
    motion_through,
)
from payload_id.core.motion.bezier import BezierPiece
from payload_id.core.motion.motion_state import MotionState
from payload_id.core.motion.trajectory import Trajectory
from payload_id.core.motion.wave import WavePiece
from promises.arms import Arm
from promises.worst import SPEEDS, Found, Worst

NOWHERE = "none, bodies are drawn"
EXCESS = 1e-3  # part of what is needed, or [m], by which an unsafe motion exceeds a limit
TOUCH = 1e-6  # [m, or part of a limit] precision of coal
SIZES = (1.0, 0.5, 0.25, 0.12, 0.06)  # of a motion, tried in turn
KEYS = {"position": ("position_lower", "position_upper"), "velocity": ("velocity",),
        "acceleration": ("acceleration",), "torque": ("effort",),
        "holding torque": ("effort",)}  # fmt: skip
CAPS = dict(zip(SPEEDS, ("tool", "payload", "elbow", "energy"), strict=True))
LINK = """<link name="{name}"><inertial><origin xyz="0.01 -0.015 {half}"/><mass value="{mass}"/>
<inertia ixx="{i}" iyy="{i}" izz="{k}" ixy="{off}" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 {half}"/><geometry>{shape}</geometry></collision></link>"""
JOINT = """<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>
<limit lower="-{travel}" upper="{travel}" effort="100" velocity="5"/></joint>"""


class CountedArm(Arm):
    """An arm that counts the states at which it is looked at."""

    states = 0

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Return positions of joints as Pinocchio has them."""
        CountedArm.states += 1
        return super().configuration(q)


def link(rng: np.random.Generator, name: str, mass: float, length: float) -> str:
    """Return a link along z, with a body."""
    r, s = rng.uniform(0.03, 0.045), length / 3
    shape = (f'<cylinder radius="{r}" length="{length}"/>',
             f'<box size="{2 * r} {1.6 * r} {length}"/>', f'<sphere radius="{s}"/>')  # fmt: skip
    i, k = mass * (length**2 / 10 + 0.002), mass * 0.002
    return LINK.format(
        name=name, mass=mass, half=length / 2, i=i, k=k, off=0.02 * k, shape=shape[rng.integers(3)]
    )


def joint(name: str, kind: str, ends: tuple[str, str], xyz: Any, rpy: Any, axis: Any,
          travel: float = 2.5) -> str:  # fmt: skip
    """Return a joint between two links."""
    words = (" ".join(f"{x:.6f}" for x in part) for part in (xyz, rpy, axis))
    return JOINT.format(
        name=name, kind=kind, parent=ends[0], child=ends[1], travel=travel,
        **dict(zip(("xyz", "rpy", "axis"), words, strict=True)),
    )  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """An arm that was drawn.

    Attributes:
        folder: With its description.
        content: Of its robot file.
        fingers: Joints of its gripper and the ends of their travel [rad or m].
        held: Whether the file says where they are.
        traits: What it is like.
    """

    folder: Path
    content: dict[str, Any]
    fingers: dict[str, float]
    held: bool
    traits: tuple[str, ...]

    @classmethod
    def draw(cls, rng: np.random.Generator, folder: Path) -> Drawn:
        """Draw description and robot file."""
        n = int(rng.integers(4, 8))
        rail, slide, wall, gripper, held = (bool(x) for x in rng.random(5) < 0.4)
        kinds = rng.choice(["revolute", "continuous"], n, p=[0.8, 0.2]).tolist()
        kinds = ["prismatic", *kinds[1:]] if rail else kinds
        if slide:
            kinds[rng.integers(1, n)] = "prismatic"
        text, parent, height = ['<robot name="drawn"><link name="base"/>'], "base", 0.1
        for k, kind in enumerate(kinds):
            length = float(rng.uniform(0.12, 0.3))
            axis = np.eye(3)[0 if kind == "prismatic" else (2, 1, 0)[k % 3]]
            axis = axis + 0.05 * rng.normal(size=3)
            place = (rng.uniform(-0.03, 0.03), 0.0, height)
            text.append(link(rng, f"link_{k}", rng.uniform(0.5, 3.0) * 0.75**k, length))
            text.append(joint(f"joint_{k}", kind, (parent, f"link_{k}"), place,
                              rng.uniform(-0.2, 0.2, 3), axis / np.linalg.norm(axis)))  # fmt: skip
            parent, height = f"link_{k}", length + 0.07
        kind, travel = [("prismatic", 0.03), ("revolute", 0.8)][rng.integers(2)]
        fingers = {f"finger_{s}_joint": travel for s in range(2)} if gripper else {}
        for s, name in enumerate(fingers):
            axis = (1.0, 0.0, 0.0) if kind == "prismatic" else (0.0, 1.0, 0.0)
            text.append(link(rng, f"finger_{s}", 0.1, 0.06))
            text.append(joint(name, kind, (parent, f"finger_{s}"), (0.12 * s - 0.06, 0.0, height),
                              np.zeros(3), axis, travel))  # fmt: skip
        text.append('<link name="tool"/>')
        text.append(joint("mount", "fixed", (parent, "tool"), (0.01, 0.0, height),
                          rng.uniform(-0.5, 0.5, 3), (1.0, 0.0, 0.0)))  # fmt: skip
        (folder / "drawn.urdf").write_text("\n".join([*text, "</robot>"]))
        down = rng.normal(size=3) if wall else np.array([0.0, 0.0, -1.0])
        error = rng.uniform(1e-4, 5e-3)
        upper = [None if kind == "continuous" else 2.4 for kind in kinds]
        content = {
            "name": "drawn", "urdf": "drawn.urdf", "mass_factor": 1.0,
            "joints": [f"joint_{k}" for k in range(n)],
            "payload_frame": "tool", "gravity": (9.81 * down / np.linalg.norm(down)).tolist(),
            "joint_states": {"topic": "/joint_states", "rate": 250.0},
            "effort": {"source": "torque"},
            "control": {"tracking_position": error, "tracking_velocity": 5 * error,
                        "tracking_acceleration": 50 * error},
            "driver": {"goal": {"path": 1.0, "end": 1.0}},
            "uncertainty": {
                "link_relative": rng.uniform(0.0, 0.1), "friction_coulomb": rng.uniform(0.0, 2.0),
                "friction_viscous": rng.uniform(0.0, 1.0), "rotor_inertia": rng.uniform(0.0, 0.3),
                "stiction_velocity": rng.uniform(0.0, 0.02),
            },
            "limits": {"use": "own", "sets": {"own": {
                "position_lower": [None if x is None else -x for x in upper],
                "position_upper": upper, "velocity": [3.0] * n, "acceleration": [20.0] * n,
                "effort": [600.0 if kind == "prismatic" else 300.0 for kind in kinds],
            }}},
        }  # fmt: skip
        named = {"rail": rail, "slide": slide, "wall": wall, "gripper": gripper,
                 "fingers held": gripper and held}  # fmt: skip
        traits = tuple(name for name, has in named.items() if has) or ("plain",)
        return cls(folder, content, fingers, held, traits)

    def arm(self, fingers: dict[str, float], limits: dict[str, Any] | None = None) -> CountedArm:
        """Write a robot file, with fingers where they are said to be and other limits."""
        sets = {"own": self.content["limits"]["sets"]["own"] | (limits or {})}
        content = {**self.content, "limits": {"use": "own", "sets": sets}}
        path = self.folder / f"drawn_{len(list(self.folder.iterdir()))}.yaml"
        path.write_text(json.dumps(content | ({"passive_joints": fingers} if fingers else {})))
        return CountedArm(str(path))

    def places(self, rng: np.random.Generator) -> list[dict[str, float]]:
        """Return where fingers may be: where held ones are, else both ends and between."""
        parts = [rng.uniform(-1.0, 1.0)] if self.held or not self.fingers else [-1.0, 1.0, 0.3]
        return [{name: part * end for name, end in self.fingers.items()} for part in parts]


def motion(rng: np.random.Generator, start: np.ndarray, size: float) -> Trajectory:
    """Return a motion from rest to rest."""
    n, T, kind = len(start), rng.uniform(1.0, 4.0), rng.integers(4)
    ways = size * rng.normal(size=(n, 3))
    if kind == 0:
        return FourierSeries.from_free(start, 0.5 * ways[:, None] * rng.normal(size=(n, 2, 1)), T)
    if kind == 1:
        return motion_through([start, start + ways[:, 0], start + ways[:, 1]], [T, T])
    still = MotionState.at_rest(start)
    return BezierPiece(still, ways[:, 0], T) if kind == 2 else WavePiece(still, ways[:, 0], ways, T)


def around(rng: np.random.Generator, count: int) -> tuple[ConvexBody, ...]:
    """Return bodies at arm's reach."""
    found = []
    for k in range(count):
        kind = ("box", "sphere", "cylinder", "capsule")[rng.integers(4)]
        size = rng.uniform(0.03, 0.15, {"box": 3, "sphere": 1}.get(kind, 2))
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        way = rng.normal(size=3)
        place = rng.uniform(0.5, 1.2) * way / np.linalg.norm(way) + [0.0, 0.0, 0.4]
        R[:, 0] *= np.sign(np.linalg.det(R))
        found.append(ConvexBody.primitive(kind, size, R, place, f"body {k}"))
    return tuple(found)


@dataclass
class Tally:
    """What is counted: traits and families, times, slack and unsafe motions by constraint."""

    drawn: Counter[str] = field(default_factory=Counter)
    times: dict[type, list[float]] = field(default_factory=lambda: defaultdict(list))
    slack: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    unsafe: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def ask(self, arm: Arm, path: Trajectory, given: dict[str, Any]) -> Certificate | Refusal:
        """Certify, and note the time."""
        robot, began = arm.file, time.process_time()
        outcome = certify(robot, path, cell=NOWHERE, **given)
        self.times[type(outcome)].append(time.process_time() - began)
        return outcome


def trial(seed: int, folder: Path, tally: Tally) -> None:
    """Draw arms until a motion of one is certified; search the worst, and make it unsafe."""
    rng, outcome = np.random.default_rng([seed, 5]), None
    while not isinstance(outcome, Certificate):
        where = folder / str(len(list(folder.iterdir())))
        where.mkdir()
        drawn = Drawn.draw(rng, where)
        places = drawn.places(rng)
        fingers = places[0] if drawn.held else {}
        arm = drawn.arm(fingers)
        limited = rng.random(4) < 0.3
        caps = np.where(limited, rng.uniform([2.0, 2.0, 1.5, 20.0], [4.0, 4.0, 3.0, 80.0]), np.inf)
        given = {
            "clearance": rng.choice([0.0, 0.01]), "payload_box": rng.uniform(0.03, 0.1, 3),
            "payload_box_centre": (0.0, 0.0, 0.06), "speeds": SpeedLimits(*caps.tolist()),
            "prior": PayloadPrior(rng.uniform(0.3, 3.0), rng.uniform(0.05, 0.15)),
            "obstacles": around(rng, int(rng.integers(0, 6))),
        }  # fmt: skip
        start = rng.uniform(-1.0, 1.0, len(arm.file.joints))
        state = rng.bit_generator.state
        for size in SIZES:
            rng.bit_generator.state = state  # the same motion, smaller
            path = motion(rng, start, size)
            outcome = tally.ask(arm, path, given)
            if isinstance(outcome, Certificate):
                break
    tally.drawn.update([*drawn.traits, path.family])
    found = worst_of(drawn, arm, places, path, given)
    for margin in outcome.margins:
        name, own = margin.constraint, found[margin.constraint].left
        own -= given["clearance"] if name not in KEYS | CAPS else 0.0
        tally.slack[name].append(own - margin.left)
        if not own - margin.left >= -TOUCH:
            tally.wrong.append(f"{seed}: {margin}, found {own:.6g}")
    name = sorted(found)[rng.integers(len(found))]
    tighter, stated = exceeded(drawn, fingers, given, name, found[name])
    tally.unsafe[name] += 1
    if isinstance(tally.ask(tighter, path, stated), Certificate):
        tally.wrong.append(f"{seed}: {name} exceeded by {EXCESS} and certified")


def worst_of(
    drawn: Drawn, arm: Arm, places: list[dict[str, float]], path: Trajectory, given: dict[str, Any]
) -> dict[str, Found]:
    """Return the worst of every constraint, wherever the fingers are."""
    worst: dict[str, Found] = {}
    for fingers in places:
        here = arm if drawn.held or not fingers else drawn.arm(fingers)
        own = Worst(
            here, given["prior"], "", given["payload_box"], given["payload_box_centre"],
            given["obstacles"], given["speeds"],
        ).of(path)  # fmt: skip
        for name, found in own.items():
            if name not in worst or found.left < worst[name].left:
                worst[name] = found
    return worst


def exceeded(
    drawn: Drawn, fingers: dict[str, float], given: dict[str, Any], name: str, worst: Found
) -> tuple[Arm, dict[str, Any]]:
    """Return arm and bounds of which a motion's worst exceeds one limit by a little."""
    part = (1.0 - worst.left) * (1.0 - EXCESS)
    if name in CAPS:
        cap = part * getattr(given["speeds"], CAPS[name])
        return drawn.arm(fingers), given | {"speeds": replace(given["speeds"], **{CAPS[name]: cap})}
    if name not in KEYS:
        return drawn.arm(fingers), given | {"clearance": worst.left + EXCESS}
    limits, j = {}, drawn.content["joints"].index(worst.where[0])
    for key in KEYS[name]:
        limits[key] = list(drawn.content["limits"]["sets"]["own"][key])
        limits[key][j] *= part
    return drawn.arm(fingers, limits), given


def main() -> int:
    """Run the campaign; 1 if anything unsound was found."""
    given, tally = options(trials=1000, seed=0), Tally()
    for seed in range(given.seed, given.seed + given.trials):
        with tempfile.TemporaryDirectory() as folder:
            trial(seed, Path(folder), tally)
    tell(f"Drawn: {dict(tally.drawn)}")
    show("Time of one certification, scene and files too [s]",
         ("outcome", "count", "median", "95 %", "largest"),
         ((kind.__name__, len(x), *np.quantile(x, [0.5, 0.95, 1.0]))
          for kind, x in tally.times.items()))  # fmt: skip
    show(
        f"{CountedArm.states} states looked at for {given.trials} certified motions",
        ("constraint", "least (found - certified) [part, or m]", "unsafe ones"),
        ((name, f"{min(x):.2e}", tally.unsafe[name]) for name, x in sorted(tally.slack.items())),
    )
    tell(f"{tally.unsafe.total()} unsafe motions; {len(tally.wrong)} wrong answers", *tally.wrong)
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
