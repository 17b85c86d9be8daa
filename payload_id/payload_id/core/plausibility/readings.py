"""Other ways to read a recording: signs, units, kinds of efforts, orders of columns, gravity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..diagnosis.causes.remade_rows import NOTHING
from ..diagnosis.remade.efforts import (
    EXTERNAL,
    LEAST,
    WEIGHT,
    ExternalTorques,
    WithoutWeight,
    motor_side,
    needed_factors,
)
from ..diagnosis.remade.gravity import OtherGravity
from ..diagnosis.remade.joint_order import OtherOrder, orders_of
from ..diagnosis.remade.units import LEAST_MOTION, OtherUnits, turning, units_of
from .agreement import Agreement, Misfit, Reading

BETTER = 0.6  # part of the misfit that another reading must leave at the most
SIMPLER = 0.8  # part that a less simple reading must leave to be taken instead
CLEAR = 0.25  # part that ends the search among the simple ones
MOST = 0.15  # misfit that another reading may leave; a good description leaves about half of it
FITS = 0.05  # misfit with which torques before the gears explain a recording
CANDIDATES = 4  # of the quick fits that are looked at closely
HELPS = 0.9  # part of the misfit that the reversal of one more sign must leave

Found = tuple[Reading, Misfit]


def likeliest(agreement: Agreement) -> Found | None:
    """Return the reading that leaves clearly less than the one as it is; None if there is none."""
    stated, quick = agreement.misfit(), agreement.screened()
    best: Found | None = None
    for family in (_simple, _others):
        found = [(reading, quick.misfit(reading)) for reading in family(quick)]
        found.sort(key=lambda pair: pair[1].value)
        close = [(reading, agreement.misfit(reading)) for reading, _ in found[:CANDIDATES]]
        best = _best(stated, close if best is None else [best, *close])
        if best is not None and best[1].value < CLEAR * stated.value:
            break
    return best


def _best(stated: Misfit, found: Sequence[Found]) -> Found | None:
    """Return the best of some, the simpler one where two leave about as much."""
    best: Found | None = None
    for reading, misfit in sorted(found, key=lambda pair: (pair[0].freedoms, pair[1].value)):
        if misfit.value > min(BETTER * stated.value, MOST):
            continue
        if best is None or misfit.value < SIMPLER * best[1].value:
            best = reading, misfit
    return best


def _simple(agreement: Agreement) -> Iterator[Reading]:
    """Give other signs and units, and other kinds of efforts."""
    yield from _signs(agreement)
    yield from _units(agreement)
    yield from _efforts(agreement)


def _others(agreement: Agreement) -> Iterator[Reading]:
    """Give other directions of gravity and orders of the columns."""
    yield from _gravity(agreement)
    yield from _orders(agreement)


def _signs(agreement: Agreement) -> Iterator[Reading]:
    """Give all signs reversed or none, then one more reversed as long as that helps."""
    n = agreement.arm.n
    for start in ((1.0,) * n, (-1.0,) * n):
        signs, best = start, agreement.misfit(Reading(factor=start))
        while True:
            trials = [signs[:j] + (-signs[j],) + signs[j + 1 :] for j in range(n)]
            judged = [agreement.misfit(Reading(factor=trial)) for trial in trials]
            k = int(np.argmin([misfit.value for misfit in judged]))
            if not judged[k].value < HELPS * best.value:
                break
            signs, best = trials[k], judged[k]
        if min(signs) < 0.0:
            sentence = _sign_sentence(signs, agreement.arm.joints)
            yield Reading("effort sign", sentence, 1, factor=signs)


def _sign_sentence(signs: Sequence[float], joints: Sequence[str]) -> str:
    """Say which signs are reversed."""
    names = [name for name, sign in zip(joints, signs, strict=True) if sign < 0]
    if len(names) == len(joints):
        return "all efforts have the opposite sign"
    return f"the effort of {', '.join(names)} has the opposite sign"


def _units(agreement: Agreement) -> Iterator[Reading]:
    """Give other units, each with both signs."""
    for units in units_of(turning(agreement.arm)):
        if (units.turn, units.slide) != (units.turn_rate, units.slide_rate):
            continue  # velocities are those of the positions here
        text = _within(units.sentence).replace("positions and velocities", "positions")
        hypothesis = units if units.torque == 1.0 else None
        least = 2 if hypothesis is not None and _hardly_moves(agreement, units) else 1
        for sign, more in ((1.0, ""), (-1.0, ", and all efforts have the opposite sign")):
            freedoms, factor = least if sign > 0 else least + 1, (sign * units.torque,)
            yield Reading("units", text + more, freedoms, hypothesis, factor=factor)


def _hardly_moves(agreement: Agreement, units: OtherUnits) -> bool:
    """Tell whether the arm would have hardly moved, were the samples in such units."""
    q = np.concatenate([units.samples(x, NOTHING).q for x in agreement.windows])
    return bool(np.ptp(q, axis=0).max() <= LEAST_MOTION)


def _efforts(agreement: Agreement) -> Iterator[Reading]:
    """Give torques before the gears or, where these do not fit, external torques."""
    typical, n = agreement.source.prior.typical, agreement.arm.n
    for groups in (np.ones((n, 1)), np.eye(n)):
        factors = needed_factors(agreement.rows, groups, typical)
        size = np.abs(factors)
        if not (size.max() > LEAST and size.min() > 1.0 and np.ptp(np.sign(factors)) == 0.0):
            continue
        more = "" if factors[0] > 0.0 else ", and all have the opposite sign"
        text = _within(motor_side(size)) + more
        values = tuple(float(factor) for factor in factors)
        reading = Reading("kind of efforts", text, 1 + len(values), factor=values)
        yield reading
        if agreement.misfit(reading).value <= FITS:
            return  # so small that they would be anything
    yield Reading("kind of efforts", _within(EXTERNAL), 1, ExternalTorques())
    yield Reading("kind of efforts", _within(WEIGHT), 1, WithoutWeight(agreement.arm))


def _within(sentence: str) -> str:
    """Return a sentence as it stands within another."""
    return sentence[0].lower() + sentence[1:]


def _gravity(agreement: Agreement) -> Iterator[Reading]:
    """Give gravity along the other axes, and none."""
    stated = agreement.arm.gravity
    size = float(np.linalg.norm(stated)) or 9.81
    for gravity in (*(size * np.eye(3)), *(-size * np.eye(3)), np.zeros(3)):
        if np.allclose(gravity, stated, atol=0.3 * size):
            continue
        where = f"gravity is ({', '.join(f'{x + 0.0:g}' for x in gravity)}) m/s2 in the base frame"
        text = where if gravity.any() else "the torques are compensated for gravity"
        value = tuple(float(x) for x in gravity)
        yield Reading("gravity", text, 2, OtherGravity(), value)


def _orders(agreement: Agreement) -> Iterator[Reading]:
    """Give other orders of the efforts' columns, with both signs, and of all columns."""
    joints = agreement.arm.joints
    for order in orders_of(len(joints)):
        names = ", ".join(joints[k] for k in order)
        text = f"the columns of the efforts are of {names}"
        yield Reading("order", text, 2, order=order)
        yield Reading("order", f"{text}, with the opposite sign", 3, order=order, factor=(-1.0,))
        every = OtherOrder(order, torques_only=False)
        yield Reading("order", f"all columns are in another order: {names}", 2, every)
