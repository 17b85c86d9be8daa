"""Validation error against training size for four sets of constraints: figure 6 of [WKS].

A simulated Gen3 whose links differ from its description, with Coulomb and viscous friction and
Gaussian torque noise, moves for half a minute. Eq. (25) of [WKS] is solved with the first part of
the data, and the torques of the last part are predicted. Its regularisation (1e-6) and its kind of
data (one experiment, the part that follows for validation) are kept; the arm is another one.

    ./payload-id python benchmarks/wks_figure6.py --trials 10
"""

from __future__ import annotations

import sys
import time

import numpy as np
from bench import options, show, tell, trials

from arms import Joints, Motion, perturbed_links, record
from payload_id import RobotFile, RobotModel, Uncertainty
from payload_id.core.arm.calibration import ArmEquations
from payload_id.core.arrays import Array
from payload_id.core.body.ellipsoid import row_of
from payload_id.core.body.inertial import is_physical
from payload_id.core.calibration import ArmFit, Consistency, LinkPrior
from payload_id.core.calibration.equations import window_equations
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.rows.windows import WindowCutter
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.statistics.triangular_factor import factor_of
from payload_id.files.robots.link_ellipsoids import link_ellipsoids

RATE, WINDOW = 250.0, 0.04  # [Hz], [s]
SECONDS, TRAINING = 26.0, (0.4, 0.8, 1.6, 3.2, 6.4, 12.8)  # [s]; the rest validates
NOISE = 1.5  # [N m] standard deviation of each torque sample
LINKS = 0.3  # largest relative deviation of the links from their description [-]
FRICTION = Uncertainty(friction_coulomb=3.0, friction_viscous=1.0)
WEIGHT = 1e-6  # w_pi of [WKS, Sec. VI]
PRINTED = (
    "[WKS, Sec. VI] prints no figures for its figure 6; its text says that tighter constraints "
    "give an accurate model with fewer samples. For 10 000 training samples of a 3-joint leg it "
    "prints 1.48, 1.69 and 1.16 N m (1.46 N m overall) on the next 10 000, and 1.67 s for one "
    "solution (MOSEK, 2011 Core i5)."
)


ROBOT = RobotFile.load("kinova_gen3")
MODEL = RobotModel.from_robot_file(ROBOT)
ELLIPSOIDS = link_ellipsoids(ROBOT, MODEL)  # around its collision shapes


def equations_of(samples: Samples) -> ArmEquations:
    """Return the equations of all windows."""
    row_source = MomentumRows.of(MODEL, Uncertainty())
    windows = WindowCutter(WINDOW).add(samples)
    return ArmEquations.stack(
        [window_equations(row_source, row_source.terms(window), np.zeros(10)) for window in windows]
    )


def trial(seed: int) -> tuple[Array, Array, Array]:
    """Return validation errors, shares of consistent links and solution times, (sizes, 4) each."""
    rng, model = np.random.default_rng(seed), MODEL
    joints = Joints.draw(rng, FRICTION, model.n, extreme=False)
    motion = Motion.draw(model, rng, period=SECONDS, harmonics=20)
    links = perturbed_links(model, rng, LINKS)
    for k, Q in enumerate(ELLIPSOIDS):  # bodies of which lie in the ellipsoids
        if Q is not None and row_of(Q) @ links[k] < 0:
            links[k] = model.link_phi[k]
    run = record(
        model, seed, np.zeros(10), SECONDS, RATE, links=links, motion=motion, joints=joints
    )
    tau = run.true.tau + NOISE * rng.normal(size=run.true.tau.shape)
    every = equations_of(Samples(run.true.stamp, run.true.q, run.true.dq, tau))
    last = every.take(every.start >= max(TRAINING))
    # Links are free that have a mass, friction is not negative, all else is known.
    free = np.where(np.repeat(model.link_phi[:, 0] > 0, 10), np.inf, 0.0)
    shape = (len(TRAINING), len(Consistency))
    errors, sound, seconds = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for i, size in enumerate(TRAINING):
        first = every.take(every.end <= size + 1e-9)
        # Mean torques over the windows, as the paper's samples; the mean square of its cost.
        rows = np.column_stack([first.C, first.t]) / first.duration[:, None]
        factor = factor_of(rows / np.sqrt(len(first)))
        for j, consistency in enumerate(Consistency):
            fit = ArmFit(
                np.append(model.link_phi.ravel(), np.zeros(5 * model.n + 10)),
                np.append(-free, np.zeros(5 * model.n + 10)),
                np.concatenate([free, np.full(2 * model.n, np.inf), np.zeros(3 * model.n + 10)]),
                consistency,
                ELLIPSOIDS,
                LinkPrior.EUCLIDEAN,
                pull=float(np.sqrt(WEIGHT)),
            )
            begin = time.perf_counter()
            psi = fit.solve(factor)
            seconds[i, j] = time.perf_counter() - begin
            errors[i, j] = np.sqrt(np.mean(last.residual(psi) ** 2))
            found = psi[: 10 * model.n].reshape(-1, 10)
            sound[i, j] = np.mean([is_physical(phi) for phi in found])
    return errors, sound, seconds


def main() -> int:
    """Run the trials and show them; 1 if physical consistency did not help."""
    results = list(trials(trial, options(trials=10, seed=0, workers=1)))
    errors, sound, seconds = (np.array(x) for x in zip(*results, strict=True))
    median = np.median(errors, axis=0)
    rows = [(f"{size:g}", round(size / WINDOW) * 7, *(f"{x:.3f}" for x in each))
            for size, each in zip(TRAINING, median, strict=True)]  # fmt: skip
    share, took = sound.mean(axis=(0, 1)), np.median(seconds, axis=(0, 1))
    rows += [None, ("consistent", "links", *(f"{100 * x:.0f} %" for x in share)),
             ("time", "[ms]", *(f"{1e3 * x:.1f}" for x in took))]  # fmt: skip
    show("Validation error, rms of mean torques over 40 ms [N m], medians",
         ("training [s]", "rows", *(x.value for x in Consistency)), rows)  # fmt: skip
    tell(f"noise alone: {NOISE / np.sqrt(RATE * WINDOW):.3f} N m; {len(results)} trials")
    tell(PRINTED)
    return 0 if (median[:-1, 2:] <= median[:-1, :1]).all() else 1


if __name__ == "__main__":
    sys.exit(main())
