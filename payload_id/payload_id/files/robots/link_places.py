"""Where links are on the joints that carry them, joints that the arm's model holds still included.

A passive joint of which it is known where it stands is fixed in the description (`passive_joints`).
Any other one beyond the arm's joints (a gripper's) may be anywhere in its travel; one that the arm
stands on is at zero, where the model has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from ...core.arm.arm_model import ArmModel
from ...core.arrays import Array
from ...core.errors import ModelError
from ...core.safety.clearance.arm_geometry import BASE
from ...core.safety.clearance.convex_body import ConvexBody
from ...core.safety.clearance.travel import travel_hull
from .arm_frames import ArmFrames
from .description.urdf_tree import UrdfJoint, UrdfTree
from .passive_joints import ends_of, master_of
from .passive_play import PassivePlay

SAMPLES = {1: 33, 2: 13, 3: 7}  # values of each of so many joints that are anywhere


class LinkPlaces:
    """Places of links; of those beyond passive joints, everywhere that these may be.

    Attributes:
        notes: What is assumed of the passive joints, one sentence each.
    """

    def __init__(self, urdf: str, model: ArmModel, tree: UrdfTree) -> None:
        """Read the whole description, passive joints included.

        Args:
            urdf: The description, XML text.
            model: The arm: the joints that it does not name are held.
            tree: Links and joints of the description.

        Raises:
            ModelError: A passive joint follows one that moves, or its travel is not known; or the
                arm stands on one that is not at zero, or holds its payload beyond one that may
                be anywhere.
        """
        self._model, self._tree = model, tree
        self._frames, self._play = ArmFrames(urdf), PassivePlay(urdf, model.joints)
        held = [j for j in tree.joints.values() if not j.is_fixed and j.name not in model.joints]
        self._master = {joint.name: master_of(joint, tree, model.joints).name for joint in held}
        borne = [x for name in model.joints for x in tree.way_to(tree.named(name).parent)]
        bearing = {self._master[joint.name] for joint in borne if joint.name in self._master}
        for joint in borne:
            if joint.name in self._master and joint.offset:
                raise ModelError(
                    f"The arm stands on joint '{joint.name}', which is at {joint.offset:g} where "
                    "the one that it follows is at 0; describe it by a robot file."
                )
        masters = {tree.named(name).name: tree.named(name) for name in self._master.values()}
        self._ends = {
            name: (0.0, 0.0) if name in bearing else ends_of(joint, tree)
            for name, joint in masters.items()
        }
        covered = model.travel is not None
        self.notes = tuple(_note(joint, self._ends, covered) for joint in held)
        free = self._free(self._beyond(model.payload_frame)[1])
        if free:
            raise ModelError(
                f"The payload frame '{model.payload_frame}' is beyond {', '.join(free)}, which may "
                "be anywhere; state where that stands ('passive_joints' in the robot file)."
            )

    def _beyond(self, link: str) -> tuple[str, list[UrdfJoint]]:
        """Return the joint that carries a link, empty if none, and the joints from there on."""
        way = self._tree.way_to(link)
        moving = [k for k, joint in enumerate(way) if joint.name in self._model.joints]
        return (way[moving[-1]].name, way[moving[-1] + 1 :]) if moving else ("", way)

    def _free(self, way: list[UrdfJoint]) -> list[str]:
        """Return the joints that may be anywhere and move what is at the end of a way."""
        masters = {self._master[x.name] for x in way if x.name in self._master}
        return sorted(x for x in masters if self._ends[x][0] < self._ends[x][1])

    def placed(self, link: str, body: ConvexBody) -> tuple[int, ConvexBody]:
        """Return the joint that carries a link, `BASE` if none, and a body in that joint's frame.

        Beyond joints that may be in several places, or off theirs, the body contains the link in
        all of them.

        Args:
            link: The link.
            body: Its body, in its frame.

        Raises:
            ModelError: There are too many such joints.
        """
        carrier, beyond = self._beyond(link)
        play = self._play.of_body(link, body)
        joint = self._model.joints.index(carrier) if carrier else BASE
        free = self._free(beyond)
        if not free:
            rotation, translation = self._pose(link, carrier, {})
            return joint, body.grown(play).moved(rotation, translation)
        if len(free) > max(SAMPLES):
            raise ModelError(
                f"Link '{link}' is beyond {len(free)} joints that may each be anywhere in their "
                f"travel; state where {', '.join(free)} stand ('passive_joints' in the robot file)."
            )
        count = SAMPLES[len(free)]
        grids = [np.linspace(*self._ends[name], count) for name in free]
        poses = [
            self._pose(link, carrier, dict(zip(free, values, strict=True)))
            for values in product(*grids)
        ]
        steps = [(name, grid[1] - grid[0]) for name, grid in zip(free, grids, strict=True)]
        turns = [step * self._rate(beyond, name, False) for name, step in steps]
        slides = [step * self._rate(beyond, name, True) for name, step in steps]
        hull = travel_hull(body, poses, turns, slides, self._play.reach(beyond))
        return joint, hull.grown(play)

    def _rate(self, way: list[UrdfJoint], master: str, slides: bool) -> float:
        """Return by how much all joints that follow one turn, or slide, when it moves by 1."""
        return sum(
            abs(joint.multiplier)
            for joint in way
            if self._master.get(joint.name) == master and (joint.kind == "prismatic") == slides
        )

    def _pose(self, link: str, carrier: str, free: Mapping[str, float]) -> tuple[Array, Array]:
        """Return a link's pose in the frame of the joint that carries it.

        Args:
            link: The link.
            carrier: Name of the joint; empty: the base.
            free: Positions of joints that may be anywhere; the others are where they stand.
        """
        middle = {name: sum(ends) / 2 for name, ends in self._ends.items()}
        at = self._frames.at({**middle, **free})
        place = at(link)
        if carrier:
            place = at(self._tree.named(carrier).child).actInv(place)
        return np.array(place.rotation), np.array(place.translation)


def _note(joint: UrdfJoint, ends: Mapping[str, tuple[float, float]], covered: bool) -> str:
    """Return what is assumed of a passive joint; `covered`: parameters are over travels."""
    unit = "m" if joint.kind == "prismatic" else "rad"
    if joint.mimics:
        offset = f" plus {joint.offset:g} {unit}" if joint.offset else ""
        return f"{joint.name} is at {joint.multiplier:g} times {joint.mimics}{offset}."
    low, high = ends[joint.name]
    if low == high:
        return f"{joint.name} stands still at {low:g} {unit}."
    masses = "count anywhere in that" if covered else f"count as if it were at 0 {unit}"
    return (
        f"{joint.name} may be anywhere from {low:g} to {high:g} {unit}, at rest; the masses that "
        f"it moves {masses}."
    )
