"""Tare: move the arm without the payload first, so that its own errors are known better.

One sees the half-widths of the ten intervals without and with a tare. Gains and offsets of the
torque sensors and the links' parameters are constant: what a run without payload says of them holds
for the run with the payload as well. Errors that are new at every sample gain little by a tare.

    ./payload-id python examples/03_tare.py
"""

from __future__ import annotations

import numpy as np
from simulated_arm import LINK_RELATIVE, MODEL, NO_PAYLOAD, PAYLOAD, ROBOT, shake

from payload_id import OnlineIdentifier, Settings, Uncertainty
from payload_id.core.body.inertial import PARAMETERS, UNITS
from payload_id.core.simulation.sensors import SensorModel

GAIN, OFFSET, NOISE = 0.02, 0.5, 0.2  # [-], [N m], [N m]


def main() -> None:
    """Identify with and without a tare, and compare."""
    rng = np.random.default_rng(4)
    sensor = SensorModel(  # one arm's sensors: constant errors are drawn once
        torque_gain=tuple(GAIN * rng.uniform(-1, 1, MODEL.n)),
        torque_offset=tuple(OFFSET * rng.uniform(-1, 1, MODEL.n)),
        torque_absolute=NOISE,
    )
    uncertainty = Uncertainty(
        torque_gain=GAIN,
        torque_offset=OFFSET,
        torque_absolute=NOISE,
        link_relative=LINK_RELATIVE,
        prior=ROBOT.uncertainty.prior,
    )
    bare = shake(NO_PAYLOAD, sensor, seed=5)
    loaded = shake(PAYLOAD, sensor, seed=6)

    plain = OnlineIdentifier(MODEL, Settings(uncertainty))
    plain.add(loaded)
    without = plain.update()

    tared = OnlineIdentifier(MODEL, Settings(uncertainty))
    tared.add(bare)
    tared.tare()  # this run had no payload; a new run begins
    tared.add(loaded)
    with_tare = tared.update()

    print(f"without tare: {without.status.value}; with tare: {with_tare.status.value}")
    print(f"{'':4}{'truth':>10}{'± without':>12}{'± with tare':>13}")
    for k, (name, unit) in enumerate(zip(PARAMETERS, UNITS, strict=True)):
        widths = without.half_width[k], with_tare.half_width[k]
        print(f"{name:4}{PAYLOAD[k]:10.5f}{widths[0]:12.5f}{widths[1]:13.5f}  [{unit}]")
    both = without.contains(PAYLOAD).all() and with_tare.contains(PAYLOAD).all()
    print(f"every interval contains the truth: {'yes' if both else 'NO'}")


if __name__ == "__main__":
    main()
