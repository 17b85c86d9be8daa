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
        f"{listed(gain)} 1/s, momenta {listed(design.momentum)} N m s and delta = "
        f"{listed(design.change)} N m: V_M = {design.level:.6g} J.",
        f"No torque is made from a state that is older than {design.period:g} s while it acts, "
        "delays and the time for which it is held included; actuators give every torque within the "
        "limits of the certificate.",
        f"Measured positions are wrong by at most {listed(design.position_error)} rad (m), "
        f"velocities by {listed(design.velocity_error)} rad/s (m/s).",
        "The motion starts within the tube, and the controller finds momenta M (de + K e) of at "
        f"most {listed(design.start)} N m s there; or it goes on, from the very state of a motion "
        "that is certified with the same design.",
        "At its end another certified motion goes on from the very state, or the arm is held, if "
        "the motion ends at rest and without acceleration.",
    )


def listed(values: Array) -> str:
    """Return numbers for people."""
    return ", ".join(f"{value:.3g}" for value in values)
