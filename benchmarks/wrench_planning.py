"""What is expected of the mass if a motion is planned for joint torques, or for a wrench sensor.

`./payload-id python benchmarks/wrench_planning.py` plans motions of 8 s of an xArm7 from its home,
for a payload of at most 2 kg: two families, two sets of limits, some seeds. Printed is the
half-width of the mass that each plan expects, 1 kg before it, planned for the torques with the
robot file's bounds, and for a force-torque sensor with those of example 07.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace

import numpy as np

from payload_id import RobotFile
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.files.cells.cell_file import Cell
from payload_id.planning.request import Goal, Planned, PlanningSettings, PlanRequest
from payload_id.planning.worker import PlanningWorker
from payload_id.ros.planner.parameters import PLANNER_TABLE, PlannerParameters, planning_settings

PRIOR = PayloadPrior(2.0, 0.15)
SENSOR = WrenchUncertainty(
    force_error=0.05, torque_error=0.002, linear_acceleration_error=0.2,
    angular_acceleration_error=0.5, prior=PRIOR,
)  # fmt: skip
CELL = "none, a simulation"
FAMILIES, LIMITS = ("wave", "fourier"), ("careful", "urdf")
DURATION, BUDGET = 8.0, 4.0  # [s] of a motion, and of computing


def settings(robot: RobotFile, folder: str) -> PlanningSettings:
    """Return what the planner makes of its parameters; friction is not simulated."""
    stated = {"friction_coulomb": 0.0, "friction_viscous": 0.0, "rotor_inertia": 0.0}
    uncertainty = replace(robot.uncertainty, link_relative=0.02, prior=PRIOR, **stated)
    values = {entry.name: entry.default for entry in PLANNER_TABLE} | {
        "certificates_folder": folder, "cell": CELL, "payload_box": [0.1, 0.1, 0.1],
        "payload_box_centre": [0.0, 0.0, 0.08],
    }  # fmt: skip
    parameters = PlannerParameters.of(values)
    return planning_settings(parameters, robot, uncertainty, Cell.of(CELL, parameters.clearance))


def main() -> None:
    """Plan, and print what is expected."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    robot = RobotFile.load("xarm7")
    with tempfile.TemporaryDirectory() as folder:
        for what, wrench in (("joint torques", None), ("wrench sensor", SENSOR)):
            worker, found = PlanningWorker(replace(settings(robot, folder), wrench=wrench)), []
            worker(None)
            for family in FAMILIES:
                for limits in LIMITS:
                    for seed in range(seeds):
                        goal = Goal(
                            family, "half_widths", DURATION, 1.0, 0.0, BUDGET, seed, limits,
                            np.full(10, -np.inf), np.full(10, np.inf), "prior",
                        )  # fmt: skip
                        plan = worker(PlanRequest("plan", goal, np.array(robot.home), ()))
                        if isinstance(plan, Planned):
                            found.append(float(plan.figures.half_width_expected[0]))
            print(f"{what}: {len(found)} plans, mass ± {min(found):.3f} to {max(found):.3f} kg")


if __name__ == "__main__":
    main()
