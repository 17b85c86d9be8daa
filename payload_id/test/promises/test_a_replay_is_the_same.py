"""The same samples give the same bits, in pieces and in another process; altered ones do not.

Runs that nodes have saved are repeated in `test_identify_end_to_end.py`.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace

import numpy as np
import pytest

from payload_id import OnlineIdentifier, PayloadPrior, Recording, Settings, Uncertainty, identify
from payload_id import replay as replayed

from .arms import drawn_payload
from .command_line import payload_id, process
from .errors import Run, everything
from .recorded import columns_of, write_bag, write_table
from .sliding_arm import sliding_arm

BOUNDS = Uncertainty(
    torque_relative=0.02, torque_absolute=0.05, torque_offset=0.1, link_relative=0.02,
    friction_coulomb=0.1, prior=PayloadPrior(mass_max=5.0, com_max=0.5),
)  # fmt: skip


def bits(estimate) -> bytes:
    """Return all that an estimate says as text, every digit of it."""
    return json.dumps(estimate.to_dict(), sort_keys=True).encode()


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return sliding_arm(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="module")
def run(arm):
    rng = np.random.default_rng(21)
    return Run.drawn(arm, rng, drawn_payload(rng), seconds=1.5, rate=250.0, size=0.5)


@pytest.fixture(scope="module")
def recording(run) -> Recording:
    return everything(run, BOUNDS, np.random.default_rng(22))


def pieces(recording: Recording, lengths) -> list[Recording]:
    ends = np.cumsum([0, *lengths])
    return [recording.part(*ends[k : k + 2]) for k in range(len(lengths))]


@pytest.mark.slow
def test_updates_of_a_growing_run_are_repeated_bit_for_bit(arm, recording):
    """With estimators and interval methods of every kind, a tare before it, and other pieces."""
    tare = Run.drawn(arm, np.random.default_rng(5), np.zeros(10), seconds=1.0, rate=250.0)
    rows = everything(tare, replace(BOUNDS, link_relative=0.0), np.random.default_rng(6))
    for settings in (
        Settings(BOUNDS),
        Settings(BOUNDS, estimator="entropic", intervals="hull_lp", window=0.05),
        Settings(BOUNDS, estimator="wls", intervals="least_squares_image", scales=(0.3,)),
    ):
        live = OnlineIdentifier(arm.robot, settings)
        live.add(rows)
        live.tare()
        known, said = live.known_arm, []
        for piece in pieces(recording, (40, 100, 1, 60, 174)):
            live.add(piece)
            if live.windows in (5, 8, 14, 29) or len(said) < 2:
                said.append(live.update())
        assert len(said) >= 2 and live.updates == [x.windows for x in said]
        again = list(replayed(recording, arm.robot, settings, live.updates, known))
        for before, now in zip(said, again, strict=True):
            assert (before.lower == now.lower).all() and (before.upper == now.upper).all()
            assert (before.phi == now.phi).all() and before.message == now.message
            assert before.windows == now.windows
        other = recording.tau.copy()
        other[20, 1] = np.nextafter(other[20, 1], np.inf)  # one bit
        changed = replace(recording, tau=other + 1e-9 * (np.arange(4) == 1))
        last = list(replayed(changed, arm.robot, settings, live.updates, known))[-1]
        assert (last.phi != said[-1].phi).any()


def test_pieces_of_a_recording_make_no_difference(arm, recording):
    whole = identify(recording, arm.robot, BOUNDS)
    for lengths in ((375,), (7, 68, 100, 200), (5,) * 75):
        online = OnlineIdentifier(arm.robot, Settings(BOUNDS))
        for piece in pieces(recording, lengths):
            online.add(piece)
        assert bits(online.update()) == bits(whole)


def test_other_units_and_orders_of_joints_are_the_same_recording(arm, recording, tmp_path):
    names = arm.file.joints
    for unit, size in (("rad", 1.0), ("deg", np.pi / 180), ("mrad", 1e-3), ("rev", 2 * np.pi)):
        columns, motion = tmp_path / f"{unit}.yaml", arm.motion(np.random.default_rng(1))
        units = ", ".join("m" if "slide" in name else unit for name in names)
        columns.write_text(columns_of(names).replace("_unit: rad", f"_unit: [{units}]"))
        own = np.array([1.0 if "slide" in name else size for name in names])
        scaled = replace(motion, q=motion.q / own, dq=motion.dq / own)
        read = Recording.from_csv(write_table(tmp_path / "run.csv", scaled, motion.q), columns)
        np.testing.assert_allclose(read.q, motion.q, atol=1e-12)
        np.testing.assert_allclose(read.dq, motion.dq, atol=1e-12)
    orders, read = (slice(None), slice(None, None, -1)), []
    for order in orders:
        columns.write_text(columns_of(names[order]))
        turned = replace(motion, q=motion.q[:, order], dq=motion.dq[:, order])
        table = write_table(tmp_path / "run.csv", turned, motion.q[:, order])
        read.append(Recording.from_csv(table, columns))
    assert read[1].joints == names[::-1] and (read[1].q == motion.q[:, ::-1]).all()
    for one, two in (read, read[::-1]):
        both = one.followed_by(two)
        for name in ("q", "dq", "tau"):
            np.testing.assert_array_equal(*np.split(getattr(both, name), 2))


def short(run: Run, recording: Recording):
    """Return motion and torques of the first 0.6 s, as they were measured."""
    motion = replace(run.motion, q=recording.q, dq=recording.dq)
    first = slice(0, 151)
    parts = (getattr(motion, f.name)[first] for f in fields(motion))
    return type(motion)(*parts), recording.tau[first]


STATED = ("torque_relative", "torque_absolute", "torque_offset", "link_relative",
          "friction_coulomb")  # fmt: skip


@pytest.mark.slow
def test_the_command_line_repeats_itself_from_every_kind_of_file(
    arm, run, recording, tmp_path, capsys
):
    motion, tau = short(run, recording)
    columns = tmp_path / "columns.yaml"
    columns.write_text(columns_of(arm.file.joints))
    stated = [f"--uncertainty={name}={getattr(BOUNDS, name)}" for name in STATED]
    options = ("--robot", arm.name, "--json", *stated)
    bag = write_bag(tmp_path / "mcap", arm, motion, tau)
    table = write_table(tmp_path / "run.csv", motion, tau)
    files = [
        (bag,),
        (write_bag(tmp_path / "sqlite3", arm, motion, tau, "sqlite3"),),
        (table, "--columns", columns),
    ]
    said = []
    for file in files:
        answer = payload_id(capsys, "identify", *file, *options)
        assert answer.code == 0, answer.text
        said.append(json.loads(answer.out))
    said.append(json.loads(process("identify", *files[0], *options).out))  # a process of its own
    read = (
        Recording.from_bag(bag, joints=arm.file.joints),
        Recording.from_csv(table, columns),
    )
    for each, recording in zip(said, (read[0], read[0], read[1], read[0]), strict=True):
        direct = identify(recording, arm.robot, BOUNDS)  # at once, without updates on the way
        near = 0.02 * direct.half_width
        assert (abs(np.array(each["lower"]) - direct.lower) < near).all()
        assert (abs(np.array(each["upper"]) - direct.upper) < near).all()
        assert each["windows"] == direct.windows == 6 and each["status"] == direct.status.value
        assert each["identical_to_live"] is None
    assert said[3] == said[0]
    for name in ("phi", "lower", "upper", "identifiable", "residual_rms", "message"):
        assert said[0][name] == said[1][name]  # bags of either kind hold the same numbers


@pytest.mark.slow
def test_what_was_altered_is_not_the_same(arm, run, recording, tmp_path, capsys):
    """One digit of a table, one bound, another window, another method."""
    motion, tau = short(run, recording)
    columns = tmp_path / "columns.yaml"
    columns.write_text(columns_of(arm.file.joints))

    def said(file, *more: str, **bounds: float) -> dict:
        stated = {**{name: getattr(BOUNDS, name) for name in STATED}, **bounds}
        options = [f"--uncertainty={name}={x}" for name, x in stated.items()]
        answer = payload_id(
            capsys, "identify", file, "--robot", arm.name, "--columns", columns, "--json",
            *options, *more,
        )  # fmt: skip
        assert answer.code == 0, answer.text
        return json.loads(answer.out)

    table = write_table(tmp_path / "run.csv", motion, tau)
    first = said(table)
    tau[100, 2] += 1e-6
    other = said(write_table(tmp_path / "other.csv", motion, tau))
    assert other["phi"] != first["phi"] and np.allclose(other["phi"], first["phi"], atol=1e-4)
    for change in (
        said(table, "--window", "0.05"),
        said(table, torque_absolute=0.0501),
        said(table, "--intervals", "hull_lp"),
    ):
        assert change["lower"] != first["lower"]
        assert (np.array(change["lower"]) <= run.phi).all()
        assert (run.phi <= np.array(change["upper"])).all()
