"""The values that a run is made of: adding gives a new one, and the old one stays as it was."""

from dataclasses import fields

import numpy as np
import pytest

from arms import arm, record, rows_of
from payload_id.core.diagnosis import Diagnosis
from payload_id.core.identification import kept_rows
from payload_id.core.identification.kept_rows import FOLD, KeptRows
from payload_id.core.identification.suspicion import CHANGE_WINDOWS, Suspicion
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.core.rows.row_block import RowBlock

TYPICAL = np.full(10, 0.1)


@pytest.fixture(scope="module")
def blocks():
    """Return the rows of twenty windows."""
    run = record(arm("pendulum"), 1, seconds=2.0)
    rows = rows_of(run.model, Uncertainty(torque_absolute=0.1, link_relative=0.05), run.samples)
    return [rows.take(np.array([k])) for k in range(len(rows))]


def none(blocks):
    return KeptRows.none(blocks[0].B.shape[1], TYPICAL)


def same(one, other):
    return all(
        np.array_equal(getattr(one, entry.name), getattr(other, entry.name))
        for entry in fields(one)
        if getattr(one, entry.name) is not None
    )


def test_rows_and_statistics_do_not_depend_on_when_they_are_asked_for(blocks):
    whole, asked = none(blocks).with_windows(blocks), none(blocks)
    for block in blocks:
        asked = asked.with_window(block).stacked()
        asked.statistics()
    assert same(whole.stacked().stock, asked.stock)
    assert same(whole.statistics(), asked.statistics())
    assert whole.size == asked.size == len(asked.stock) == len(blocks)
    assert whole.folded.rows == len(blocks) // FOLD * FOLD


def test_a_window_leaves_what_was_kept_before_as_it_was(blocks):
    before = none(blocks).with_windows(blocks[:3])
    before.with_window(blocks[3])
    assert (before.size, len(before.recent), before.statistics().rows) == (3, 3, 3)


def test_rows_near_to_active_are_kept_and_all_newer_ones(blocks, monkeypatch):
    kept = none(blocks).with_windows(blocks).stacked()
    slack = np.linspace(1.0, 0.0, 15)  # of the first fifteen: the later, the nearer
    assert kept.worth_keeping(slack).tolist() == list(range(len(blocks)))
    monkeypatch.setattr(kept_rows, "ROW_LIMIT", 12)
    monkeypatch.setattr(kept_rows, "ROW_STOCK", 4)
    assert kept.too_many
    keep = kept.worth_keeping(slack)
    assert keep.tolist() == list(range(11, len(blocks)))
    fewer = kept.take(keep)
    assert same(fewer.stock, RowBlock.stack(blocks[11:]))
    assert fewer.size == len(keep) and same(fewer.statistics(), kept.statistics())


def test_suspicion_is_allayed_by_a_consistent_update(blocks):
    suspicion = Suspicion()
    for number in range(CHANGE_WINDOWS + 5):
        suspicion = suspicion.with_window(number, blocks[0])
    assert [number for number, _ in suspicion.since[:: CHANGE_WINDOWS - 1]] == [5, 604]
    allayed = suspicion.allayed(600, first=0)
    assert allayed.consistent and len(allayed.since) == 5
    assert not Suspicion().allayed(0, first=0).consistent
    assert len(suspicion.blocks_from(603)) == 2


def test_a_diagnosis_serves_until_there_is_twice_as_much_inconsistent_data():
    found, later = Diagnosis(None, (), ()), Diagnosis(None, (), ())
    suspicion = Suspicion().diagnosed(20, found, window=0.1)
    assert suspicion.diagnosis_at(29) is found and suspicion.diagnosis_at(30) is None
    assert suspicion.diagnosed(25, found, window=0.1) is suspicion
    again = suspicion.diagnosed(50, later, window=0.1)
    assert again.diagnosis_at(79) is later and again.diagnosis_at(80) is None
