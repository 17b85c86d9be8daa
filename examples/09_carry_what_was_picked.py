"""An arm with low gains sags under what it picks; the feed-forward of its payload lifts it again.

A simulated Gen3 with the gains of a light arm of position control, whose controller knows the bare
arm, goes from pose to pose; at one it takes up 1 kg, at another it lets go. One sees how far the
tool is below where the bare arm has it, with and without the torques that `~/payload_feedforward`
of a hands-free estimator has; there is no node here, and no call.

    ./payload-id python examples/09_carry_what_was_picked.py
"""

from __future__ import annotations

import numpy as np

from payload_id import RobotFile, RobotModel, Uncertainty
from payload_id.core.arm.chain import chain_of
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.control.carried_weight import CarriedWeight
from payload_id.core.identification.hand_watch import HandWatch
from payload_id.core.motion.joint_trajectory import DesiredState
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.simulation.plant import Plant

ROBOT = RobotFile.load("kinova_gen3")
MODEL = RobotModel.from_robot_file(ROBOT)
KP, KD = np.array([90.0, 90, 70, 70, 30, 30, 20]), np.array([12.0, 12, 9, 9, 3, 3, 2])
ROTOR, NOISE = 0.2, 0.05  # [kg m2], [N m]
BOUNDS = Uncertainty(torque_absolute=NOISE, link_relative=0.02, rotor_inertia=2 * ROTOR)
PAYLOAD = from_mass_com_inertia(1.0, [0.0, 0.0, 0.08], 0.002 * np.eye(3))
PICK, RELEASE, END, EACH = 6.0, 12.0, 15.0, 3.0  # [s], the last: of one move
CONTROL, SAMPLE, LOOK = 0.001, 0.004, 0.1  # [s]


def desired(t: float) -> np.ndarray:
    """Return where the arm should be: from pose to pose by quintics."""
    rng, k = np.random.default_rng(4), int(t / EACH)
    poses = np.array(ROBOT.home) + 0.4 * rng.uniform(-1.0, 1.0, (int(END / EACH) + 2, MODEL.n))
    s = t / EACH - k
    return poses[k] + (poses[k + 1] - poses[k]) * (10 * s**3 - 15 * s**4 + 6 * s**5)


def height(q: np.ndarray) -> float:
    """Return how high the payload frame is [m]."""
    return float(chain_of(MODEL, q[None]).place[-1, 0, 2, 0])


def heights(payload: np.ndarray, compensated: bool) -> np.ndarray:
    """Return how high the tool is every tenth of a second [m]."""
    rng, wanted = np.random.default_rng(1), desired(0.0)
    plant = Plant(ROBOT.urdf, ROBOT.joints, ROBOT.payload_frame, q0=wanted, armature=ROTOR)
    rows, cutter, number = MomentumRows.of(MODEL, BOUNDS), WindowCutter(0.05), 0
    hand = HandWatch.empty_handed(rows, RowBlock.empty(rows.p))
    carried = CarriedWeight(MODEL, ROBOT.limits.torque)
    more, found = np.zeros(MODEL.n), []
    for k in range(round(END / CONTROL)):
        t, (q, dq) = k * CONTROL, plant.state
        if k in (round(PICK / CONTROL), round(RELEASE / CONTROL)):
            plant.set_payload(payload if t < RELEASE else np.zeros(10))
        gravity = plant.controller.feedforward(DesiredState.rest(q[None]))[0]
        torque = KP * (desired(t) - q) - KD * dq + gravity + more
        plant.set_torque(torque)
        if k % round(SAMPLE / CONTROL) == 0:
            seen = torque + NOISE * rng.uniform(-1.0, 1.0, MODEL.n)
            for window in cutter.add(Samples(np.array([t]), q[None], dq[None], seen[None])):
                hand, number = hand.with_window(number, rows.window(window)), number + 1
                for event in hand.events:
                    print(f"  {event.told:5.2f} s: {event.sentence} {hand.phi[0]:.2f} kg")
            more = carried.at(q, hand.phi) if compensated else more
        plant.step_to((k + 1) * CONTROL)
        if (k + 1) % round(LOOK / CONTROL) == 0:
            found.append(height(plant.state[0]))
    return np.array(found)


def main() -> None:
    """Show the sag each second, without and with the feed-forward."""
    bare = heights(np.zeros(10), False)
    without, carried = (1e3 * (bare - heights(PAYLOAD, way)) for way in (False, True))
    print("time [s]   tool below that of the bare arm [mm]: without, with feed-forward")
    for t in np.arange(1.0, END + 0.5):
        k, held = round(t / LOOK) - 1, " (1 kg)" if PICK < t <= RELEASE else ""
        print(f"{t:8.0f} {without[k]:12.1f} {carried[k]:8.1f}{held}")
    dropped = slice(round(RELEASE / LOOK), None)
    print(f"after the drop at most {-carried[dropped].min():.1f} mm above it")


if __name__ == "__main__":
    main()
