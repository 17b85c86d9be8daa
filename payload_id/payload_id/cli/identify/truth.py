"""The true parameters of a payload, as a file or the command line states them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...core.arrays import Array
from ...core.body.inertial import as_phi, from_mass_com_inertia
from ...core.errors import InputError, in_words
from ...files.configuration.input_path import input_path
from ...files.configuration.json_file import read_json
from ..common.options import number

TEN_NUMBERS = ("phi", "payload", "payload_phi")  # keys, as results, demo and arm write them


def read_truth(text: str) -> Array:
    """Return the true parameters that a file or ten numbers hold, shape (10,).

    Args:
        text: A JSON file with a list of ten numbers, with an object that has them as `phi` or, as
            the demonstration writes them, `payload`, or with one that has `mass`, `com` and
            `inertia` (3x3, about the centre of mass); or the ten numbers themselves, separated by
            commas or spaces.

    Raises:
        InputError: It is neither, or no body.
    """
    path = input_path(text, "truth", InputError)
    if path.suffix.lower() == ".json" or path.is_file():
        phi = _truth_of_file(path)
    else:
        try:
            phi = as_phi([number(part) for part in text.replace(",", " ").split()])
        except (ValueError, InputError) as error:
            raise InputError(
                "--truth takes a .json file or ten numbers m,hx,hy,hz,Ixx,Ixy,Ixz,Iyy,Iyz,Izz "
                f"(inertia about the payload frame's origin); found '{text}'."
            ) from error
    if not phi[0] > 0.0:
        raise InputError(f"--truth: the true mass must be above 0 kg; found {phi[0]:g}.")
    return phi


def _truth_of_file(path: Path) -> Array:
    """Read the true parameters from a JSON file."""
    try:
        held: Any = read_json(path, "truth")
        if not isinstance(held, dict):
            return as_phi(held)
        for name in TEN_NUMBERS:
            if name in held:
                return as_phi(held[name])
        return from_mass_com_inertia(held["mass"], held["com"], held["inertia"])
    except (KeyError, InputError) as error:
        raise InputError(
            f"--truth: {path} must hold ten numbers, or an object with 'phi' or 'payload', or "
            f"with 'mass', 'com' and 'inertia'; {in_words(error)}"
        ) from error
