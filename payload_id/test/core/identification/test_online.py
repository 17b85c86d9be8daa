"""Identification online and of recordings: one result, whatever way the samples came."""

import json
from dataclasses import replace

import numpy as np
import pytest

from arms import (
    ARMS,
    PAYLOADS,
    Joints,
    Motion,
    arm,
    description,
    draw_payload,
    perturbed_links,
    record,
)
from payload_id.core.arm.arm_model import ArmModel
from payload_id.core.body.inertial import change_of_frame
from payload_id.core.bounds import METHODS
from payload_id.core.errors import InputError, RecordingError, UnknownNameError
from payload_id.core.estimators import ESTIMATORS
from payload_id.core.identification import identify as identify_module
from payload_id.core.identification import kept_rows
from payload_id.core.identification.identify import identify, replay
from payload_id.core.identification.online import OnlineIdentifier
from payload_id.core.identification.settings import Settings
from payload_id.core.identification.status import Status
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.samples.joint_samples import Samples

USUAL = Uncertainty(torque_relative=0.025, link_relative=0.05)
WITHOUT_SHAPE = [name for name in ESTIMATORS if name != "point_masses"]
EVERY_ARM = pytest.mark.parametrize("name", ARMS)


def usual_run(name="gen3", seed=1, seconds=3.0, kind="cloud", **options):
    phi = draw_payload(np.random.default_rng(seed), kind)
    return record(arm(name), seed, phi=phi, seconds=seconds, **options).measured(USUAL, "uniform")


