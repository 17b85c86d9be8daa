"""Histories on disk: they come back equal, and what cannot be one is refused in a sentence."""

import json
from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.arm.arm_history import ArmHistory
from payload_id.core.arm.effort_scale import JOINT_STATES, EffortScale
from payload_id.core.errors import ConfigurationError
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.files.learnt.history_file import load_history, save_history

RUNS, JOINTS, P = 4, 2, 3


@pytest.fixture
def history():
    """A history with NumPy's numbers wherever a program might put them."""
    rng = np.random.default_rng(1)
    stated = Uncertainty(torque_absolute=(np.float64(0.3), 1), torque_gain=np.float32(0.1))
    per_joint = {name: rng.uniform(1.0, 2.0, (RUNS, JOINTS))
                 for name in ("lower", "upper", "speed", "mean_speed", "noise")}  # fmt: skip
    return ArmHistory(
        digest="ab",
        joints=("a", "b"),
        names=("u", "v", "w"),
        uncertainty=stated.to_dict(),
        effort={JOINT_STATES: EffortScale.of((0.1, -0.2), 0.0, JOINTS)},
        window=np.float64(0.2),
        factor=rng.normal(size=(P + 11, P + 11)),
        rows=np.int64(50),
        inflation=np.float64(1.2),
        load_noise=np.float32(0.1),
        scores=np.where(rng.random((RUNS, 10)) < 0.5, np.nan, 1.0),
        masses=np.array([0.0, np.nan, 1.0, 2.0]),
        seconds=np.full(RUNS, 10.0),
        notes=("drifts",),
        about={"own": ["friction_"]},
        **per_joint,
    )


def test_a_history_comes_back_equal(history, tmp_path):
    again = load_history(save_history(tmp_path / "h.npz", history))
    assert again == history
    assert again.effort == history.effort
    assert again.notes == history.notes


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"factor": np.full((P + 11, P + 11), np.nan)}, "factor holds numbers that are not finite"),
        ({"factor": np.ones((3, 3))}, "factor has shape"),
        ({"inflation": -1.0}, "inflation is -1"),
        ({"inflation": 0.0}, "not above 0"),
        ({"inflation": float("nan")}, "inflation is nan"),
        ({"load_noise": float("inf")}, "load_noise is inf"),
        ({"rows": -5.0}, "rows is -5"),
        ({"window": 0.0}, "window is 0"),
        ({"seconds": np.zeros(RUNS)}, "no length"),
        ({"scores": np.full((RUNS, 10), np.inf)}, "scores holds"),
        ({"masses": np.array(["a"] * RUNS)}, "masses is"),
        ({"joints": ("a", "b", "c")}, "shape"),
        ({"uncertainty": {"torque_gain": -1.0}}, "torque_gain"),
        ({"uncertainty": {"torque_gian": 0.1}}, "torque_gian"),
        ({"effort": {JOINT_STATES: EffortScale.of(1.0, 0.0, 3)}}, "2 finite factors"),
    ],
)
def test_what_cannot_be_a_history_is_one_sentence(history, tmp_path, changed, words):
    path = tmp_path / "h.npz"
    if "masses" in changed:
        edit(save_history(path, history), **changed)
    else:
        save_history(path, replace(history, **changed))
    with pytest.raises(ConfigurationError, match=r"no readable history \(.*Make it again") as found:
        load_history(path)
    assert words in str(found.value)


def edit(path, text=None, **arrays):
    """Change an archive as an editor would: everything stays as it is but these entries."""
    with np.load(path) as archive:
        entries = dict(archive) | arrays
    whole = json.loads(str(entries["text"])) | (text or {})
    np.savez_compressed(path, **(entries | {"text": np.array(json.dumps(whole))}))


@pytest.mark.parametrize(
    ("text", "arrays"),
    [
        ({}, {"scores": np.full((RUNS, 10), 0.1)}),
        ({}, {"mean_speed": np.ones((RUNS, JOINTS))}),
        ({"inflation": 1.0}, {}),
        ({"joints": ["x", "y"]}, {}),
        ({"notes": []}, {}),
        ({"effort": {}}, {}),
    ],
)
def test_an_edited_history_is_refused(history, tmp_path, text, arrays):
    path = save_history(tmp_path / "h.npz", history)
    edit(path)
    assert load_history(path) == history
    edit(path, text, **arrays)
    with pytest.raises(ConfigurationError, match="checksum"):
        load_history(path)


def test_a_history_of_another_format_is_refused(history, tmp_path):
    path = save_history(tmp_path / "h.npz", history)
    edit(path, {"format": 1})
    with pytest.raises(ConfigurationError, match="has format 1, this version reads 2: make the"):
        load_history(path)


def test_single_changed_bytes_are_never_read_as_something_else(history, tmp_path):
    path = save_history(tmp_path / "h.npz", history)
    whole = bytearray(path.read_bytes())
    for at in range(0, len(whole), 23):
        bad = whole.copy()
        bad[at] ^= 0xFF
        path.write_bytes(bad)
        try:
            assert load_history(path) == history  # a byte that says nothing, such as a date
        except ConfigurationError:
            continue
