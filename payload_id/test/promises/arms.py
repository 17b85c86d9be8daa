"""Arms, payloads and recordings: Pinocchio's inverse dynamics, errors within stated bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin

from payload_id import Recording, RobotFile, RobotModel, Uncertainty

START_NS = 1_700_000_000_000_000_000  # of the stamps [ns]
TO_PINOCCHIO = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # its order is Ixx, Ixy, Iyy, Ixz, Iyz, Izz


def phi_of(mass: float, com: np.ndarray, inertia_at_com: np.ndarray) -> np.ndarray:
    """Return the ten parameters of a body about its frame's origin."""
    com = np.asarray(com, dtype=float)
    about = inertia_at_com + mass * (com @ com * np.eye(3) - np.outer(com, com))
    return np.array([mass, *(mass * com), *about[np.triu_indices(3)]])


def drawn_payload(
    rng: np.random.Generator, lightest: float = 0.3, heaviest: float = 2.0
) -> np.ndarray:
    """Return a body of point masses in a box of 16 cm before the flange: always physical."""
    mass = rng.uniform(lightest, heaviest)
    points = rng.uniform(-0.08, 0.08, (8, 3)) + [0.0, 0.0, 0.1]
    part = mass * rng.dirichlet(np.ones(8))
    com = part @ points / mass
    away = points - com
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(part, away, strict=True))
    return phi_of(mass, com, inertia)


@dataclass(frozen=True)
class Motion:
    """Times [s], and positions, velocities and accelerations of joints, shapes (N, n)."""

    time: np.ndarray
    q: np.ndarray
    dq: np.ndarray
    ddq: np.ndarray


@dataclass(frozen=True)
class Arm:
    """A shipped arm, or one of a robot file.

    Attributes:
        name: Of the robot, or the path of its file.
    """

    name: str = "kinova_gen3"

    @cached_property
    def file(self) -> RobotFile:
        """The robot file."""
        return RobotFile.load(self.name)

    @cached_property
    def robot(self) -> RobotModel:
        """The product's model of it."""
        return RobotModel.from_robot_file(self.file)

    @cached_property
    def model(self) -> pin.Model:
        """Pinocchio's own model of the description, its other joints held where the file says."""
        whole = pin.buildModelFromXML(self.file.urdf)
        others = [x for x in whole.names[1:] if x not in self.file.joints]
        q = pin.neutral(whole)
        held = {x.name: x.place for x in self.file.held if x.name in others}
        for joint, value in held.items():
            q[whole.joints[whole.getJointId(joint)].idx_q] = value
        model = pin.buildReducedModel(whole, [whole.getJointId(x) for x in others], q)
        assert tuple(model.names)[1:] == tuple(self.file.joints)
        model.gravity.linear = np.asarray(self.file.gravity)
        return model

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.model.nv

    @property
    def home(self) -> np.ndarray:
        """A pose in the middle [rad]."""
        return np.zeros(self.n) if self.file.home is None else np.asarray(self.file.home)

    def links(self, rng: np.random.Generator | None = None, relative: float = 0.0) -> np.ndarray:
        """Return the links' parameters, shape (n, 10): as described, or off by up to a fraction."""
        described = np.array([x.toDynamicParameters() for x in self.model.inertias.tolist()[1:]])
        if rng is None:
            return described
        while True:  # bodies that are off by that and still are bodies
            drawn = described * (1 + relative * rng.uniform(-1, 1, described.shape))
            if all(is_physical(x) for x in drawn):
                return drawn

    def motion(
        self, rng: np.random.Generator, seconds: float = 4.0, rate: float = 250.0, size: float = 0.4
    ) -> Motion:
        """Return a sum of sines about home that begins and ends where it likes."""
        t = np.arange(round(seconds * rate)) / rate
        w = 2 * np.pi / 4.0 * np.arange(1, 5)
        a, b = size * rng.normal(size=(2, 4, self.n)) / np.arange(1, 5)[:, None]
        sine, cosine = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
        return Motion(
            t, self.home + sine @ a + cosine @ b, (cosine * w) @ a - (sine * w) @ b,
            -(sine * w**2) @ a - (cosine * w**2) @ b,
        )  # fmt: skip

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Return positions of joints as Pinocchio has them, with sine and cosine where endless."""
        return pin.integrate(self.model, pin.neutral(self.model), np.asarray(q, dtype=float))

    def loaded(self, phi: np.ndarray, links: np.ndarray | None = None) -> pin.Model:
        """Return the model with a payload and links' parameters of its own."""
        model = self.model.copy()
        for k, parameters in enumerate(self.links() if links is None else links):
            model.inertias[k + 1] = pin.Inertia.FromDynamicParameters(parameters)
        frame = model.frames[model.getFrameId(self.file.payload_frame)]
        if phi[0] > 0:
            body = pin.Inertia.FromDynamicParameters(np.asarray(phi)[TO_PINOCCHIO])
            model.appendBodyToJoint(frame.parentJoint, body, frame.placement)
        return model

    def torques(
        self, motion: Motion, phi: np.ndarray, links: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the torques that move the arm with a payload, shape (N, n) [N m]."""
        model = self.loaded(phi, links)
        data = model.createData()
        rows = zip(motion.q, motion.dq, motion.ddq, strict=True)
        return np.array([pin.rnea(model, data, self.configuration(q), v, a) for q, v, a in rows])

    def recording(self, motion: Motion, tau: np.ndarray) -> Recording:
        """Return what sensors say as a recording."""
        return Recording(
            motion.time, motion.q, motion.dq, tau, joints=self.file.joints, start_ns=START_NS
        )


def is_physical(parameters: np.ndarray) -> bool:
    """Whether parameters in Pinocchio's order are those of a body."""
    inertia = pin.Inertia.FromDynamicParameters(parameters)
    pseudo = pin.PseudoInertia.FromInertia(inertia).toMatrix()
    return parameters[0] > 0 and bool(np.linalg.eigvalsh(pseudo)[0] > 0)


def noise(
    rng: np.random.Generator, tau: np.ndarray, bounds: Uncertainty, kind: str = "uniform"
) -> np.ndarray:
    """Return errors of torques within `torque_relative` and `torque_absolute`.

    Args:
        rng: What they are drawn from.
        tau: True torques, shape (N, n).
        bounds: The stated ones.
        kind: `uniform`, or `worst`: at the bound all the time, with a sign of each joint.
    """
    largest = np.asarray(bounds.torque_relative) * np.abs(tau) + np.asarray(bounds.torque_absolute)
    if kind == "worst":
        return largest * rng.choice([-1.0, 1.0], tau.shape[1])
    return largest * rng.uniform(-1, 1, tau.shape)