def assert_equal(one, other):
    """Raise unless two estimates are equal to the last bit.

    The number of samples counts those that have arrived, which depends on the pieces.
    """
    one, other = replace(one, samples=0), replace(other, samples=0)
    assert repr(one) == repr(other)
    for name in ("phi", "lower", "upper"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert json.dumps(one.to_dict()) == json.dumps(other.to_dict())


def live(samples, model, settings, updates, rng):
    """Give the estimates of a run whose samples come in pieces of random length."""
    online, due, estimates, start = OnlineIdentifier(model, settings), list(updates), [], 0
    while start < len(samples):
        stop = start + int(rng.choice([0, 1, 3, 20, 90]))
        for window in online.cut(samples.part(start, stop)):
            while due and due[0] <= online.windows:
                estimates.append(online.update())
                due.pop(0)
            online.take(window)
        start = stop
    estimates += [online.update() for _ in due]
    return online, estimates


# The same result


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_replay_is_the_live_run_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    run = usual_run(ARMS[seed], seed, jitter=0.3)
    updates = np.sort(rng.integers(0, 30, 4)).tolist()
    online, expected = live(run.samples, run.model, Settings(USUAL), updates, rng)
    assert online.updates == updates
    found = list(replay(run.samples, run.model, Settings(USUAL), online.updates))
    assert len(found) == len(expected) == 4
    for one, other in zip(found, expected, strict=True):
        assert_equal(one, other)


@pytest.mark.slow
def test_replay_is_the_live_run_with_windows_of_several_lengths(monkeypatch):
    monkeypatch.setattr(identify_module, "CHUNK", 97)
    run, rng = usual_run("gen3", 6, jitter=0.3), np.random.default_rng(6)
    stated = replace(USUAL, torque_mean_window=(0.5,), torque_mean=(0.5,))
    settings = Settings(stated, scales=(0.03, 0.25))
    updates = [7, 15, 29]
    online, expected = live(run.samples, run.model, settings, updates, rng)
    assert set(online.problem().rows.scale) == {0.0, 0.03, 0.25, 0.5}
    found = list(replay(run.samples, run.model, settings, updates))
    assert len(found) == len(expected) == 3
    for one, other in zip(found, expected, strict=True):
        assert_equal(one, other)


@pytest.mark.slow
def test_replay_is_the_live_run_when_rows_are_dropped(monkeypatch):
    monkeypatch.setattr(kept_rows, "ROW_LIMIT", 150)
    monkeypatch.setattr(kept_rows, "ROW_STOCK", 60)
    monkeypatch.setattr(identify_module, "CHUNK", 97)
    run = usual_run("panda", 5)
    _, expected = live(
        run.samples, run.model, Settings(USUAL), [7, 15, 29], np.random.default_rng(0)
    )
    found = list(replay(run.samples, run.model, Settings(USUAL), [7, 15, 29]))
    for one, other in zip(found, expected, strict=True):
        assert_equal(one, other)


def test_an_answer_may_be_taken_up_later():
    # A live run solves in another thread while windows go on arriving.
    run = usual_run("gen3", 6)
    online = OnlineIdentifier(run.model, Settings(USUAL))
    online.add(run.samples.part(0, 300))
    problem = online.problem()
    online.add(run.samples.part(300, 500))
    online.accept(problem.solve())
    online.add(run.samples.part(500, 751))
    found = online.update()
    assert online.updates[0] == 11
    *_, expected = replay(run.samples, run.model, Settings(USUAL), online.updates)
    assert_equal(found, expected)


@pytest.mark.parametrize("junk", [None, 1.0, "solved", {}])
def test_what_is_no_answer_is_refused(junk):
    online = OnlineIdentifier(usual_run("gen3", 6).model, Settings(USUAL))
    with pytest.raises(InputError, match="the answer"):
        online.accept(junk)


def test_identify_is_one_update_of_all():
    run = usual_run("ur10", 7)
    (expected,) = replay(run.samples, run.model, Settings(USUAL), [10**9])
    assert_equal(identify(run.samples, run.model, USUAL), expected)


# The promises below are those of methods that guarantee something; `sensitivity` does not.
GUARANTEED = pytest.mark.parametrize(
    "method", [name for name, method in METHODS.items() if method.guaranteed]
)


@pytest.mark.slow
@GUARANTEED
def test_intervals_never_widen_and_contain_the_truth(method):
    run = usual_run("gen3", 8)
    settings = Settings(USUAL, intervals=method)
    estimates = list(replay(run.samples, run.model, settings, range(0, 31, 3)))
    for before, after in zip(estimates[:-1], estimates[1:], strict=True):
        assert (after.lower >= before.lower).all()
        assert (after.upper <= before.upper).all()
    assert all(estimate.contains(run.phi).all() for estimate in estimates)
    if method != "sensitivity_enclosed":  # has no value with bounds as large as these
        assert estimates[-1].half_width[0] < 0.9 * estimates[1].half_width[0]


@pytest.mark.slow
@GUARANTEED
def test_dropping_rows_only_widens(method, monkeypatch):
    run = usual_run("gen3", 9, seconds=6.0)
    whole = identify(run.samples, run.model, USUAL, intervals=method)
    monkeypatch.setattr(kept_rows, "ROW_LIMIT", 140)
    monkeypatch.setattr(kept_rows, "ROW_STOCK", 50)
    online = OnlineIdentifier(run.model, Settings(USUAL, intervals=method))
    online.add(run.samples)
    fewer = online.update()
    assert len(online.problem().rows) <= 140
    assert fewer.windows == whole.windows
    assert fewer.contains(run.phi).all()
    if method != "least_squares_image":  # more rows may widen the image, not the hull
        assert (fewer.half_width >= whole.half_width * (1 - 1e-3)).all()
        assert (fewer.half_width <= whole.half_width * 2.0).all()


# Truth


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, PAYLOADS[(j + k) % 5]) for j, name in enumerate(ARMS) for k in (0, 2)],
)
def test_payload_is_found_without_any_error(name, kind):
    phi = draw_payload(np.random.default_rng(3), kind)
    run = record(arm(name), 3, phi=phi, rate=1000.0)
    found = identify(run.samples, run.model)
    np.testing.assert_allclose(found.phi, phi, atol=1e-5 if kind == "cloud" else 5e-5)
    assert found.status in (Status.GOOD, Status.SMALL_LOAD)
    assert found.contains(phi).all()
    assert np.isnan(found.noise_factor)
    assert found.physically_consistent


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gen3", "ur10", "branched"])
def test_result_does_not_depend_on_the_payload_frame(name):
    urdf, frame, joints = description(name)
    model = arm(name)
    there = ArmModel.from_xml(
        urdf.replace("</robot>", ELSEWHERE.format(frame) + "</robot>"), "elsewhere", joints
    )
    run = record(model, 4, rate=1000.0)
    noisy = record(model, 4, phi=run.phi).measured(USUAL, "uniform")
    here_to_joint = change_of_frame(model.payload_rotation, model.payload_translation)
    there_to_joint = change_of_frame(there.payload_rotation, there.payload_translation)
    phi_there = np.linalg.solve(there_to_joint, here_to_joint @ run.phi)
    assert np.abs(phi_there - run.phi).max() > 1e-2
    for estimator in WITHOUT_SHAPE:
        here = identify(run.samples, model, estimator=estimator, intervals="least_squares_image")
        moved = identify(run.samples, there, estimator=estimator, intervals="least_squares_image")
        back = np.linalg.solve(here_to_joint, there_to_joint @ moved.phi)
        tolerance = 1e-7 if estimator == "ols" else 2e-6  # the cone solver's own tolerance
        np.testing.assert_allclose(back, here.phi, atol=tolerance)
    for model_, phi in ((model, run.phi), (there, phi_there)):
        assert identify(noisy.samples, model_, USUAL).contains(phi).all()


