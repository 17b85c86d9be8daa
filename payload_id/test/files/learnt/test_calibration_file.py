"""Calibrations on disk: they come back equal, and what was changed is refused in a sentence."""

import numpy as np
import pytest

from payload_id.core.arm.calibration import ArmEquations, Calibration
from payload_id.core.errors import ConfigurationError
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.files.learnt.calibration_file import load_calibration, save_calibration

ROWS, SIZE = 3, 15 + 10  # of an arm of one joint


@pytest.fixture
def path(tmp_path):
    """A calibration on disk."""
    return save_calibration(tmp_path / "c.npz", calibration())


def calibration():
    """A calibration of random numbers."""
    rng = np.random.default_rng(2)
    stamp = np.arange(ROWS, dtype=float)
    t, d = rng.uniform(size=(2, ROWS))
    C, joint = rng.normal(size=(ROWS, SIZE)), np.zeros(ROWS, dtype=int)
    return Calibration(
        digest="ab",
        joints=("a",),
        lower=np.append(np.full(SIZE - 1, -1.0), -np.inf),
        upper=np.append(np.full(SIZE - 1, 1.0), np.inf),
        estimate=rng.normal(size=SIZE),
        uncertainty=Uncertainty(torque_gain=0.1).to_dict(),
        equations=ArmEquations(C, t, d, joint, stamp, stamp + 1.0),
        factors=rng.normal(size=(1, SIZE + 1, SIZE + 1)),
        counts=np.array([ROWS]),
        about={"recordings": ["x"]},
    )


def test_a_calibration_comes_back_equal(path):
    again = load_calibration(path)
    assert again == calibration() and again.about == {"recordings": ["x"]}


@pytest.mark.parametrize("name", ["upper", "estimate", "factors", "counts", "row_t", "row_end"])
def test_an_edited_calibration_is_refused(path, name):
    with np.load(path) as archive:
        entries = dict(archive)
    np.savez_compressed(path, **entries)
    assert load_calibration(path) == calibration()
    np.savez_compressed(path, **(entries | {name: entries[name] * 2}))
    with pytest.raises(ConfigurationError, match="its checksum is not that of its content"):
        load_calibration(path)


def test_a_calibration_that_is_not_there_or_none_is_refused(path, tmp_path):
    with pytest.raises(ConfigurationError, match="does not exist.*calibrate"):
        load_calibration(tmp_path / "other.npz")
    for whole in (b"", path.read_bytes()[:-100], b"text"):
        path.write_bytes(whole)
        with pytest.raises(ConfigurationError, match="no readable calibration"):
            load_calibration(path)
