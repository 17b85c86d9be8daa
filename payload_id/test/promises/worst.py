"""The worst that a motion does within stated bounds: searched with Pinocchio and coal."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import coal
import numpy as np
import pinocchio as pin
from scipy.optimize import minimize_scalar

from payload_id import ConvexBody, PayloadPrior, SpeedLimits

from .arms import TO_PINOCCHIO, Arm, phi_of

TIMES = 40  # at which a worst case is first looked for
DENSE = 20_001  # at which positions, velocities and accelerations are looked at
BEST = 5  # places from which the search goes on
SPEEDS = ("tool speed", "payload speed", "elbow speed", "kinetic energy")
SURFACE = np.random.default_rng(0).normal(size=(100, 3))
SURFACE /= np.linalg.norm(SURFACE, axis=1)[:, None]


@dataclass(frozen=True)
class Found:
    """The worst of one constraint.

    Attributes:
        left: Part of the limit that is left [-]; of a clearance the distance [m].
        where: Joint, or two bodies.
        time: When [s].
    """

    left: float
    where: tuple[str, ...]
    time: float


@dataclass(frozen=True)
class Body:
    """A convex body: link, joint of Pinocchio (0: the base), shape, pose in the joint's frame."""

    link: str
    joint: int
    shape: Any
    pose: pin.SE3