ELSEWHERE = """<link name="elsewhere"/><joint name="to_elsewhere" type="fixed"><parent link="{}"/>
<child link="elsewhere"/><origin xyz="0.1 -0.05 0.2" rpy="0.5 1.0 -0.7"/></joint>"""


def test_order_of_the_joints_does_not_matter():
    urdf, frame, _ = description("panda")
    run = usual_run("panda", 10)
    permutation = [4, 0, 6, 2, 1, 5, 3]
    model = ArmModel.from_xml(urdf, frame, [run.model.joints[k] for k in permutation])
    columns = (x[:, permutation] for x in (run.samples.q, run.samples.dq, run.samples.tau))
    found = identify(Samples(run.samples.stamp, *columns), model, USUAL)
    expected = identify(run.samples, run.model, USUAL)
    np.testing.assert_allclose(found.phi, expected.phi, atol=1e-3)
    np.testing.assert_allclose(found.half_width, expected.half_width, rtol=2e-3)


@pytest.mark.slow
@EVERY_ARM
def test_estimate_is_inside_the_interval_and_physical(name):
    kinds = ("cloud", "rod", "none")
    for seed in {ARMS.index(name) % 3, (ARMS.index(name) + 1) % 3}:
        run = usual_run(name, seed, kind=kinds[seed])
        found = identify(run.samples, run.model, USUAL)
        slack = 1e-5 * found.half_width
        assert (found.phi >= found.lower - slack).all()
        assert (found.phi <= found.upper + slack).all()
        assert found.physically_consistent
        assert found.contains(run.phi).all()


# Tare


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gen3", "ur10"])
def test_tare_narrows_the_mass(name):
    model, rng = arm(name), np.random.default_rng(11)
    uncertainty = Uncertainty(
        torque_absolute=0.1, torque_gain=0.05, torque_offset=1.0, link_relative=0.03
    )
    joints = Joints.draw(rng, uncertainty, model.n, extreme=True)
    motion = Motion.draw(model, rng)
    empty = record(model, 12, phi=np.zeros(10), motion=motion, joints=joints)
    loaded = record(model, 13, motion=motion, joints=joints)
    online = OnlineIdentifier(model, Settings(uncertainty))
    online.add(empty.measured(uncertainty, "uniform", 1).samples)
    assert not online.tared
    online.tare()
    assert online.tared
    assert online.windows == 0
    with_load = loaded.measured(uncertainty, "uniform", 2).samples
    online.add(with_load)
    tared, untared = online.update(), identify(with_load, model, uncertainty)
    assert tared.contains(loaded.phi).all()
    assert untared.contains(loaded.phi).all()
    assert tared.half_width[0] < 0.6 * untared.half_width[0]
    assert (tared.half_width <= untared.half_width * (1 + 1e-3)).all()
    assert abs(tared.phi[0] - loaded.phi[0]) < abs(untared.phi[0] - loaded.phi[0]) + 0.01
    online.reset()
    assert online.tared
    online.add(with_load)
    assert_equal(online.update(), tared)


