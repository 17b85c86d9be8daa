"""Identify a payload from arrays: stamps, positions, velocities and torques.

One sees the verdict, and for each of the ten parameters the estimate, its interval and the truth,
which a simulation knows. Every interval contains the truth, because the simulated links and torque
noise keep the bounds that `Uncertainty` states. With torque_relative=0.01 and link_relative=0.0,
less than the simulation does, this recording becomes INCONSISTENT. (Others would not: only true
bounds give true intervals.)

    ./payload-id python examples/01_identify_from_arrays.py
"""

from __future__ import annotations

from simulated_arm import LINK_RELATIVE, MODEL, PAYLOAD, ROBOT, shake

from payload_id import Recording, Uncertainty, identify
from payload_id.core.body.inertial import PARAMETERS, UNITS
from payload_id.core.simulation.sensors import SensorModel

TORQUE_RELATIVE = 0.025  # noise of every torque sample, as a fraction of the torque


def main() -> None:
    """Simulate, identify and print."""
    seen = shake(PAYLOAD, SensorModel(torque_relative=TORQUE_RELATIVE), seed=1)
    # What a recording is: stamp (N,) [s]; q, dq, tau (N, n), whose columns `joints` names.
    recording = Recording(seen.stamp, seen.q, seen.dq, seen.tau, joints=ROBOT.joints)
    uncertainty = Uncertainty(
        torque_relative=TORQUE_RELATIVE,
        link_relative=LINK_RELATIVE,
        prior=ROBOT.uncertainty.prior,  # a box that surely holds the payload: 6 kg, 0.5 m
    )
    estimate = identify(recording, MODEL, uncertainty)

    print(f"{estimate.status.value}: {estimate.message}")
    print(f"{len(recording)} samples of {recording.n} joints; payload frame {ROBOT.payload_frame}")
    print(f"{'':4}{'estimate':>10}{'from':>10}{'to':>10}{'truth':>10}  contained")
    inside = estimate.contains(PAYLOAD)
    for k, (name, unit) in enumerate(zip(PARAMETERS, UNITS, strict=True)):
        numbers = (estimate.phi[k], estimate.lower[k], estimate.upper[k], PAYLOAD[k])
        print(f"{name:4}" + "".join(f"{x:10.5f}" for x in numbers) + f"  {inside[k]}  [{unit}]")


if __name__ == "__main__":
    main()
