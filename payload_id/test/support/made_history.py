"""An arm's history of made-up runs: what learning from real ones takes seconds for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from payload_id.core.arm.arm_history import ArmHistory
from payload_id.core.history.learning import OWN, own_columns
from payload_id.core.rows.joint_torque.momentum import MomentumRows
from payload_id.core.statistics.triangular_factor import factor_of

RUNS, ROWS = 20, 4000


def with_history(rows: MomentumRows, seed: int = 0, **changes: object) -> MomentumRows:
    """Return rows of the same arm, with a history of random rows that tell what runs share."""
    rng, n, p = np.random.default_rng(seed), rows.model.n, rows.p
    shared = np.append(~own_columns(rows, OWN), np.zeros(10, dtype=bool))
    seen = rng.normal(size=(ROWS, p + 11)) * np.append(10.0 * shared, 1.0)
    seen[:, -1] = rng.normal(size=ROWS)
    history = ArmHistory(
        digest=rows.model.digest,
        joints=rows.model.joints,
        names=rows.names,
        uncertainty=rows.uncertainty.to_dict(),
        window=0.2,
        factor=factor_of(seen),
        rows=float(ROWS),
        inflation=1.7,
        load_noise=0.4,
        scores=rng.normal(size=(RUNS, 10)),
        masses=rng.uniform(0.0, 3.0, RUNS),
        seconds=np.full(RUNS, 10.0),
        lower=np.full((RUNS, n), -2.0),
        upper=np.full((RUNS, n), 2.0),
        effort={},
        speed=np.full((RUNS, n), 1.0),
        mean_speed=np.full((RUNS, n), 0.5),
        noise=rng.uniform(0.1, 0.6, (RUNS, n)),
    )
    return replace(rows, model=replace(rows.model, history=replace(history, **changes)))