@dataclass(frozen=True)
class Worst:
    """What is stated of an arm, its payload and its cell.

    Attributes:
        arm: The robot file.
        prior: Of the payload; None: the robot file's.
        limits: Name of a set of joint limits; empty: the one in use.
        box: Lengths of the payload's box in the payload frame [m]; None: no volume.
        centre: Its centre [m].
        obstacles: In the base frame.
        speeds: Limits of speeds in space.
        gravity_error: Of each component of gravity, beside the robot file's [m/s2].
        payload: Ends of phi; None: the prior's.
        errors: Largest tracking errors of position, velocity and acceleration, shape (n,) each;
            None: those that the robot file states.
    """

    arm: Arm
    prior: PayloadPrior | None = None
    limits: str = ""
    box: Sequence[float] | None = None
    centre: Sequence[float] = (0.0, 0.0, 0.0)
    obstacles: tuple[ConvexBody, ...] = ()
    speeds: SpeedLimits = field(default_factory=SpeedLimits)
    gravity_error: float = 0.0
    payload: tuple[np.ndarray, np.ndarray] | None = None
    errors: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None

    def of(self, motion: Any) -> dict[str, Found]:
        """Return the worst of every constraint that there is."""
        found = self.kinematic(motion)
        joints, limit = self.arm.file.joints, np.asarray(self.set.torque)
        (found["torque"],) = self.extremes(motion, self.torque, limit, joints, together=True)
        (found["holding torque"],) = self.extremes(
            motion, self.torque, limit, joints, together=True, still=True
        )
        caps = dict(zip(SPEEDS, vars(self.speeds).values(), strict=True))
        if np.isfinite(list(caps.values())).any():
            every = self.extremes(motion, self.fastest, np.array(list(caps.values())), SPEEDS)
            found |= {x.where[0]: x for x in every if np.isfinite(caps[x.where[0]])}
        return found | self.clearances(motion)

    # What is stated.

    @cached_property
    def set(self) -> Any:
        """The set of joint limits."""
        file = self.arm.file
        return file.limit_sets[self.limits] if self.limits else file.limits

    @cached_property
    def tube(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Largest tracking errors of position, velocity and acceleration."""
        if self.errors is not None:
            return self.errors
        control, slow = self.arm.file.control, max(self.speeds.tool, self.speeds.elbow) <= 0.5
        part, n = control.tracking_slow if slow else 1.0, self.arm.n
        stated = (control.tracking_position, part * np.asarray(control.tracking_velocity),
                  part * np.asarray(control.tracking_acceleration))  # fmt: skip
        return tuple(np.broadcast_to(np.asarray(x, dtype=float), n) for x in stated)

    def each(self, name: str) -> np.ndarray:
        """Return a bound of the robot file for each joint."""
        return np.broadcast_to(getattr(self.arm.file.uncertainty, name), self.arm.n)

    @cached_property
    def parameters(self) -> tuple[np.ndarray, np.ndarray]:
        """Middle and half-width of the links' parameters and the payload's, shape (n + 1, 10)."""
        links, stated = self.arm.links(), self.arm.file.uncertainty
        prior = (self.prior or stated.prior).box() if self.payload is None else self.payload
        lower, upper = prior
        middle = np.vstack([links, ((lower + upper) / 2)[None]])
        return middle, np.vstack([stated.link_relative * np.abs(links), (upper - lower)[None] / 2])

    @cached_property
    def frame(self) -> pin.Frame:
        """The payload frame."""
        return self.arm.model.frames[self.arm.model.getFrameId(self.arm.file.payload_frame)]

    @cached_property
    def carried(self) -> np.ndarray:
        """What makes phi in the payload frame parameters of its joint's body, shape (10, 10)."""
        h = self.frame.placement.homogeneous
        return np.array([_unpacked(h @ _pseudo(unit) @ h.T) for unit in np.eye(10)]).T

    @cached_property
    def data(self) -> pin.Data:
        """Of Pinocchio."""
        return self.model.createData()

    @cached_property
    def model(self) -> pin.Model:
        """The bare arm."""
        return self.arm.model.copy()

    # Positions, velocities, accelerations.

    def kinematic(self, motion: Any) -> dict[str, Found]:
        """Return the worst position, velocity and acceleration, as parts of their limits."""
        t = np.linspace(0.0, motion.duration, DENSE)
        at, limits, found = motion.at(t), self.set, {}
        low, high = np.asarray(limits.position_lower), np.asarray(limits.position_upper)
        for name, x, error, a, b in (
            ("position", at.q, self.tube[0], low, high),
            ("velocity", at.dq, self.tube[1], -limits.velocity, limits.velocity),
            ("acceleration", at.ddq, self.tube[2], -limits.acceleration, limits.acceleration),
        ):
            bounded = np.isfinite(b - a)
            a, b = a[bounded], b[bounded]
            half, middle = (b - a) / 2, (a + b) / 2
            left = 1.0 - (np.abs(x[:, bounded] - middle) + error[bounded]) / half
            k, j = np.unravel_index(np.argmin(left), left.shape)
            joint = np.array(self.arm.file.joints)[bounded][j]
            found[name] = Found(float(left[k, j]), (str(joint),), float(t[k]))
        return found

    # Torques, speeds and energy at a state.

    def torque(self, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> np.ndarray:
        """Return the largest |torque| of each joint over all parameters in the box [N m]."""
        error = self.gravity_error + self.arm.file.uncertainty.gravity_error
        plain = np.asarray(self.arm.file.gravity)
        signs = itertools.product((-1, 1), repeat=3) if error else ((0, 0, 0),)
        most = np.zeros(self.arm.n)
        for sign in signs:
            self.model.gravity.linear = plain + error * np.array(sign)
            most = np.maximum(most, self._torque(q, dq, ddq))
        return most

    def _torque(self, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> np.ndarray:
        n, file = self.arm.n, self.arm.file.uncertainty
        Y = pin.computeJointTorqueRegressor(
            self.model, self.data, self.arm.configuration(q), dq, ddq
        )
        Y = self._with_payload(np.asarray(Y))
        middle, half = (x.ravel() for x in self.parameters)
        lower = Y @ middle - np.abs(Y) @ half
        upper = lower + 2 * np.abs(Y) @ half
        coulomb = self.each("friction_coulomb") + self.each("friction_stribeck")
        slow = np.abs(dq) <= file.stiction_velocity
        upper = upper + np.where((dq > 0) | slow, coulomb, 0.0)
        lower = lower - np.where((dq < 0) | slow, coulomb, 0.0)
        for bound, factor in (("friction_viscous", dq), ("rotor_inertia", ddq)):
            upper = upper + np.maximum(0.0, self.each(bound) * factor)
            lower = lower + np.minimum(0.0, self.each(bound) * factor)
        assert len(upper) == n
        return np.maximum(upper, -lower)

    def _with_payload(self, Y: np.ndarray) -> np.ndarray:
        k = 10 * (self.frame.parentJoint - 1)
        return np.hstack([Y, Y[:, k : k + 10] @ self.carried])

    def disturbance(self, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> np.ndarray:
        """Return how far torques may be from those of the middle of all parameters [N m]."""
        Y = pin.computeJointTorqueRegressor(
            self.model, self.data, self.arm.configuration(q), dq, ddq
        )
        control = self.arm.file.control
        rotor = control.rotor_inertia_relative * np.asarray(control.rotor_inertia) * np.abs(ddq)
        return np.abs(self._with_payload(np.asarray(Y))) @ self.parameters[1].ravel() + rotor

    def inertia(self, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return a mass matrix: the least rotors, links within their bound, a payload of points."""
        n, prior = self.arm.n, self.prior or self.arm.file.uncertainty.prior
        links = self.arm.links() * (
            1.0 + self.arm.file.uncertainty.link_relative * rng.choice([-1, 1], (n, 1))
        )
        x = rng.normal(size=3)
        x *= prior.com_max / np.linalg.norm(x)
        payload = phi_of(prior.mass_max * rng.choice([0.0, 1.0]), x, np.zeros((3, 3)))
        theta = np.vstack([links, payload[None]]).ravel()
        torques = []
        for ddq in (np.zeros(n), *np.eye(n)):
            Y = pin.computeJointTorqueRegressor(
                self.model, self.data, self.arm.configuration(q), np.zeros(n), ddq
            )
            torques.append(self._with_payload(np.asarray(Y)) @ theta)
        control = self.arm.file.control
        rotor = (1 - control.rotor_inertia_relative) * np.asarray(control.rotor_inertia)
        return np.array(torques[1:]) - torques[0] + np.diag(rotor)

    def fastest(self, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> np.ndarray:
        """Return the largest speed of tool, payload and other links [m/s], and the energy [J]."""
        pin.forwardKinematics(self.model, self.data, self.arm.configuration(q), dq)
        most = np.zeros(4)
        for group, joint, points in self.points:
            v = self.data.v[joint]
            speed = np.linalg.norm(v.linear + np.cross(v.angular, points), axis=1).max()
            most[group] = max(most[group], speed)
        Y = pin.computeKineticEnergyRegressor(self.model, self.data, self.arm.configuration(q), dq)
        Y = self._with_payload(np.asarray(Y)[None])[0]
        middle, half = (x.ravel() for x in self.parameters)
        most[3] = Y @ middle + np.abs(Y) @ half
        return most

    @cached_property
    def points(self) -> list[tuple[int, int, np.ndarray]]:
        """Points of the bodies' surfaces in their joints' frames, with group and joint."""
        found = [(0, self.frame.parentJoint, self.frame.placement.translation[None])]
        for body in (*self.bodies, *self.held):
            if body.joint:
                own = body.link == "payload"
                group = 1 if own else 0 if body.joint == self.frame.parentJoint else 2
                points = _surface(body.shape) @ body.pose.rotation.T + body.pose.translation
                found.append((group, body.joint, points))
        return found

    # The worst of a function of the state within the tube.

    def extremes(
        self,
        motion: Any,
        function: Callable[..., np.ndarray],
        limit: np.ndarray,
        names: Sequence[str],
        together: bool = False,
        still: bool = False,
    ) -> list[Found]:
        """Return where a function of the state, never negative, uses most of its limits.

        Args:
            motion: The motion.
            function: Of position, velocity and acceleration; one number for each name.
            limit: Of each.
            names: Of each.
            together: One result for all names in place of one for each.
            still: Without the motion's velocities and accelerations.
        """
        moving, errors, n = 0.0 if still else 1.0, np.concatenate(self.tube), self.arm.n

        def used(t: float, e: np.ndarray) -> np.ndarray:
            at = motion.at(np.array([min(max(t, 0.0), motion.duration)]))
            q, dq, ddq = at.q[0] + e[:n], moving * at.dq[0] + e[n : 2 * n], moving * at.ddq[0]
            return function(q, dq, ddq + e[2 * n :]) / limit

        grid, places = np.linspace(0.0, motion.duration, TIMES), []
        for t in grid:
            plain = used(t, 0.0 * errors)
            slope = np.array([used(t, d) - plain for d in np.diag(errors)])
            for j in np.argsort(plain)[-2:] if together else range(len(names)):
                e = np.where(slope[:, j] < 0, -errors, errors)
                places.append((used(t, e)[j], t, j, e))
        places.sort(key=lambda x: -x[0])
        groups = (
            [places] if together else [[x for x in places if x[2] == j] for j in range(len(names))]
        )
        return [
            min(
                (
                    self._climbed(lambda t, e, j=x[2]: used(t, e)[j], x, grid[1], names)
                    for x in group[:BEST]
                ),
                key=lambda x: x.left,
            )
            for group in groups
        ]

    def _climbed(
        self, used: Callable[..., float], place: tuple, step: float, names: Sequence[str]
    ) -> Found:
        """Return a local worst case, from a time and a corner of the tube on."""
        value, t, j, e = place
        for _ in range(2):
            line = minimize_scalar(
                lambda x, e=e: -used(x, e), bounds=(max(0.0, t - step), t + step), method="bounded",
                options={"xatol": 1e-3 * step},
            )  # fmt: skip
            if -line.fun > value:
                value, t = -line.fun, line.x
            for k in np.flatnonzero(e):
                flipped = np.where(np.arange(len(e)) == k, -e, e)
                if (other := used(t, flipped)) > value:
                    value, e = other, flipped
        return Found(float(1.0 - value), (names[j],), float(t))

    # Distances.

    @cached_property
    def bodies(self) -> list[Body]:
        """Collision bodies of the description."""
        whole = pin.buildModelFromXML(self.arm.file.urdf)
        geometry = pin.buildGeomFromUrdfString(
            whole, self.arm.file.urdf, pin.GeometryType.COLLISION
        )
        found = []
        for item in geometry.geometryObjects:
            own = whole.frames[item.parentFrame]
            frame = self.arm.model.frames[self.arm.model.getFrameId(own.name)]
            pose = frame.placement * own.placement.inverse() * item.placement
            found.append(Body(frame.name, frame.parentJoint, item.geometry, pose))
        return found

    @cached_property
    def held(self) -> list[Body]:
        """The payload's box."""
        if self.box is None:
            return []
        place = pin.SE3(np.eye(3), np.asarray(self.centre, dtype=float))
        pose = self.frame.placement * place
        return [Body("payload", self.frame.parentJoint, coal.Box(*self.box), pose)]

    @cached_property
    def pairs(self) -> list[tuple[str, Body, Body]]:
        """Pairs of bodies that something moves against each other, with their constraint."""
        joined = _joined(self.arm)
        around = [
            Body(x.name, 0, _shape(x), pin.SE3(x.rotation, x.translation)) for x in self.obstacles
        ]
        found = []
        for one, other in itertools.combinations((*self.bodies, *self.held), 2):
            own = "payload" not in (one.link, other.link)
            if one.joint == other.joint or (own and frozenset((one.link, other.link)) in joined):
                continue
            found.append(("self-collision" if own else "payload volume", one, other))
        for one, other in itertools.product((*self.bodies, *self.held), around):
            if one.joint:
                own = one.link != "payload"
                found.append(("obstacles" if own else "payload volume", one, other))
        return found

    def distance(self, one: Body, other: Body) -> float:
        """Return the distance of two bodies where the joints have been put by `put`."""
        poses = [self.data.oMi[x.joint] * x.pose for x in (one, other)]
        a, b = (coal.Transform3s(x.rotation, x.translation) for x in poses)
        request, result = coal.DistanceRequest(), coal.DistanceResult()
        return float(coal.distance(one.shape, a, other.shape, b, request, result))

    def put(self, q: np.ndarray) -> None:
        """Put the joints somewhere."""
        pin.forwardKinematics(self.model, self.data, self.arm.configuration(q))

    def clearances(self, motion: Any) -> dict[str, Found]:
        """Return the smallest distance of each constraint, tracking errors included [m]."""
        times = np.linspace(0.0, motion.duration, 3 * TIMES)
        near: dict[str, list[tuple[float, float, Body, Body]]] = {}
        for t, q in zip(times, motion.at(times).q, strict=True):
            self.put(q)
            for name, one, other in self.pairs:
                near.setdefault(name, []).append((self.distance(one, other), t, one, other))
        found = {}
        for name, places in near.items():
            least = sorted(places, key=lambda x: x[0])[: 3 * BEST]
            refined = [self._closer(motion, times[1], *x[1:]) for x in least]
            found[name] = min(refined, key=lambda x: x.left)
        return found

    def _closer(self, motion: Any, step: float, t: float, one: Body, other: Body) -> Found:
        """Return a smallest distance of two bodies, from a time on."""

        def gap(t: float, e: np.ndarray) -> float:
            self.put(motion.at(np.array([min(max(t, 0.0), motion.duration)])).q[0] + e)
            return self.distance(one, other)

        errors = self.tube[0]
        plain = gap(t, 0 * errors)
        e = np.where([gap(t, d) < plain for d in np.diag(errors)], errors, -errors)
        pair = tuple(sorted((one.link, other.link)))
        found = self._climbed(lambda t, e: -gap(t, e), (-gap(t, e), t, 0, e), step, pair)
        return Found(found.left - 1.0, pair, min(found.time, motion.duration))


def _joined(arm: Arm) -> set[frozenset[str]]:
    """Return the pairs of links that one movable joint joins directly."""
    model = arm.model
    links = {}
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY:
            links.setdefault(frame.parentJoint, []).append(frame.name)
    return {
        frozenset((one, other))
        for joint in range(1, model.njoints)
        for one in links.get(joint, [])
        for other in links.get(model.parents[joint], [])
    }


def _shape(body: ConvexBody) -> Any:
    """Return an obstacle's shape."""
    if body.kind == "box":
        return coal.Box(*body.size)
    if body.kind == "sphere":
        return coal.Sphere(*body.size)
    if body.kind in ("cylinder", "capsule"):
        return {"cylinder": coal.Cylinder, "capsule": coal.Capsule}[body.kind](*body.size)
    assert body.kind == "half_space", body.kind
    return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)


def _surface(shape: Any) -> np.ndarray:
    """Return points on the surface of a shape."""
    if isinstance(shape, coal.Box):
        return np.array(list(itertools.product((-1, 1), repeat=3))) * shape.halfSide
    if isinstance(shape, coal.Sphere):
        return SURFACE * shape.radius
    along = np.sign(SURFACE[:, 2:]) * [[0.0, 0.0, shape.halfLength]]
    if isinstance(shape, coal.Capsule):
        return SURFACE * shape.radius + along
    assert isinstance(shape, coal.Cylinder), shape
    ring = SURFACE[:, :2] / np.linalg.norm(SURFACE[:, :2], axis=1)[:, None]
    return np.hstack([ring * shape.radius, along[:, 2:]])


def _pseudo(pinocchio_order_free: np.ndarray) -> np.ndarray:
    """Return the pseudo-inertia of phi."""
    m, h, (xx, xy, xz, yy, yz, zz) = (
        pinocchio_order_free[0], pinocchio_order_free[1:4], pinocchio_order_free[4:]
    )  # fmt: skip
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = np.trace(inertia) / 2 * np.eye(3) - inertia
    matrix[:3, 3] = matrix[3, :3] = h
    matrix[3, 3] = m
    return matrix


def _unpacked(pseudo: np.ndarray) -> np.ndarray:
    """Return the parameters of a pseudo-inertia in Pinocchio's order."""
    inertia = np.trace(pseudo[:3, :3]) * np.eye(3) - pseudo[:3, :3]
    phi = np.array([pseudo[3, 3], *pseudo[:3, 3], *inertia[np.triu_indices(3)]])
    return phi[TO_PINOCCHIO]
