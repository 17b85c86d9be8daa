"""Archives that somebody has crafted: what no writer makes is refused, and named."""

import dataclasses

import numpy as np
import pytest

from payload_id.core.body.shape import Shape
from payload_id.core.errors import ConfigurationError
from payload_id.core.identification.tare import Tare
from payload_id.core.knowledge.catalogue import CATALOGUE, knowledge_of
from payload_id.core.rows.row_block import RowBlock
from payload_id.core.statistics.statistics import Statistics
from payload_id.files.knowledge.statement_file import load_knowledge, save_knowledge
from payload_id.files.runs.tare_file import load_tare, save_tare
from payload_id.files.shapes.shape_file import load_shape, save_shape

P, ROWS = 2, 12


def a_tare():
    rng = np.random.default_rng(1)
    A, B = rng.normal(size=(ROWS, 10)), rng.normal(size=(ROWS, P))
    now, joint = np.arange(float(ROWS)), np.arange(ROWS) % 3
    rows = RowBlock(A, 0.0 * A, B, B[:, 0], np.ones(ROWS), joint, now, now + 0.1)
    return Tare(rows, Statistics.empty(P).add(rows, np.ones(10)))


def a_shape():
    return Shape.from_hull(np.random.default_rng(2).uniform(-0.1, 0.1, (30, 3)))


def a_knowledge():
    return knowledge_of({"weighed": CATALOGUE["known_mass"](mass=1.0, tolerance=0.01)})


FILES = {
    "tare": (a_tare, save_tare, load_tare),
    "shape": (a_shape, save_shape, load_shape),
    "knowledge": (a_knowledge, save_knowledge, load_knowledge),
}
LISTS = ("points", "ellipsoids", "bodies")  # of any length, which no other array has
UNBOUNDED = ("row_dynamism", "z_lower0", "z_upper0")
WRONG = {
    "NaN": lambda x: np.where(np.arange(x.size).reshape(x.shape) == 0, np.nan, x),
    "infinity": lambda x: np.where(np.arange(x.size).reshape(x.shape) == 0, np.inf, x),
    "a scalar": lambda x: np.float64(1.0),
    "one row more": lambda x: np.concatenate([x, x[:1]]),
    "one axis more": lambda x: x[None],
    "texts": lambda x: x.astype(str),
}


@pytest.fixture(params=FILES)
def saved(request, tmp_path):
    """Kind, path, arrays, how to read."""
    make, save, load = FILES[request.param]
    path = save(tmp_path / "x.npz", make())
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files if archive[name].dtype.kind != "U"}
        texts = {name: archive[name] for name in archive.files if name not in arrays}
    return request.param, path, arrays, texts, load


@pytest.mark.parametrize("wrong", WRONG)
def test_what_no_writer_makes_is_refused_by_name(saved, wrong):
    kind, path, arrays, texts, load = saved
    load(path)
    tried = 0
    for name, array in arrays.items():
        numbers = wrong in ("NaN", "infinity")
        if numbers and (not array.size or name in UNBOUNDED):
            continue
        if wrong in ("a scalar", "one row more") and not array.ndim:
            continue
        if wrong == "one row more" and (not len(array) or name in LISTS):
            continue
        tried += 1
        np.savez_compressed(path, **(arrays | texts | {name: WRONG[wrong](array)}))
        with pytest.raises(ConfigurationError) as error:
            load(path)
        said = str(error.value)
        assert kind in said and str(path) in said and "\n" not in said
        if kind != "knowledge" and wrong in ("NaN", "a scalar", "texts"):
            assert name in said
    assert tried >= 2


@pytest.mark.parametrize("name", ["row_d", "row_A_error", "row_joint", "statistics_counts"])
def test_a_bound_or_number_below_zero_is_refused(tmp_path, name):
    path = save_tare(tmp_path / "x.npz", a_tare())
    with np.load(path) as archive:
        arrays = dict(archive)
    np.savez_compressed(path, **(arrays | {name: arrays[name] - 99}))
    with pytest.raises(ConfigurationError, match=f"{name} holds -.*at least 0 is possible"):
        load_tare(path)


def test_a_row_of_a_gain_that_is_not_there_is_refused(tmp_path):
    tare = a_tare()
    rows = dataclasses.replace(tare.rows, gain_column=np.full(ROWS, P))
    path = save_tare(tmp_path / "x.npz", Tare(rows, tare.statistics))
    with pytest.raises(ConfigurationError, match="a gain is named that is not there"):
        load_tare(path)
