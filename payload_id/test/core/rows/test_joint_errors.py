"""Slow and load-dependent friction: the curves that are allowed, and what estimates make of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from erring_arm import erring_run
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

LOAD = Uncertainty(friction_coulomb=1.0, friction_viscous=0.5, friction_load=0.2)


def test_estimates_count_friction_where_only_bounds_do_not_know_its_direction():
    # Wide bounds on other errors: at most samples they leave open whether the joint drives.
    likely, middle = [], []
    for seed, name in enumerate(("elbow", "gantry", "ur10", "gen3")):
        run = erring_run(name, LOAD, seed)
        unsure = replace(run, stated=replace(LOAD, torque_absolute=1.0, torque_offset=3.0))
        rows = unsure.rows()
        B, b = rows.unbiased()
        likely.append(unsure.left(replace(rows, B=B, b=b)) / rows.duration)
        middle.append(unsure.left(rows) / rows.duration)
    size = [np.mean(np.square(np.concatenate(left))) for left in (likely, middle)]
    assert size[0] < 0.2 * size[1]


def test_friction_that_grows_with_load_does_not_draw_the_mass_to_zero():
    # Noise of the readings is in the columns of that friction, too.
    errors, holds = [], replace(LOAD, torque_gain=0.1, link_relative=0.05)
    stated = replace(holds, torque_absolute=10.0, torque_offset=3.0)
    for seed, name in enumerate(("branched", "gen3") * 2):
        run = erring_run(name, holds, seed, extreme=False, rate=100.0, seconds=16.0)
        noise = 2.0 * np.random.default_rng(seed).normal(size=run.samples.tau.shape)
        settings = Settings(stated, intervals="least_squares_image")
        online = OnlineIdentifier(run.model, settings)
        online.add(replace(run.samples, tau=run.samples.tau + noise))
        errors.append(online.update().phi[0] - run.phi[0])
    assert abs(np.mean(errors)) < 0.08, errors
