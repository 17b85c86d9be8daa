"""Error metrics of eqs. (10)-(12) of [NGK], against the formulas written out."""

import numpy as np
import pytest

from arms import draw_payload
from payload_id.core.body.inertial import change_of_frame, mass_com_inertia
from payload_id.core.body.metrics import errors
from problems import random_turn

BOX = np.array([0.3, 0.2, 0.1])


def pair(seed):
    rng = np.random.default_rng(seed)
    return draw_payload(rng), draw_payload(rng)


@pytest.mark.parametrize("seed", range(3))
def test_metrics_are_the_papers(seed):
    phi, true = pair(seed)
    found, a = errors(phi, true, BOX), BOX
    (m_hat, c_hat, I_hat), (m, c, I) = mass_com_inertia(phi), mass_com_inertia(true)
    assert found.mass == pytest.approx(abs((m_hat - m) / m) * 100)
    assert found.com == pytest.approx(np.mean(abs(c_hat - c) / a) * 100)
    size = {(i, j): a @ a - a[i] ** 2 if i == j else a[i] * a[j] for i in range(3)
            for j in range(i, 3)}  # fmt: skip
    entries = [abs((I_hat[k] - I[k]) * 100 / (m / 12 * x)) for k, x in size.items()]
    assert found.inertia == pytest.approx(np.mean(entries))


def test_axes_of_the_box_and_reference_point():
    (phi, true), rotation = pair(4), random_turn(4)
    T = change_of_frame(rotation, np.zeros(3))
    here, there = errors(phi, true, BOX), errors(T @ phi, T @ true, BOX, axes=rotation)
    for name in ("mass", "com", "inertia"):
        assert getattr(here, name) == pytest.approx(getattr(there, name))
    assert errors(phi, true, BOX, about_com=False).inertia != pytest.approx(here.inertia)


def test_estimate_without_mass_is_infinitely_wrong():
    _, true = pair(5)
    found = errors(-true, true, BOX)
    assert found.mass == pytest.approx(200.0)
    assert np.isinf([found.com, found.inertia]).all()
