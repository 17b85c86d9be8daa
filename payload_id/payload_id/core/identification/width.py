"""Which stated bound makes how much of an interval's width, in the words of the robot file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array
from ..body.inertial import PARAMETERS
from ..bounds.interval import MENTIONED, WidthBudget
from ..number_format import short

NOISE, PRIOR = "noise", "prior"
# What would tell more of it where rows are of joint torques, by what makes the width.
BARE = (
    "measure the arm in a long run without payload, or with one of known mass "
    "('payload-id calibrate bounds')"
)
REMEDIES = {
    NOISE: BARE,
    "links": BARE,
    "torque_offset": BARE,
    "friction_coulomb": BARE,
    "friction_viscous": BARE,
    "rotor_inertia": BARE,
    "tool": "describe the tool more closely, or tare with it",
    "torque_gain": "calibrate with a known weight as well ('payload-id calibrate bounds --runs')",
    PRIOR: "turn the payload about more axes, over a wider range",
}


@dataclass(frozen=True, eq=False)
class WidthShare:
    """A stated bound's share of the intervals' widths.

    Attributes:
        bound: Which bound, as the robot file names it, or "noise", "links", "prior".
        share: Part of each parameter's half-width, shape (10,) [-]; the sum over all bounds is 1.
        joints: Whose bound makes most of the mass's share.
        need: Part of the bound that the data need [-]; NaN where that is not known.
    """

    bound: str
    share: Array
    joints: tuple[str, ...]
    need: float = float("nan")

    def __str__(self) -> str:
        need = "" if np.isnan(self.need) else f"; the data need {self.need:.0%} of it"
        joints = ", ".join(self.joints)
        return f"{self.share[0]:.0%} {self.bound}" + (f" ({joints}{need})" if joints else "")


def width_shares(
    budget: WidthBudget, channels: Sequence[str], names: Sequence[str]
) -> tuple[WidthShare, ...]:
    """Return what half-widths are made of, the largest share of the mass's first.

    Args:
        budget: Terms of the half-widths.
        channels: Names of the rows' channels, C of them.
        names: Names of the nuisance parameters, such as "joint_2.friction_coulomb", p of them.
    """
    whole = budget.noise.sum(axis=1) + budget.nuisance.sum(axis=1) + budget.known
    whole = np.where(whole > 0.0, whole, 1.0)[:, None]
    shares = [_share(NOISE, budget.noise / whole, channels)]
    kinds = [_kind(name) for name in names]
    for kind in dict.fromkeys(kinds):
        mine = [k for k, each in enumerate(kinds) if each == kind]
        joints = [names[k].partition(".")[0] for k in mine]
        shares.append(_share(kind, budget.nuisance[:, mine] / whole, joints))
    shares.append(WidthShare(PRIOR, budget.known / whole[:, 0], ()))
    return tuple(sorted(shares, key=lambda one: -one.share[0]))


def with_need(
    shares: Sequence[WidthShare], channels: Sequence[str], need: Array
) -> tuple[WidthShare, ...]:
    """Return shares with the part of the noise's bound that data need, of each channel, (C,)."""
    part = dict(zip(channels, need, strict=False))  # the last channels may have had no rows
    return tuple(
        replace(one, need=float(max(part.get(joint, 0.0) for joint in one.joints)))
        if one.bound == NOISE and one.joints
        else one
        for one in shares
    )


def mentioned(shares: Sequence[WidthShare]) -> tuple[WidthShare, ...]:
    """Return those whose share of the mass's width is large enough to be told."""
    return tuple(one for one in shares if one.share[0] >= MENTIONED)


def width_in_words(
    shares: Sequence[WidthShare], half_width: float, remedies: Mapping[str, str]
) -> str:
    """Say what the proved interval of the mass is wide by, and what would narrow it most.

    Args:
        shares: The largest first.
        half_width: Of the mass [kg].
        remedies: What narrows it, by bound; of others a closer bound does.
    """
    named = mentioned(shares)
    if not named:
        return ""
    parts = ", ".join(map(str, named))
    remedy = remedies.get(named[0].bound, f"state {named[0].bound} more closely")
    return f"The proof's ± {short(half_width)} kg: {parts}. To narrow it, {remedy}."


def asked_in_words(names: Sequence[str], asked: Array) -> str:
    """Say which stated bounds data contradict.

    Args:
        names: Of the nuisance parameters, p of them.
        asked: What fits best without their boxes, in units of these, shape (p,).
    """
    of: dict[str, list[int]] = {}
    for k in np.argsort(-np.abs(asked), kind="stable"):
        if abs(asked[k]) > 1.0:
            of.setdefault(_kind(names[k]), []).append(int(k))
    said = [
        f"{kind} {abs(asked[most[0]]):.3g} times as large "
        f"({', '.join(dict.fromkeys(names[k].partition('.')[0] for k in most))})"
        for kind, most in of.items()
    ]
    ask = f"; they ask for {', '.join(said)}" if said else ""
    return (
        f"The data contradict the stated bounds, by the noise that they show{ask}: no confidence "
        "interval is given. Look for what makes them do so (unit and scale of the torques, masses "
        "of the description, what hangs on the arm), or state larger bounds "
        "('payload-id calibrate bounds' measures them)."
    )


def _kind(name: str) -> str:
    """Return which bound a nuisance parameter's box comes from."""
    owner, _, what = name.partition(".")
    if what in PARAMETERS:
        return "tool" if owner == "tool" else "links"
    return what or owner


def _share(bound: str, parts: Array, joints: Sequence[str]) -> WidthShare:
    """Return the share of one bound, which has a part for each joint, shape (10, J)."""
    mine = parts[0] >= MENTIONED * max(parts[0].sum(), 1e-300)
    order = [k for k in np.argsort(-parts[0], kind="stable") if mine[k]]
    most = tuple(dict.fromkeys(joints[k] for k in order))
    return WidthShare(bound, parts.sum(axis=1), most)
