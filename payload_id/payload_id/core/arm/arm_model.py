"""A serial arm as the mathematics needs it: joints, bodies, gravity and the payload's frame.

Pinocchio reads the description, lumps rigidly attached links and locks the joints that are not
named; what remains is a tree of one-degree-of-freedom joints with constant axes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin
from typing_extensions import Self

from ..arrays import Array, BoolArray, real_numbers
from ..body.inertial import FROM_PINOCCHIO, mass_com_inertia
from ..errors import InputError, ModelError, UnknownNameError, require_type
from .arm_history import ArmHistory
from .calibration import Calibration
from .description import (
    LEAST_INERTIA,
    ROUNDED,
    check_inertia,
    stated_mass,
    usable,
)
from .effort_scale import Scales, scales_differ
from .frames import frame_id, with_joints_held

MOST_GRAVITY = 1000.0  # [m/s2]
STANDARD_GRAVITY = (0.0, 0.0, -9.81)  # [m/s2] in the base frame, z up
LONGEST = 30.0  # [m] from base to payload; the arms of space stations have 18
MOST_JOINTS = 64  # what is computed of an arm grows with the cube of their number
NO_MASSES = (
    "The robot description has no inertias: every moving link has mass 0. Joint torques do not "
    "tell a payload from an arm of unknown weight: add <inertial> elements to the URDF, or "
    "identify with a force-torque sensor."
)
MASS_TOLERANCE = 1e-6  # relative, of what is read of a description


@dataclass(frozen=True)
class ArmModel:
    """Kinematics and nominal inertial parameters of an arm with n joints.

    Every joint moves by exp(S q) after a constant placement. Joint j carries body j: all links
    rigidly attached between joint j and the next, about the frame of joint j.

    Attributes:
        name: The description's robot name.
        joints: Joint names in the order of q, dq and tau.
        continuous: Which joints turn without limits, shape (n,).
        payload_frame: Frame to which the payload is rigidly attached.
        gravity: Gravity in the base frame, shape (3,) [m/s2].
        parent: Index of the joint before each joint, -1 for the base, shape (n,).
        rotation: Axes of each joint's frame at q = 0 in its parent's frame, shape (n, 3, 3).
        translation: Origin of each joint's frame in its parent's frame, shape (n, 3) [m].
        axis_linear: Linear part of the joint axis S in its own frame, shape (n, 3).
        axis_angular: Angular part of S, shape (n, 3).
        link_phi: Nominal inertial parameters of body j about the frame of joint j, shape (n, 10).
        payload_joint: Joint that carries the payload.
        payload_rotation: Axes of the payload frame in the frame of that joint, shape (3, 3).
        payload_translation: Its origin there, shape (3,) [m].
        pinocchio: The same arm as a Pinocchio model, joints in its own order (`order`).
        order: Index in q of Pinocchio's joints 1..n, shape (n,).
        calibration: What a bare-arm run has taught about this arm; None if there was none.
        history: What runs with known payloads have shown; None if there were none.
        travel: Least and largest phi of each body, shape (n, 10) each, where it carries joints
            that the model holds still but that may be in several places; None: none do.
        payload_play: By how much the payload frame may be turned [rad] and shifted [m] on its
            joint, since joints between them may be off the places where the model has them.
        effort: How efforts become torques; empty where torques are given as they are.
        doubt: Why the description's masses cannot be right, a sentence; empty where somebody has
            said that they are, or nothing speaks against it.
    """

    name: str
    joints: tuple[str, ...]
    continuous: tuple[bool, ...]
    payload_frame: str
    gravity: Array
    parent: tuple[int, ...]
    rotation: Array
    translation: Array
    axis_linear: Array
    axis_angular: Array
    link_phi: Array
    payload_joint: int
    payload_rotation: Array
    payload_translation: Array
    pinocchio: pin.Model
    order: tuple[int, ...]
    calibration: Calibration | None = None
    history: ArmHistory | None = None
    travel: tuple[Array, Array] | None = None
    payload_play: tuple[float, float] = (0.0, 0.0)
    effort: Scales = field(default_factory=dict)
    doubt: str = ""

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.joints)

    @property
    def length(self) -> float:
        """Distance from joint to joint, and from the last one to the payload, together [m]."""
        steps = [*self.translation, self.payload_translation]
        return float(np.linalg.norm(steps, axis=1).sum())

    @property
    def digest(self) -> str:
        """Hash of everything that enters the equations; equal digests mean equal arms."""
        text = repr((self.joints, self.payload_frame, self.parent, self.payload_joint))
        arrays = (
            self.gravity,
            self.rotation,
            self.translation,
            self.axis_linear,
            self.axis_angular,
            self.link_phi,
            self.payload_rotation,
            self.payload_translation,
            *(self.travel or ()),
            *([np.array(self.payload_play)] if any(self.payload_play) else []),
        )
        return hashlib.sha256(text.encode() + b"".join(a.tobytes() for a in arrays)).hexdigest()

    @property
    def link_range(self) -> tuple[Array, Array]:
        """Least and largest phi of each body that the description allows, shape (n, 10) each."""
        return (self.link_phi, self.link_phi) if self.travel is None else self.travel

    @cached_property
    def inertia_error(self) -> Array:
        """Least relative error of all moments of inertia that makes each body one, shape (n,).

        Largest less the sum of the other two, by the sum of all; 0 where a body may have them.
        """
        moments = np.zeros((self.n, 3))
        for moment, phi in zip(moments, self.link_phi, strict=True):
            if phi[0] > 0:
                moment[:] = np.linalg.eigvalsh(mass_com_inertia(phi)[2])
        total = moments.sum(axis=1)
        missing = np.maximum(2.0 * moments.max(axis=1) - total, 0.0)
        return np.where(missing > LEAST_INERTIA, missing / np.maximum(total, LEAST_INERTIA), 0.0)

    def check_masses(self) -> None:
        """Raise where the description has no masses, or doubtful ones: no torques follow from them.

        Raises:
            ModelError: Says which links, and what to do.
        """
        if self.doubt or not (self.link_phi[:, 0] > 0.0).any():
            raise ModelError(self.doubt or NO_MASSES)

    def check_inertias(self, link_relative: float) -> None:
        """Raise where a body cannot have the described inertia within its error.

        Args:
            link_relative: Relative error of the described inertial parameters.

        Raises:
            ModelError: Says which links, and what to state.
        """
        worst = int(np.argmax(self.inertia_error))
        if self.inertia_error[worst] > max(link_relative, ROUNDED):
            least = np.ceil(1e3 * self.inertia_error[worst]) / 1e3
            raise ModelError(
                f"{_moved(self.pinocchio, self.joints[worst])} has moments of inertia that no body "
                f"has: the largest is above the sum of the other two. Correct them in the URDF, or "
                f"state an error of the description that allows for it: link_relative of at least "
                f"{least:g}."
            )

    def with_calibration(self, calibration: Calibration | None) -> Self:
        """Return the arm together with what is known of it; None forgets what was known.

        Raises:
            InputError: The calibration is of another arm or tool, or of torques of another scale.
        """
        if calibration is not None:
            require_type(calibration, Calibration, "calibration", "a Calibration, or None")
            if otherwise := self.unlike(calibration):
                raise InputError(
                    f"The calibration was made {otherwise}. Calibrate this arm again, or remove "
                    "'calibration' from its robot file."
                )
        return replace(self, calibration=calibration)

    def unlike(self, learnt: Calibration | ArmHistory) -> str:
        """Return in words of which other arm, or torques, something was learnt; empty: of these."""
        if learnt.joints != self.joints:
            others = ", ".join(learnt.joints)
            return f"of an arm with the joints {others}; these are {', '.join(self.joints)}"
        if learnt.digest != self.digest:
            return "of another robot description, tool, payload frame or gravity"
        return scales_differ(learnt.effort, self.effort)

    @property
    def revolute(self) -> BoolArray:
        """Which joints turn, shape (n,); the others slide."""
        return np.asarray(self.axis_angular.any(axis=1))

    def supports(self) -> Array:
        """Return which joints move which body, shape (n + 1, n): bodies 0..n-1, then the payload.

        Entry (l, j) is 1 where joint j lies between the base and body l. Not to be written to.
        """
        return self._support

    @cached_property
    def _support(self) -> Array:
        """What `supports` returns."""
        support = np.zeros((self.n + 1, self.n))
        for body in range(self.n):
            joint = body
            while joint >= 0:
                support[body, joint] = 1.0
                joint = self.parent[joint]
        support[self.n] = support[self.payload_joint]
        support.flags.writeable = False
        return support

    @cached_property
    def base_to_tip(self) -> tuple[int, ...]:
        """The joints in an order in which every joint comes after its parent."""
        depth = self._support[:-1].sum(axis=1)
        return tuple(int(joint) for joint in np.argsort(depth, kind="stable"))

    @cached_property
    def joint_maps(self) -> Array:
        """What each joint does to its body, in its parent's frame: 12 vectors, shape (n, 12, 3).

        Axes of the body's frame are rows 0..2 + sin(q) rows 3..5 + cos(q) rows 6..8 (Rodrigues'
        formula), its origin row 9 + q row 10, and row 11 is the axis about which it turns.
        """
        x, y, z = self.axis_angular.T
        none = np.zeros(self.n)
        A = np.array([[none, -z, y], [z, none, -x], [-y, x, none]]).transpose(2, 0, 1)
        turns = [np.eye(3) + A @ A, A, -A @ A]
        moves = [self.axis_linear[:, :, None], self.axis_angular[:, :, None]]
        slide, axis = (self.rotation @ column for column in moves)
        columns = [*(self.rotation @ turn for turn in turns), self.translation[:, :, None]]
        maps = np.concatenate([*columns, slide, axis], axis=2)
        return np.ascontiguousarray(maps.transpose(0, 2, 1))

    @cached_property
    def _pinocchio_places(self) -> tuple[Array, Array, Array]:
        """Where each of Pinocchio's joints begins, whether as cosine and sine, its index in q."""
        joints = [self.pinocchio.joints[k] for k in range(1, self.n + 1)]
        first = np.array([joint.idx_q for joint in joints])
        return first, np.array([joint.nq == 2 for joint in joints]), np.array(self.order)

    def pinocchio_q(self, q: Array) -> Array:
        """Return Pinocchio's configuration vector for joint positions q, shape (n,) [rad or m].

        Raises:
            InputError: q is not of n finite numbers.
        """
        q = real_numbers(q, "q")
        if q.shape != (self.n,):
            raise InputError(f"q needs {self.n} numbers, one for each joint; found {q.shape}.")
        first, turns, order = self._pinocchio_places
        q = q[order]
        configuration = np.empty(self.pinocchio.nq)
        configuration[first] = np.where(turns, np.cos(q), q)
        configuration[first[turns] + 1] = np.sin(q[turns])
        return configuration

    @classmethod
    def from_xml(
        cls,
        urdf: str,
        payload_frame: str,
        joints: Sequence[str] | None = None,
        gravity: Sequence[float] | Array = STANDARD_GRAVITY,
    ) -> Self:
        """Read a URDF.

        Args:
            urdf: The description, XML text.
            payload_frame: Link or frame to which the payload is attached.
            joints: Joints in the order of the recordings; the others stay at neutral. None: every
                movable joint in the description's order.
            gravity: Gravity in the base frame, three numbers [m/s2].

        Raises:
            ModelError: The description cannot be read, has no usable joint or negative inertias.
            UnknownNameError: A joint or the frame does not exist.
        """
        require_type(urdf, str, "A robot description", "XML text, or the path of a file")
        require_type(payload_frame, str, "payload_frame", "the name of a link or frame")
        full = _build(urdf)
        movable = tuple(full.names)[1:]
        names = movable if joints is None else _as_names(joints)
        _check_names(names, movable, full, payload_frame)
        if len(names) > MOST_JOINTS:
            raise ModelError(
                f"An arm has at most {MOST_JOINTS} joints here, found {len(names)}: {names[0]} to "
                f"{names[-1]}. Name the joints that move the payload, or describe the arm alone."
            )
        locked = [full.getJointId(name) for name in movable if name not in names]
        model = with_joints_held(full, locked, pin.GeometryModel())[0] if locked else full
        g = real_numbers(gravity, "gravity")
        if g.shape != (3,) or not (np.abs(g) <= MOST_GRAVITY).all():
            raise InputError(
                f"gravity needs three finite numbers [m/s2], none beyond {MOST_GRAVITY:g}; found "
                f"{gravity!r}."
            )
        model.gravity.linear = g
        arm = cls(**_constants(model, names, payload_frame, g))
        if arm.length > LONGEST:
            raise ModelError(
                f"The joints of the arm are {arm.length:.3g} m apart together, and no arm has more "
                f"than {LONGEST:g} m: lengths of the robot description may be in millimetres. "
                "Write them in metres."
            )
        return arm


