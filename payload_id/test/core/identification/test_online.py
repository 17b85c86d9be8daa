"""Identification online and of recordings: one result, whatever way the samples came."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from arms import (
    arm,
    description,
    draw_payload,
    record,
)
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.body.inertial import change_of_frame
from payload_id.core.bounds import METHODS
from payload_id.core.errors import InputError, RecordingError, UnknownNameError
from payload_id.core.identification import kept_rows
from payload_id.core.identification.identify import identify
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty

USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)
GUARANTEED = [name for name, method in METHODS.items() if method.guaranteed]
EVERY_METHOD = pytest.mark.parametrize("method", GUARANTEED)


@lru_cache
def usual_run(name="gen3", seed=1, seconds=1.5, kind="cloud", jitter=0.0):
    """Return a run of an arm whose sensors keep their bounds."""
    phi = draw_payload(np.random.default_rng(seed), kind)
    made = record(arm(name), seed, phi=phi, seconds=seconds, jitter=jitter)
    return made.measured(USUAL, "uniform")


def few_rows(monkeypatch, limit=60, stock=25):
    """Let no more rows than so many be kept."""
    monkeypatch.setattr(kept_rows, "ROW_LIMIT", limit)
    monkeypatch.setattr(kept_rows, "ROW_STOCK", stock)


@pytest.mark.slow
@EVERY_METHOD
def test_dropping_rows_only_widens(method, monkeypatch):
    run = usual_run("gen3", 9, seconds=6.0)
    whole = identify(run.samples, run.model, USUAL, intervals=method)
    few_rows(monkeypatch, 140, 50)
    online = OnlineIdentifier(run.model, Settings(USUAL, intervals=method))
    online.add(run.samples)
    fewer = online.update()
    assert len(online.problem().rows) <= 140
    assert fewer.windows == whole.windows
    assert fewer.contains(run.phi).all()
    if method != "least_squares_image":  # more rows may widen the image, not the hull
        assert (fewer.half_width >= whole.half_width * (1 - 1e-3)).all()
        assert (fewer.half_width <= whole.half_width * 2.0).all()


def test_where_the_best_fit_breaks_the_stated_bounds_the_proof_is_for_larger_ones():
    """Other payloads keep them, few where a false torque is near what none explains."""
    run = usual_run(seconds=3.0)
    here = (run.samples.stamp > 1.0) & (run.samples.stamp < 1.1)
    for false in (0.5, 1.5):  # of the bound on the torques
        tau = run.samples.tau.copy()
        tau[here, 1] *= 1.0 + false * USUAL.torque_relative
        online = OnlineIdentifier(run.model, Settings(USUAL))
        online.add(replace(run.samples, tau=tau))
        narrow = online.update()
        final = online.with_confidence(narrow)
        if false < 1.0:
            assert final.bound_factor is None
            np.testing.assert_array_equal(final.half_width, narrow.half_width)
        else:
            assert final.bound_factor.max() > 1.0
            assert (final.lower < narrow.lower).all() and (final.upper > narrow.upper).all()
            assert "larger" in final.message


def test_bounds_measured_under_less_torque_grow_with_it_and_no_further():
    run = usual_run(seconds=1.5)
    errors = 0.05 * np.sign(run.samples.dq) * np.abs(run.samples.tau)  # friction that load makes
    load = np.abs(run.samples.tau + errors).max(axis=0)
    means = {"torque_mean_window": (0.1,), "torque_mean": (0.02,) * run.model.n}
    stated = replace(USUAL, **means, torque_mean_load=tuple(0.2 * load))
    for times in (1.0, 8.0):
        tau = run.samples.tau + times * errors
        online, told = OnlineIdentifier(run.model, Settings(stated)), []
        online.add(replace(run.samples, tau=tau))
        found = online.update(told.append)
        if times > 1.0:
            assert found.status is Status.INCONSISTENT and told
            continue
        assert not told and found.contains(run.phi).all()
        final = online.with_confidence(found)
        assert final.bound_factor.max() > 1.0 and "larger" in final.message
        assert final.contains(run.phi).all() and final.status in (Status.GOOD, Status.TOO_WIDE)
        online.add(replace(run.samples, stamp=run.samples.stamp + 3.0, tau=tau))
        assert online.update().contains(run.phi).all()


ELSEWHERE = """<link name="elsewhere"/><joint name="to_elsewhere" type="fixed"><parent link="{}"/>
<child link="elsewhere"/><origin xyz="0.1 -0.05 0.2" rpy="0.5 1.0 -0.7"/></joint>"""


@pytest.mark.parametrize("name", ["ur10", "branched"])
def test_result_does_not_depend_on_the_payload_frame(name):
    urdf, frame, joints = description(name)
    model = arm(name)
    urdf = urdf.replace("</robot>", ELSEWHERE.format(frame) + "</robot>")
    there = ArmModel.from_xml(urdf, "elsewhere", joints)
    run = record(model, 4, seconds=1.5, rate=1000.0)
    noisy = record(model, 4, phi=run.phi, seconds=1.5).measured(USUAL, "uniform")
    here_to_joint = change_of_frame(model.payload_rotation, model.payload_translation)
    there_to_joint = change_of_frame(there.payload_rotation, there.payload_translation)
    phi_there = np.linalg.solve(there_to_joint, here_to_joint @ run.phi)
    for estimator in ("ols", "lmi"):
        here, moved = (
            identify(run.samples, each, estimator=estimator, intervals="least_squares_image")
            for each in (model, there)
        )
        back = np.linalg.solve(here_to_joint, there_to_joint @ moved.phi)
        tolerance = 1e-7 if estimator == "ols" else 2e-6  # the cone solver's own tolerance
        np.testing.assert_allclose(back, here.phi, atol=tolerance)
    for each, phi in ((model, run.phi), (there, phi_there)):
        assert identify(noisy.samples, each, USUAL).contains(phi).all()


def test_what_does_not_go_together_is_refused_by_name():
    samples = usual_run().samples
    with pytest.raises(RecordingError, match="7 joints .* 6"):
        identify(samples, arm("ur10"), USUAL)
    for name in ("torque_absolute", "velocity_error", "rotor_inertia"):
        with pytest.raises(InputError, match=name):
            OnlineIdentifier(arm("ur10"), Settings(Uncertainty(**{name: (0.1, 0.2)})))
    for wrong in ({"estimator": "lmj"}, {"intervals": "hul"}):
        with pytest.raises(UnknownNameError, match="lmj|hul"):
            OnlineIdentifier(arm("ur10"), Settings(**wrong))
    for junk in (None, 1.0, "solved", {}):
        with pytest.raises(InputError, match="answer"):
            OnlineIdentifier(arm("ur10"), Settings(USUAL)).accept(junk)