@pytest.mark.parametrize("name", ["gen3", "ur10"])
def test_a_run_that_proves_a_payload_is_no_tare(name):
    online = OnlineIdentifier(arm(name), Settings(USUAL))
    run = usual_run(name, 21, seconds=1.5)
    online.add(run.samples)
    windows = online.update().windows
    with pytest.raises(InputError, match="No tare was made: if nothing was in the hand"):
        online.tare()
    with pytest.raises(InputError, match="if this payload was in the hand"):
        online.tare(2.0 * run.phi)
    assert not online.tared and online.update().windows == windows  # nothing is forgotten
    online.tare(run.phi)
    assert online.tared


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["uniform", "correlated"])
def test_known_payload_tells_more_than_none(noise):
    model, rng = arm("gen3"), np.random.default_rng(31)
    uncertainty = Uncertainty(
        torque_relative=0.003, torque_absolute=0.02, torque_gain=0.025, link_relative=0.05
    )
    links = perturbed_links(model, rng, 0.05)
    joints = Joints.draw(rng, uncertainty, model.n, extreme=False)
    weight = draw_payload(rng)
    estimates, loaded = [], None
    for phi in (np.zeros(10), weight):
        online = OnlineIdentifier(model, Settings(uncertainty))
        taring = record(model, 32, phi=phi, links=links, joints=joints)
        online.add(taring.measured(uncertainty, noise, 1).samples)
        online.tare(phi)
        loaded = record(model, 33, links=links, joints=joints)
        online.add(loaded.measured(uncertainty, noise, 2).samples)
        estimates.append(online.update())
    assert all(estimate.contains(loaded.phi).all() for estimate in estimates)
    assert estimates[1].half_width[0] < estimates[0].half_width[0]


