"""Error metrics of eqs. (10)-(12) of [NGK], against the formulas written out."""

import numpy as np
import pytest

from arms import draw_payload
from payload_id.core.body.inertial import change_of_frame, from_mass_com_inertia, mass_com_inertia
from payload_id.core.body.metrics import box_inertia, errors

BOX = np.array([0.3, 0.2, 0.1])


def pair(seed):
    rng = np.random.default_rng(seed)
    return draw_payload(rng), draw_payload(rng)


@pytest.mark.parametrize("seed", range(3))
def test_metrics_are_the_papers(seed):
    phi, true = pair(seed)
    found = errors(phi, true, BOX)
    m, c, I = mass_com_inertia(true)
    m_hat, c_hat, I_hat = mass_com_inertia(phi)
    a = BOX
    assert found.mass == pytest.approx(abs((m_hat - m) / m) * 100)
    assert found.com == pytest.approx(
        np.mean([abs(c_hat[i] - c[i]) / a[i] for i in range(3)]) * 100
    )
    entries = []
    for i in range(3):
        for j in range(i, 3):
            k = 3 - i - j
            if i == j:
                size = a @ a - a[i] * a[i]
            else:
                size = a[i] * a[j]
                assert k not in (i, j)
            entries.append(abs((I_hat[i, j] - I[i, j]) * 100 / (m / 12 * size)))
    assert found.inertia == pytest.approx(np.mean(entries))


def test_solid_box_against_itself():
    phi = from_mass_com_inertia(2.0, [0.1, 0.0, -0.2], np.diag(np.diag(box_inertia(2.0, BOX))))
    assert errors(phi, phi, BOX).inertia == 0.0
    heavier = from_mass_com_inertia(
        2.0, [0.1, 0.0, -0.2], 1.1 * np.diag(np.diag(box_inertia(2, BOX)))
    )
    assert errors(heavier, phi, BOX).inertia == pytest.approx(5.0)  # 10 % of three of six


def test_axes_of_the_box_and_reference_point():
    phi, true = pair(4)
    rotation = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    rotation *= np.sign(np.linalg.det(rotation))
    T = change_of_frame(rotation, np.zeros(3))
    here, there = errors(phi, true, BOX), errors(T @ phi, T @ true, BOX, axes=rotation)
    assert here.mass == pytest.approx(there.mass)
    assert here.com == pytest.approx(there.com)
    assert here.inertia == pytest.approx(there.inertia)
    assert errors(phi, true, BOX, about_com=False).inertia != pytest.approx(here.inertia)


def test_estimate_without_mass_is_infinitely_wrong():
    _, true = pair(5)
    found = errors(-true, true, BOX)
    assert found.mass == pytest.approx(200.0)
    assert np.isinf([found.com, found.inertia]).all()
