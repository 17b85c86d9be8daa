"""How far published torques are from those of links and payload, on arms with realistic drives.

    ./payload-id python benchmarks/realistic_arms.py --arms 20

`--figure docs/images/realistic_arms.png` renews the page's figure: joint 2 of the first arms.

Each preset drives the arm that it is named after: one motion of 10 s with a payload of 1.8 kg, on
many arms that are drawn from the preset. Prints, as parts of the joints' capacity and as root mean
squares over time and joints: what is published beyond links and payload as the description has
them; the parts of it that true links explain, friction, and the rest; by how much the published
mean differs between two runs of a session, and between two sessions of an arm; and the time that a
run takes, at the preset's rate.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

from arms import arm  # noqa: E402  # lies in the folder above
from payload_id.core.body.inertial import from_mass_com_inertia
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.simulation.realistic_arm import RealisticArm, joint_capacity
from payload_id.core.simulation.rigid_body import inverse_dynamics, with_bodies
from payload_id.files.figures.drive_figure import JointTorque, draw_joint_torques

ARMS = {"gen3_like": "gen3", "xarm_like": "xarm7", "ur_like": "ur10"}
PAYLOAD = from_mass_com_inertia(1.8, [0.02, -0.03, 0.07], np.diag([0.004, 0.005, 0.003]))
DURATION = 10.0  # [s]
SHOWN = 1  # index of the joint in the figure


def trial(preset: str, seed: int) -> tuple[dict[str, float], JointTorque]:
    """Return figures of one arm and what is drawn of it."""
    model = arm(ARMS[preset])
    rng = np.random.default_rng(seed)
    path = FourierSeries.from_free(
        rng.uniform(-0.5, 0.5, model.n), 0.12 * rng.standard_normal((model.n, 2, 4)), DURATION
    )
    drawn, capacity = RealisticArm.drawn(model, preset, seed), joint_capacity(model)
    begin = time.perf_counter()
    run = drawn.run(path, PAYLOAD)
    cost = time.perf_counter() - begin
    again = drawn.run(path, PAYLOAD, seed=1).samples.tau
    later = drawn.run(path, PAYLOAD, session=1).samples.tau
    there = path.at(run.time)
    known = with_bodies(model, model.link_phi, PAYLOAD)
    described = inverse_dynamics(model, known, there.q, there.dq, there.ddq)
    tau, rigid, friction = run.samples.tau, run.parts["links and payload"], run.parts["friction"]

    def size(x: np.ndarray) -> float:
        """Return the root mean square over time and joints, over capacity [%]."""
        return 100 * float(np.sqrt(np.mean((x / capacity) ** 2)))

    figures = {
        "beyond the description": size(tau - described),
        "of true links": size(rigid - described),
        "of friction": size(friction),
        "rest": size(tau - rigid - friction),
        "between runs": size(np.mean(again - tau, axis=0, keepdims=True)),
        "between sessions": size(np.mean(later - tau, axis=0, keepdims=True)),
        "seconds": cost,
    }
    columns = (there.dq[:, SHOWN], rigid[:, SHOWN], tau[:, SHOWN])
    title = f"{preset} on {model.name}, {model.joints[SHOWN]}"
    return figures, JointTorque(title, run.time, *columns)


def main() -> int:
    """Print the table and draw the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=20)
    parser.add_argument("--figure", type=Path, default=Path("runs/realistic_arms.png"))
    given = parser.parse_args()
    table = Table("preset", "", "median", "least", "largest")
    shown = []
    for preset in ARMS:
        found = [trial(preset, seed) for seed in range(given.arms)]
        shown.append(found[0][1])
        for name in found[0][0]:
            values = [figures[name] for figures, _ in found]
            unit = "s" if name == "seconds" else "%"
            row = [f"{x:.2f} {unit}" for x in (np.median(values), min(values), max(values))]
            table.add_row(preset, name, *row)
    Console().print(table)
    title = "Torque that a driver publishes, and torque of links and payload"
    print(draw_joint_torques(given.figure, shown, title))
    return 0


if __name__ == "__main__":
    sys.exit(main())
