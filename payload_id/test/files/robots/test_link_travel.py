"""Masses beyond joints that may be anywhere: bounds against samples of the description."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from payload_id.core.body.inertial import FROM_PINOCCHIO
from payload_id.core.rows.joint_torque.nuisance import nuisance_of
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.safety.torque.parameter_box import ParameterBox
from payload_id.files.robots.robot_model import RobotModel

LIMIT = '<limit lower="{}" upper="{}" velocity="1" effort="9"/>'


def triple(rng, scale):
    return " ".join(f"{x:.4f}" for x in rng.normal(size=3) * scale)


def link(name, rng):
    size = rng.uniform(0.02, 0.2, 3)
    mass = rng.uniform(0.1, 2.0)
    xx, yy, zz = mass / 12 * (np.roll(size**2, 1) + np.roll(size**2, 2))
    return (
        f'<link name="{name}"><inertial><origin xyz="{triple(rng, 0.05)}" rpy="{triple(rng, 1)}"/>'
        f'<mass value="{mass}"/><inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
        "</inertial></link>"
    )


def joint(name, parent, child, kind, rng, extra=""):
    low = rng.uniform(-1.0, 0.5) * (0.1 if kind == "prismatic" else 1.0)
    high = low + rng.uniform(0.01, 1.5) * (0.1 if kind == "prismatic" else 1.0)
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{triple(rng, 0.1)}" rpy="{triple(rng, 1)}"/><axis xyz="{triple(rng, 1)}"/>'
        f"{LIMIT.format(low, high)}{extra}</joint>"
    )


def random_hand(rng):
    """Return an arm of two joints with a random tree of passive joints, and what each follows."""
    text = link("root", rng) + link("one", rng) + link("two", rng)
    text += joint("a", "root", "one", "revolute", rng) + joint("b", "one", "two", "revolute", rng)
    links, masters, rules = ["root", "one", "two"], [], {}
    for k in range(rng.integers(1, 6)):
        kind = rng.choice(["revolute", "prismatic", "continuous"], p=[0.5, 0.4, 0.1])
        extra = ""
        if masters and rng.random() < 0.5:
            master, m, c = rng.choice(masters), rng.uniform(-1.5, 1.5), rng.uniform(-0.05, 0.05)
            extra = f'<mimic joint="{master}" multiplier="{m}" offset="{c}"/>'
            kind = rng.choice(["revolute", "prismatic"])
            rules[f"h{k}"] = (str(master), m, c)
        elif kind != "continuous":
            masters.append(f"h{k}")
        text += link(f"f{k}", rng)
        text += joint(f"h{k}", str(rng.choice(links)), f"f{k}", kind, rng, extra)
        links.append(f"f{k}")
    return f'<robot name="r">{text}</robot>', rules


class Whole:
    """The whole description, passive joints movable."""

    def __init__(self, text, rules):
        self.model, self.rules = pin.buildModelFromXML(text), rules
        self.data = self.model.createData()
        self.held = [x for x in list(self.model.names)[1:] if x not in ("a", "b")]

    def random_places(self, rng):
        """Return positions of the passive joints, half of them at an end of the travel."""
        places = {}
        for name in self.held:
            entry = self.model.joints[self.model.getJointId(name)]
            low, high = (-np.pi, np.pi) if entry.nq == 2 else (
                self.model.lowerPositionLimit[entry.idx_q],
                self.model.upperPositionLimit[entry.idx_q],
            )  # fmt: skip
            u = rng.choice([0.0, 1.0]) if rng.random() < 0.5 else rng.random()
            places[name] = low + u * (high - low)
        for name, (master, m, c) in self.rules.items():
            places[name] = m * places[master] + c
        return places

    def configuration(self, places):
        q = pin.neutral(self.model)
        for name, value in places.items():
            entry = self.model.joints[self.model.getJointId(name)]
            both = (np.cos(value), np.sin(value)) if entry.nq == 2 else (value,)
            q[entry.idx_q : entry.idx_q + entry.nq] = both
        return q

    def phi(self, places):
        """Return phi of the arm's two bodies with all that they carry, shape (2, 10)."""
        pin.forwardKinematics(self.model, self.data, self.configuration(places))
        found = {"a": pin.Inertia.Zero(), "b": pin.Inertia.Zero()}
        for index in range(1, self.model.njoints):
            carrier = index
            while carrier and self.model.names[carrier] not in found:
                carrier = self.model.parents[carrier]
            if carrier:
                place = self.data.oMi[carrier].actInv(self.data.oMi[index])
                name = self.model.names[carrier]
                found[name] = found[name] + place.act(self.model.inertias[index])
        return np.array([found[x].toDynamicParameters()[FROM_PINOCCHIO] for x in ("a", "b")])


@pytest.mark.parametrize("seed", range(4))
def test_the_bounds_contain_every_place_and_are_hardly_wider(seed):
    rng = np.random.default_rng(seed)
    text, rules = random_hand(rng)
    arm, whole = RobotModel.from_xml(text, "two", ("a", "b")), Whole(text, rules)
    lower, upper = arm.link_range
    seen = np.array([whole.phi(whole.random_places(rng)) for _ in range(400)])
    assert (seen >= lower - 1e-12).all() and (seen <= upper + 1e-12).all()
    width = np.ptp(seen, axis=0)
    assert np.median((width / np.maximum(upper - lower, 1e-12))[upper - lower > 1e-9]) > 0.2
    still = np.ptp(seen, axis=0).max(axis=1) < 1e-12
    assert np.allclose((upper - lower)[still], 0.0, atol=1e-11)


def test_rows_and_certificates_have_the_bounds_in_their_box():
    rng = np.random.default_rng(8)
    text, rules = random_hand(rng)
    arm, whole = RobotModel.from_xml(text, "two", ("a", "b")), Whole(text, rules)
    assert arm.travel is not None
    bounds = Uncertainty(link_relative=0.05)
    box = ParameterBox.around(arm, (np.zeros(10), np.zeros(10)), bounds)
    psi = nuisance_of(arm, bounds)
    for _ in range(200):
        phi = whole.phi(whole.random_places(rng))
        phi = phi + 0.05 * rng.choice([-1, 1], phi.shape) * np.abs(phi)
        assert (phi >= box.links_lower - 1e-12).all() and (phi <= box.links_upper + 1e-12).all()
        off = np.abs(phi.ravel() - psi.centre[:20])
        assert (off <= psi.half_width[:20] + 1e-12).all()
