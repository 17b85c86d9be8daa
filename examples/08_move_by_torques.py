"""Move an arm by torques, safely, and identify what it holds [ZZV]: without nodes.

What the nodes run, in one process: a motion is planned for any payload that the prior allows, with
its robust design; the bridge's prover proves it anew; the torque loop's controller follows it on a
simulated arm whose torques act `control.effort_delay` after the state that they were made from and
are held for `control.effort_period`; what its sensors show is identified. Simulated time waits for
the controller: the outcome does not depend on the machine.

    ./payload-id python examples/08_move_by_torques.py --robot fr3_like_torque --payloads 3 --seed 1

ends with exit code 0 where every payload is GOOD and within its intervals.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from payload_id import NotCertifiedError, PayloadPrior, RobotFile, plan
from payload_id.cli.demo.scene import draw_payload
from payload_id.core.control.controller import Measurement
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.identify import identify
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.motion.trajectory_points import points_of
from payload_id.core.safety.speed.speed_limits import PRESETS
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant
from payload_id.core.threads import one_thread
from payload_id.files.cells.cell_file import Cell
from payload_id.files.robots.robot_model import RobotModel
from payload_id.planning.case_settings import CaseSettings, payload_volume
from payload_id.ros.certifying.prover import ProofRequest, Prover, VerifiedMotion
from payload_id.ros.effort_loop.torque_follower import Proof, TorqueFollower, controller_of

CELL = "none, a simulated arm stands alone"
REACH, HEIGHT = 0.04, (0.08, 0.10)  # [m] of payloads, see `draw_payload`
LARGEST = 0.18  # [m] no part of such a payload is farther from the payload frame
BOX, CENTRE = (0.2, 0.2, 0.18), (0.0, 0.0, 0.09)  # [m] a box that holds each of them
LEAD, SETTLE, STEP = 0.4, 0.4, 5e-4  # [s] before and after the motion, and of the physics


def certified(robot: RobotFile, prior: PayloadPrior, start, duration: float, seed: int):
    """Return a motion that the bridge's prover has proved."""
    made = plan(robot, cell=CELL, start=start, duration=duration, payload_box=BOX, seed=seed,
                payload_box_centre=CENTRE, prior=prior, time_budget=20.0, stop_step=1.0,
                by_torques=True)  # fmt: skip
    bounds = replace(robot.uncertainty, prior=prior)
    settings = CaseSettings(
        str(robot.path), bounds, Cell.of(CELL, 0.02), CELL, PRESETS["full"], None,
        payload_volume(BOX, CENTRE), 100.0, by_torques=True,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        motion = made.save(Path(folder, "plan")).read_text()
    found = Prover(settings)(ProofRequest(motion, (), ()))
    if not isinstance(found, VerifiedMotion):
        raise SystemExit(found)
    return found


def moved(robot: RobotFile, found: VerifiedMotion, payload, seed: int) -> tuple[Samples, float]:
    """Follow the motion with a payload; return samples, and how much of the tube is used."""
    model, motion, tube = (
        RobotModel.from_robot_file(robot),
        found.motion.trajectory,
        found.motion.tube,
    )
    unsure, control, rng = robot.uncertainty, robot.control, np.random.default_rng([seed, 1])
    points = points_of(motion, 100.0)
    trajectory = JointTrajectory(points.time, points.q, points.dq, points.ddq)
    controller = controller_of(model, Proof(tube, found.box, found.torque_limit))
    plant = Plant(
        robot.urdf, robot.joints, robot.payload_frame, payload, robot.gravity, q0=points.q[0],
        link_phis=perturb_links(model.link_phi, unsure.link_relative, rng), step=STEP,
        armature=rng.uniform(*control.rotor_interval()),
    )  # fmt: skip
    position, velocity, relative = (
        unsure.per_joint(name, model.n)
        for name in ("position_error", "velocity_error", "torque_relative")
    )
    late, follower, torques, rows, used = (
        round(control.effort_delay / control.effort_period),
        None,
        [],
        [],
        0.0,
    )
    for k in range(round((motion.duration + LEAD + SETTLE) / control.effort_period)):
        time, true = k * control.effort_period - LEAD, plant.measure()
        error = rng.uniform(-1.0, 1.0, (3, model.n))
        q, dq = true.q + position * error[0], true.dq + velocity * error[1]
        shown = (true.tau - plant.rotor_torque()) * (1.0 + relative * error[2])
        rows.append((time + LEAD, q, dq, shown))
        now = Measurement(time, q, dq)
        follower = follower or TorqueFollower(controller, now, trajectory, 0.0)
        torques.append(follower.step(now).torque)
        plant.set_torque(torques[max(k - late, 0)])
        used = max(used, np.abs((follower.desired(time).q - true.q) / tube.position).max())
        plant.step_to(plant.time + control.effort_period)
    if follower.said:
        raise SystemExit(f"The controller's assumptions did not hold: {follower.said}")
    return Samples(*(np.array(column) for column in zip(*rows, strict=True))), used


def main() -> int:
    """Plan once, then move and identify one payload after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="kinova_gen3_torque")
    parser.add_argument("--payloads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--heaviest", type=float, help="of the prior [kg]; else the robot file's")
    parser.add_argument("--duration", type=float, default=15.0, help="of the motion [s]")
    parser.add_argument("--start", type=float, nargs="+", help="pose [rad]; else home")
    given = parser.parse_args()
    robot = RobotFile.load(given.robot)
    heaviest = given.heaviest or robot.uncertainty.prior.mass_max
    prior = PayloadPrior(heaviest, LARGEST)
    try:
        found = certified(robot, prior, given.start, given.duration, given.seed)
    except NotCertifiedError as refusal:
        print(refusal)
        return 2
    motion, tube, good = found.motion.trajectory, found.motion.tube, 0
    print(f"proved: {motion.duration:.1f} s within {1e3 * tube.position.max():.1f} mrad and "
          f"{tube.velocity.max():.3f} rad/s for payloads up to {heaviest:g} kg")  # fmt: skip
    model = RobotModel.from_robot_file(robot)
    for seed in range(given.seed, given.seed + given.payloads):
        payload = draw_payload(np.random.default_rng(seed), heaviest, REACH, HEIGHT)
        samples, used = moved(robot, found, payload, seed)
        estimate: Estimate = identify(samples, model, replace(robot.uncertainty, prior=prior))
        inside = bool(estimate.contains(payload).all())
        good += inside and estimate.status.name == "GOOD"
        print(f"seed {seed}: {estimate.status.name}, {estimate.message.split(';')[0]}; true "
              f"{payload[0]:.3f} kg, {'inside' if inside else 'OUTSIDE'}, tube used to "
              f"{used:.0%}")  # fmt: skip
    return 0 if good == given.payloads else 1


if __name__ == "__main__":
    with one_thread():
        sys.exit(main())