@pytest.mark.slow
def test_tared_run_is_repeated_to_the_last_bit():
    model, settings = arm("ur10"), Settings(replace(USUAL, torque_gain=0.02))
    live = OnlineIdentifier(model, settings)
    bare = usual_run("ur10", 20, seconds=1.5)
    live.add(bare.samples)
    live.update()  # drops nothing; what it established is forgotten with the payload
    live.tare(bare.phi)
    samples = usual_run("ur10", 21, seconds=1.5).samples
    live.add(samples.part(0, len(samples) // 2))
    live.update()
    live.add(samples.part(len(samples) // 2, len(samples)))
    last = live.update()
    again = list(replay(samples, model, settings, live.updates, live.known_arm))
    assert_equal(again[-1], last)
    untared = list(replay(samples, model, settings, live.updates))
    assert (untared[-1].lower != last.lower).any()


def test_tare_of_other_bounds_is_refused():
    model = arm("gen3")
    arm_known = OnlineIdentifier(model, Settings(USUAL)).known_arm
    wider = OnlineIdentifier(model, Settings(replace(USUAL, torque_gain=0.02)))
    with pytest.raises(InputError, match="Tare again"):
        wider.know(arm_known)


def test_reset_forgets_the_payload():
    first, second = usual_run("gen3", 14), usual_run("gen3", 15)
    online = OnlineIdentifier(first.model, Settings(USUAL))
    online.add(first.samples)
    online.update()
    online.reset()
    assert (online.windows, online.samples, online.updates) == (0, 0, [])
    online.add(second.samples)
    assert_equal(online.update(), identify(second.samples, second.model, USUAL))


# Verdicts and refusals


@pytest.mark.slow
def test_bounds_that_are_too_small_are_inconsistent():
    model = arm("gen3")
    run = record(model, 16, seconds=2.0).measured(USUAL, "correlated", 3)
    too_small = Uncertainty(torque_relative=0.002)
    found = identify(run.samples, model, too_small)
    assert found.status is Status.INCONSISTENT
    assert found.noise_factor > 1.0
    assert np.isinf(found.lower).all()
    assert np.isinf(found.upper).all()
    assert f"{found.noise_factor:.3g} times as large" in found.message
    assert found.physically_consistent
    relaxed = Uncertainty(torque_relative=0.002 * found.noise_factor * 1.01)
    assert identify(run.samples, model, relaxed).status is not Status.INCONSISTENT


@pytest.mark.slow
def test_links_at_twice_their_bound_are_inconsistent():
    model = arm("ur10")
    links = model.link_phi * np.where(np.arange(6) % 2, 1.1, 0.9)[:, None]
    run = record(model, 17, seconds=2.0, links=links)
    found = identify(run.samples, model, Uncertainty(link_relative=0.05))
    assert found.status is Status.INCONSISTENT


@pytest.mark.slow
def test_inconsistent_data_name_the_joint():
    run = usual_run("ur10", 18, seconds=2.0)
    tau = run.samples.tau + 3.0 * np.eye(6)[3]
    found = identify(replace(run.samples, tau=tau), run.model, USUAL)
    assert found.status is Status.INCONSISTENT
    assert f"asked for by {run.model.joints[3]}" in found.message


def test_small_load_is_said_to_be_small():
    run = usual_run("gen3", 19, kind="none")
    found = identify(run.samples, run.model, USUAL)
    assert found.status is Status.SMALL_LOAD
    assert found.contains(np.zeros(10)).all()


@pytest.mark.parametrize(
    ("count", "step", "words"),
    [
        (0, 1e-3, "Only 0 samples"),
        (4, 1e-3, "Only 4 samples"),
        (50, 1e-3, "do not fill one window"),
        (50, 0.04, "free of gaps"),
    ],
)
def test_no_window_is_explained(count, step, words):
    model = arm("gen3")
    run = record(model, 20, seconds=50 * step, rate=1.0 / step)
    found = identify(run.samples.part(0, count), model, USUAL)
    assert found.status is Status.NO_DATA
    assert words in found.message
    assert np.isnan(found.phi).all()
    lower, upper = USUAL.prior.box()
    np.testing.assert_array_equal(found.lower, lower)
    np.testing.assert_array_equal(found.upper, upper)
    assert not found.identifiable.any()


def test_torques_that_are_all_zero_are_refused():
    samples = record(arm("gen3"), 21, seconds=0.5).samples
    with pytest.raises(RecordingError, match="Every one of the 126 torques is zero"):
        identify(replace(samples, tau=0.0 * samples.tau), arm("gen3"), USUAL)


def test_another_number_of_joints_is_refused():
    with pytest.raises(RecordingError, match="7 joints and the robot has 6"):
        identify(record(arm("gen3"), 22, seconds=0.5).samples, arm("ur10"), USUAL)


@pytest.mark.parametrize("name", ["torque_absolute", "velocity_error", "rotor_inertia"])
def test_bounds_for_another_number_of_joints_are_refused(name):
    with pytest.raises(InputError, match=name):
        OnlineIdentifier(arm("ur10"), Settings(Uncertainty(**{name: (0.1, 0.2)})))


def test_unknown_names_are_refused_before_any_data():
    with pytest.raises(UnknownNameError, match="estimator"):
        OnlineIdentifier(arm("ur10"), Settings(estimator="lmj"))
    with pytest.raises(UnknownNameError, match="interval method"):
        OnlineIdentifier(arm("ur10"), Settings(intervals="hul"))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", WITHOUT_SHAPE)
@GUARANTEED
def test_estimates_become_plain_values(estimator, method):
    run = usual_run("ur10", 23, seconds=1.0)
    for samples in (run.samples, run.samples.part(0, 3)):
        found = identify(samples, run.model, USUAL, estimator, method)
        plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert plain["status"] == found.status.value
        assert plain["estimator"] == estimator
        assert plain["intervals"] == method
        assert plain["payload_frame"] == "tool0"
        assert len(plain["phi"]) == len(plain["parameters"]) == len(plain["units"]) == 10


def test_residual_tells_the_noise():
    run = record(arm("gen3"), 24)
    quiet = identify(run.samples, run.model, Uncertainty(torque_absolute=0.5))
    noisy = run.measured(Uncertainty(torque_absolute=0.5), "correlated")
    loud = identify(noisy.samples, run.model, Uncertainty(torque_absolute=0.5))
    assert quiet.residual_rms < 1e-3
    assert 0.1 < loud.residual_rms < 0.6


def test_rate_and_window_change_little():
    run = record(arm("gen3"), 25, rate=1000.0)
    slow = Samples(*(x[::8] for x in (run.true.stamp, run.true.q, run.true.dq, run.true.tau)))
    for samples, window in ((run.true, 0.05), (run.true, 0.4), (slow, 0.1), (slow, 0.3)):
        found = identify(samples, run.model, Uncertainty(torque_relative=0.01), window=window)
        np.testing.assert_allclose(found.phi, run.phi, atol=1e-3)
        assert found.contains(run.phi).all()
