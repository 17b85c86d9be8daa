"""Statistics of several runs: what they share, what is a run's own, what is known of payloads."""

import numpy as np

from payload_id.core.rows.row_block import RowBlock
from payload_id.core.statistics.nuisance_fit import PRIOR
from payload_id.core.statistics.own_nuisance import of_the_arm
from payload_id.core.statistics.posterior import Posterior
from payload_id.core.statistics.statistics import Statistics

P, CHANNELS = 4, 3
OWN = np.array([False, True, False, True])
TYPICAL = np.ones(10)


def block(rng, rows=60, u=None, phi=None, noise=0.1):
    """Return rows whose errors have the same size in every channel."""
    A, B = rng.normal(size=(rows, 10)), rng.normal(size=(rows, P))
    u = rng.uniform(-0.3, 0.3, P) if u is None else u
    phi = rng.normal(size=10) if phi is None else phi
    b = A @ phi + B @ u + noise * rng.normal(size=rows)
    joint, time = np.arange(rows) % CHANNELS, np.arange(rows, dtype=float)
    return RowBlock(A=A, A_error=np.zeros((rows, 10)), B=B, b=b, d=np.ones(rows), joint=joint,
                    start=time, end=time + 1.0)  # fmt: skip


def statistics(*blocks):
    found = Statistics.empty(P)
    for each in blocks:
        found = found.add(each, TYPICAL)
    return found


def test_joined_statistics_are_those_of_all_rows():
    rng = np.random.default_rng(1)
    one, two = block(rng), block(rng, 33)
    both, joined = statistics(one, two), statistics(one).joined(statistics(two))
    assert joined.rows == both.rows
    np.testing.assert_allclose(joined.counts, both.counts)
    np.testing.assert_allclose(joined.errors, both.errors)
    for name in ("plain", "weighted"):
        mine, theirs = getattr(joined, name), getattr(both, name)
        np.testing.assert_allclose(mine.T @ mine, theirs.T @ theirs, atol=1e-10)
    nothing = Statistics.empty(P).joined(both)
    np.testing.assert_allclose(nothing.balanced().z @ nothing.balanced().z,
                               both.balanced().z @ both.balanced().z)  # fmt: skip


def explicit(parts, variances, inflation):
    """Return phi of the last of several lots of rows and its covariance, by plain least squares.

    Args:
        parts: Lots of rows, each with what is known of its phi, NaN elsewhere; each has its own of
            the nuisance parameters `OWN`.
        variances: Of the rows of each lot's channels, shape (CHANNELS,) each.
        inflation: On the noise of all rows.
    """
    shared, own = int((~OWN).sum()), int(OWN.sum())
    width = shared + (own + 10) * len(parts)
    rows, right, pull = [], [], np.full(width, PRIOR)
    for k, ((part, phi), variance) in enumerate(zip(parts, variances, strict=True)):
        mine = shared + (own + 10) * k
        payload = slice(mine + own, mine + own + 10)
        known = np.isfinite(phi)
        weight = 1.0 / (inflation * np.sqrt(np.asarray(variance)[part.joint]))
        row = np.zeros((len(part), width))
        row[:, :shared], row[:, mine : mine + own] = part.B[:, ~OWN], part.B[:, OWN]
        row[:, payload] = part.A * ~known
        rows.append(weight[:, None] * row)
        right.append(weight * (part.b - part.A[:, known] @ phi[known]))
        last = k == len(parts) - 1
        pull[payload] = 0.0 if last else 1.0 / (inflation * LARGEST)
        if not last:
            pull[mine : mine + own] = PRIOR / inflation
    M = np.vstack([*rows, np.diag(pull)])
    x = np.linalg.lstsq(M, np.concatenate([*right, np.zeros(width)]), rcond=None)[0]
    return x[payload], np.linalg.pinv(M.T @ M)[payload, payload]


LARGEST = np.full(10, 5.0)
UNKNOWN = np.full(10, np.nan)


def test_what_is_a_runs_own_is_eliminated_as_plain_least_squares_does():
    rng = np.random.default_rng(2)
    phi = rng.normal(size=10)
    weighed = np.where(np.arange(10) == 0, phi, np.nan)
    lots = [(block(rng, phi=np.zeros(10)), np.zeros(10)), (block(rng, phi=phi), phi),
            (block(rng, 90, phi=phi), weighed)]  # fmt: skip
    arm, variances = Statistics.empty(P), []
    for rows, known in lots:
        run = statistics(rows)
        fit = Posterior.of(run)
        variances.append(fit.variance)
        arm = arm.joined(of_the_arm(run, OWN, known, LARGEST, fit))
    new = block(rng, 90)
    found = Posterior.of(arm.joined(statistics(new)))
    scale = found.variance[-1]  # of the known lots' noise, which the fit finds anew
    variances = [scale * each for each in variances] + [found.variance[:CHANNELS]]
    for inflation in (1.0, 3.0):
        estimate, spread = explicit([*lots, (new, UNKNOWN)], variances, inflation)
        if inflation == 1.0:
            np.testing.assert_allclose(found.phi, estimate, atol=2e-3)
        np.testing.assert_allclose(found.covariance(inflation), spread, rtol=0.02, atol=1e-6)


def test_what_is_known_of_phi_tells_the_rest():
    rng = np.random.default_rng(4)
    phi = rng.normal(size=10)
    rows = block(rng, 300, phi=phi)
    posterior = Posterior.of(statistics(rows))
    assert (posterior.given(np.full(10, np.nan)) == posterior.phi).all()
    np.testing.assert_array_equal(posterior.given(phi), phi)
    for known in ([0], [0, 3], [1, 2, 9]):
        told = np.full(10, np.nan)
        told[known] = phi[known]
        found = posterior.given(told)
        np.testing.assert_array_equal(found[known], phi[known])
        # Least squares with these elements fixed.
        spread = np.linalg.inv(posterior.covariance(1.0))
        free = np.setdiff1d(np.arange(10), known)
        gap = phi[known] - posterior.phi[known]
        moved = -np.linalg.solve(spread[np.ix_(free, free)], spread[np.ix_(free, known)] @ gap)
        np.testing.assert_allclose(found[free], posterior.phi[free] + moved, atol=1e-10)
