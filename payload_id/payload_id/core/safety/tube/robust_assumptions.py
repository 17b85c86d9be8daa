"""What no certificate can prove of a robust controller: sentences that name its values."""

from __future__ import annotations

from ...arrays import Array
from .sampling_reserve import SamplingReserve


def robust_assumptions(
    gain: Array, reach: Array, design: SamplingReserve | None
) -> tuple[str, ...]:
    """Return what must be true for the tube of a robust controller.

    Args:
        gain: K_r, shape (n,) [1/s].
        reach: rho, shape (n,) [rad/s or m/s].
        design: Its constants, which the certificate proves; None: nothing of the tube is proved.
    """
    if design is None:
        return (
            f"The robust controller keeps |r| within {listed(reach)} rad/s (m/s): this is stated "
            "without a design, as if torques followed the state at every instant, and not proved "
            "with the certificate.",
        )
    return (
        "The commanded torques act on the rotors, whose reflected inertias are at least "
        f"{listed(design.rotor)} kg m2; half of it would make the tube 1.41 times as wide.",
        "Friction is Coulomb and viscous friction within its intervals, and nothing acts on the "
        "arm but friction, gravity and the commanded torques.",
        "The controller computes with the middle and the widths of the parameter box, with gains "
        f"{listed(gain)} 1/s, V_M = {design.level:.6g} J, V_c = {design.full_level:.6g} J, rate "
        f"{design.rate:g} 1/s and delta = {listed(design.change)} N m.",
        f"The controller runs every {design.period:g} s, is not late, and its torques act at once "
        "until the next step; actuators give every torque within the limits of the certificate.",
        "Positions and velocities are measured without error.",
        f"The motion starts within the tube and with |de + K e| of at most {listed(design.start)} "
        "rad/s (m/s); or it goes on, at a step of the controller, from the very state of a motion "
        "that is certified with the same V_M and gains.",
        "At its end another certified motion goes on from the very state, or the arm is held, if "
        "the motion ends at rest and without acceleration.",
    )


def listed(values: Array) -> str:
    """Return numbers for people."""
    return ", ".join(f"{value:.3g}" for value in values)
