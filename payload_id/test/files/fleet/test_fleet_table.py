"""The table of results: whole files, labels that change; its page."""

from datetime import datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.core.fleet import KINDS
from payload_id.files.fleet.fleet_page import Fleet, as_html
from payload_id.files.fleet.fleet_table import FleetTable

START = datetime(2026, 1, 5, 9, tzinfo=timezone.utc)
LABELS = {"bag": "/bags/1", "copies": [], "payload": None, "known_mass": None, "temperature": None}


def row(number, elbow=0.0, **more):
    """Return what a run would say, with an offset of the elbow's torque [N m]."""
    noise = 0.2 * np.random.default_rng(number).normal(size=(len(KINDS), 3))
    values = dict(zip(KINDS, noise.tolist(), strict=True))
    values["torque_offset"] = (np.array([0.3, elbow, -0.2]) + noise[0]).tolist()
    return {
        **LABELS, "bag": f"/bags/{number:04d}", "segment": 0, "verdict": "GOOD", "message": "Fine.",
        "m": 1.5, "m_lower": 1.4, "m_upper": 1.6, "began": START + timedelta(hours=number),
        "joints": ["base", "elbow", "wrist"], "joint_noise": [0.1, 0.2, 0.3], **values,
        **{f"{kind}_deviation": [0.1] * 3 for kind in KINDS}, "key": f"k{number}", **more,
    }  # fmt: skip


class Kept:
    """A table of results, and how one is put into it."""

    def __init__(self, folder):
        self.table = FleetTable.at(folder)

    def write(self, number=1, arm="left", **more):
        made = row(number, **more)
        return self.table.write(made["key"], arm, "2026-01-05", [made])

    @property
    def fleet(self):
        return Fleet.of(self.table)


@pytest.fixture
def kept(tmp_path):
    return Kept(tmp_path / "results")


def test_rows_come_back_with_arm_and_day(kept):
    kept.write(2, "arm / 2")
    kept.write(1, evidence=b"bytes", payload="box")
    found = kept.table.read().to_pylist()
    assert [each["bag"] for each in found] == ["/bags/0001", "/bags/0002"]
    assert [each["robot"] for each in found] == ["left", "arm / 2"]
    assert found[1]["day"] == "2026-01-05" and "evidence" not in found[0]
    assert kept.table.evidence("box", ("GOOD",)) == [b"bytes"]
    assert kept.table.evidence("box", ("TOO_WIDE",)) == [] == kept.table.evidence("b", ("GOOD",))
    said = kept.table.said()
    assert [(key, x["bag"], arm) for key, (x, arm) in said.items()] == [
        ("k1", "/bags/0001", "left"), ("k2", "/bags/0002", "arm / 2"),
    ]  # fmt: skip
    assert set(kept.table.places()) == {"k1", "k2"}


def test_a_bit_that_flips_or_a_cut_changes_no_result_unnoticed(kept):
    path = kept.write()
    whole, before = path.read_bytes(), str(kept.table.read().to_pylist())
    rng, noticed = np.random.default_rng(6), 0
    for place in rng.integers(len(whole), size=60):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            assert str(kept.table.read().to_pylist()) == before
        except ConfigurationError:
            noticed += 1
    assert noticed > 20
    path.write_bytes(whole[:400])
    with pytest.raises(ConfigurationError, match="k1"):
        kept.table.read()


def test_what_is_no_result_is_passed_over_removed_or_named(kept, tmp_path):
    path = kept.write()
    (path.parent / "notes.txt").write_text("mine")
    other = kept.table.folder / "rows" / "copies" / "today"
    other.mkdir(parents=True)
    (other / path.name).write_bytes(path.read_bytes())
    part = path.with_name("k2.0000.part")  # of a killed process
    part.write_bytes(b"half")
    assert len(kept.fleet.rows) == 1
    kept.table.clear_parts()
    assert not part.exists()
    path.with_name("k2.parquet").symlink_to("k2.parquet")
    with pytest.raises(ConfigurationError, match=r"k2\.parquet"):
        kept.table.read()
    with pytest.raises(ConfigurationError, match="holds no results"):
        FleetTable.existing(tmp_path)


def test_values_that_do_not_fit_each_other_are_told(kept):
    for change in (
        {"joint_noise": [0.1, 0.2]}, {"joint_noise": [0.1, None, 0.2]}, {"torque_offset": [1.0]},
        {"torque_offset_deviation": None}, {"blame": [None]},
    ):  # fmt: skip
        kept.write(**change)
        with pytest.raises(ConfigurationError, match="do not fit each other"):
            _ = kept.fleet
    path = kept.write()
    rows = pa.parquet.read_table(path)
    where = rows.column_names.index("m")
    pa.parquet.write_table(rows.set_column(where, "m", pa.array(["heavy"])), path)
    with pytest.raises(ConfigurationError, match=r"k1\.parquet has no m"):
        _ = kept.fleet


def test_the_page_says_first_what_is_odd_and_nothing_of_few_runs(kept):
    kept.write()
    few = as_html(kept.fleet)
    assert "too few" in few and "Nothing drifts" not in few and "<svg" not in few
    for number in range(10):
        kept.write(number)
    sound = as_html(kept.fleet)
    assert "Nothing is odd" in sound and "Nothing drifts." in sound
    for number in range(40):
        kept.write(number, elbow=0.1 * number)
    lost = {**LABELS, "bag": "/bags/<b>bad</b>", "segment": 0, "error": "No bag.", "key": "bad"}
    kept.table.write("bad", "right", "undated", [lost])
    assert "elbow: torque offset drifts with time" in kept.fleet.sentences()[0]
    page = as_html(kept.fleet)
    assert "Look at these first" in page and "No bag." in page
    assert "<b>bad</b>" not in page and page.count("<svg") == 1


def test_a_stated_mass_that_an_interval_misses_is_said(kept):
    kept.write(1, payload="box", known_mass=1.9)
    kept.write(2, payload="box", known_mass=1.9, m_lower=1.0, m_upper=2.0)
    (payload,) = kept.fleet.payloads
    assert [each["bag"] for each in payload.missed] == ["/bags/0001"]
    assert "1.9 kg" in kept.fleet.sentences()[0]