def _build(urdf: str) -> pin.Model:
    """Let Pinocchio read the XML, once it is known to be a URDF that it can read."""
    urdf = usable(urdf)
    try:
        model = pin.buildModelFromXML(urdf)
    except (ValueError, RuntimeError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else "no reason given"
        raise ModelError(f"The robot description is not a readable URDF: {first}") from error
    if model.njoints < 2:
        raise ModelError(
            "The robot description has no movable joint; an arm needs at least one revolute, "
            "continuous or prismatic joint."
        )
    read, stated = sum(inertia.mass for inertia in model.inertias), stated_mass(urdf)
    if abs(read - stated) > MASS_TOLERANCE * stated:
        raise ModelError(
            f"The links of the robot description weigh {stated:.6g} kg, and {read:.6g} kg of them "
            "can be read: a number of an <inertial> is written in a way that readers of URDF do "
            "not take. Write plain numbers, such as 1.5, separated by spaces."
        )
    return model


def _as_names(joints: Sequence[str]) -> tuple[str, ...]:
    """Return names of joints."""
    require_type(joints, (list, tuple), "joints", "a list of names")
    for name in joints:
        require_type(name, str, "Each of the joints", "a name")
    return tuple(joints)


def _check_names(
    names: tuple[str, ...], movable: tuple[str, ...], model: pin.Model, payload_frame: str
) -> None:
    """Raise unless the joints are movable, without repetition, and the frame exists."""
    for name in names:
        if name not in movable:
            raise UnknownNameError("joint", name, movable, where="the robot description")
    if len(set(names)) != len(names) or not names:
        raise InputError(f"joints must name at least one joint, each once; found {list(names)}.")
    known = [frame.name for frame in model.frames if frame.name != "universe"]
    if payload_frame not in known:  # not asked of the model, which takes UTF-8 only
        raise UnknownNameError("payload frame", payload_frame, known, "the robot description")


def _constants(
    model: pin.Model, names: tuple[str, ...], payload_frame: str, gravity: Array
) -> dict[str, Any]:
    """Return the attributes of an arm, joints in the order of `names`."""
    ids = [model.getJointId(name) for name in names]
    index = {joint_id: k for k, joint_id in enumerate(ids)}
    axes = np.array([joint_axis(model, joint_id) for joint_id in ids])
    frame = model.frames[frame_id(model, payload_frame)]
    if frame.parentJoint not in index:
        raise ModelError(
            f"The payload frame '{payload_frame}' does not move with any of the joints "
            f"{', '.join(names)}; name a link beyond the last joint."
        )
    link_phi = np.array([model.inertias[i].toDynamicParameters()[FROM_PINOCCHIO] for i in ids])
    for name, i in zip(names, ids, strict=True):
        check_inertia(np.array(model.inertias[i].inertia), _moved(model, name))
    return dict(
        name=model.name,
        joints=names,
        continuous=tuple(model.joints[i].nq == 2 for i in ids),
        payload_frame=payload_frame,
        gravity=gravity,
        parent=tuple(index.get(model.parents[i], -1) for i in ids),
        rotation=np.array([model.jointPlacements[i].rotation for i in ids]),
        translation=np.array([model.jointPlacements[i].translation for i in ids]),
        axis_linear=axes[:, :3].copy(),
        axis_angular=axes[:, 3:].copy(),
        link_phi=link_phi,
        payload_joint=index[frame.parentJoint],
        payload_rotation=np.array(frame.placement.rotation),
        payload_translation=np.array(frame.placement.translation),
        pinocchio=model,
        order=tuple(index[i] for i in range(1, model.njoints)),
    )


def _moved(model: pin.Model, joint: str) -> str:
    """Return in words which links move with a joint."""
    links = [
        frame.name
        for frame in model.frames
        if frame.parentJoint == model.getJointId(joint) and frame.type == pin.FrameType.BODY
    ]
    return f"What joint '{joint}' moves (link {', '.join(links)})"


def joint_axis(model: pin.Model, joint_id: int) -> Array:
    """Return the constant axis S of a joint in its own frame, shape (6,), linear part first."""
    joint = model.joints[joint_id]
    if joint.nv != 1:
        raise ModelError(
            f"Joint '{model.names[joint_id]}' has {joint.nv} degrees of freedom; only revolute, "
            "continuous and prismatic joints are supported."
        )
    data = model.createData()
    columns = np.reshape(pin.computeJointJacobians(model, data, pin.neutral(model)), (6, -1))
    axis = data.oMi[joint_id].actInv(pin.Motion(columns[:, joint.idx_v])).vector
    return np.asarray(axis, dtype=float)
