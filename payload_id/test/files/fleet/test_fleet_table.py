"""The table of results: whole files, labels that change, results that are replaced; its page."""

from datetime import datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.core.fleet import KINDS
from payload_id.files.fleet.arms import arms_of
from payload_id.files.fleet.fleet_page import Fleet, as_html
from payload_id.files.fleet.fleet_table import LOST, OLD, FleetTable

JOINTS = ("base", "elbow", "wrist")
START = datetime(2026, 1, 5, 9, tzinfo=timezone.utc)
LABELS = {"bag": "/bags/1", "copies": [], "payload": None, "known_mass": None, "temperature": None}


def row(number, rng, robot_offset, **more):
    """Return what a run would say, with torque offsets of the joints."""
    noise = 0.2 * rng.normal(size=(len(KINDS), 3))
    values = dict(zip(KINDS, noise.tolist(), strict=True))
    values["torque_offset"] = (np.asarray(robot_offset) + noise[0]).tolist()
    return {
        **LABELS, "bag": f"/bags/{number:04d}", "segment": 0, "verdict": "GOOD", "message": "Fine.",
        "m": 1.5, "m_lower": 1.4, "m_upper": 1.6, "began": START + timedelta(hours=number),
        "joints": list(JOINTS), "joint_noise": [0.1, 0.2, 0.3], **values,
        **{f"{kind}_deviation": [0.1] * 3 for kind in KINDS}, "key": f"k{number}", **more,
    }  # fmt: skip


@pytest.fixture
def table(tmp_path):
    return FleetTable.at(tmp_path / "results")


def test_rows_come_back_with_arm_and_day(table):
    rng = np.random.default_rng(1)
    table.write("k2", "arm / 2", "2026-01-05", [row(2, rng, [0, 0, 0])])
    table.write("k1", "left", "undated", [row(1, rng, [0, 0, 0], evidence=b"bytes", payload="box")])
    found = table.read().to_pylist()
    assert [each["bag"] for each in found] == ["/bags/0001", "/bags/0002"]
    assert [each["robot"] for each in found] == ["left", "arm / 2"]
    assert found[1]["day"] == "2026-01-05" and "evidence" not in found[0]
    assert table.evidence("box", ("GOOD",)) == [b"bytes"]
    assert table.evidence("box", ("USABLE",)) == [] == table.evidence("other", ("GOOD",))
    assert table.bags() == {"k1": "/bags/0001", "k2": "/bags/0002"}
    assert set(table.places()) == {"k1", "k2"}


def test_labels_change_and_results_stay(table):
    path = table.write("k1", "left", "undated", [row(1, np.random.default_rng(2), [0, 0, 0])])
    before = path.read_bytes()
    table.relabel(path, {**LABELS, "bag": "/bags/0001"}, "left")
    assert path.read_bytes() == before
    table.relabel(path, {**LABELS, "bag": "/moved", "payload": "box", "known_mass": 2.0}, "right")
    (found,) = table.read().to_pylist()
    assert (found["bag"], found["payload"], found["known_mass"]) == ("/moved", "box", 2.0)
    assert found["m"] == 1.5 and found["robot"] == "right" and len(table.places()) == 1


def test_what_is_replaced_can_come_back_but_what_said_nothing_is_removed(table):
    rng = np.random.default_rng(3)
    path = table.write("k1", "left", "undated", [row(1, rng, [0, 0, 0])])
    lost = table.write(f"{LOST}2", "left", "undated", [row(2, rng, [0, 0, 0])])
    table.set_aside(path)
    table.set_aside(lost)
    assert table.read().num_rows == 0 and set(table.places(OLD)) == {"k1"}
    table.brought_back(table.places(OLD)["k1"])
    assert table.read().num_rows == 1


def test_a_damaged_result_is_named(table):
    path = table.write("k1", "left", "undated", [row(1, np.random.default_rng(4), [0, 0, 0])])
    path.write_bytes(path.read_bytes()[:400])
    with pytest.raises(ConfigurationError, match="k1"):
        table.read()


def test_a_bit_that_flips_changes_no_result_unnoticed(table):
    path = table.write("k1", "left", "undated", [row(1, np.random.default_rng(4), [0, 0, 0])])
    whole, kept = path.read_bytes(), str(table.read().to_pylist())
    rng, noticed = np.random.default_rng(6), 0
    for place in rng.integers(len(whole), size=150):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            assert str(table.read().to_pylist()) == kept
        except ConfigurationError:
            noticed += 1
    assert noticed > 50


def test_what_a_killed_process_leaves_is_removed(table):
    path = table.write("k1", "left", "undated", [row(1, np.random.default_rng(5), [0, 0, 0])])
    part = path.with_name("k2.0000.part")
    part.write_bytes(b"half")
    table.clear_parts()
    assert not part.exists() and table.read().num_rows == 1


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="holds no results of a fleet"):
        FleetTable.existing(tmp_path)


def fleet_rows(seed, change):
    """Return rows of two arms over 200 runs each; in one the elbow's offset changes [N m]."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(400):
        part = (number // 2) / 200.0
        left = number % 2 == 0
        offset = [0.3, 0.1 + (change * part if left else 0.0), -0.2]
        rows.append({**row(number, rng, offset), "robot": "left" if left else "right",
                     "error": None, "blame": None, "noise_factor": None})  # fmt: skip
    return rows


def test_a_drift_of_half_a_newton_metre_is_named_and_its_arm_comes_first():
    for seed in range(5):
        arms = arms_of(fleet_rows(seed, 0.5))
        assert [arm.name for arm in arms] == ["left", "right"]
        (series,) = arms[0].drifting
        assert (series.joint, series.kind) == ("elbow", "torque_offset")
        assert series.trends["time"].change == pytest.approx(0.5, abs=0.15)
        (sentence,) = series.sentences()
        assert (
            sentence.startswith("elbow: torque offset drifts with time: +0.") and "N m" in sentence
        )
        assert not arms[1].drifting


def test_without_a_drift_none_is_named():
    assert not any(arm.drifting for seed in range(20) for arm in arms_of(fleet_rows(seed, 0.0)))


def test_the_page_says_first_what_is_odd(table):
    rng = np.random.default_rng(6)
    for number in range(40):
        table.write(f"k{number}", "left", "2026-01-05", [row(number, rng, [0, 0.1 * number, 0])])
    table.write("bad", "right", "undated", [
        {**LABELS, "bag": "/bags/<b>bad</b>", "segment": 0, "error": "It is no bag.", "key": "bad"}
    ])  # fmt: skip
    fleet = Fleet.of(table)
    said = fleet.sentences()
    assert "elbow: torque offset drifts with time" in said[0]
    page = as_html(fleet)
    assert "Look at these first" in page and "It is no bag." in page
    assert "<b>bad</b>" not in page and page.count("<svg") == 1


def test_the_page_of_a_sound_fleet_says_so(table):
    rng = np.random.default_rng(7)
    for number in range(10):
        table.write(f"k{number}", "left", "2026-01-05", [row(number, rng, [0, 0, 0])])
    page = as_html(Fleet.of(table))
    assert "Nothing is odd" in page and "Nothing drifts." in page
    assert "Of no payload there are two runs" in page


def test_the_page_of_few_runs_claims_nothing_of_drifts(table):
    table.write("k1", "left", "2026-01-05", [row(1, np.random.default_rng(9), [0, 0, 0])])
    page = as_html(Fleet.of(table))
    assert "too few are of left" in page and "too few runs to tell" in page
    assert "Nothing drifts" not in page and "<svg" not in page


def test_a_stated_mass_that_an_interval_misses_is_said(table):
    rng = np.random.default_rng(8)
    table.write("k1", "left", "d", [row(1, rng, [0, 0, 0], payload="box", known_mass=1.9)])
    table.write("k2", "left", "d", [row(2, rng, [0, 0, 0], payload="box", known_mass=1.9,
                                        m_lower=1.0, m_upper=2.0)])  # fmt: skip
    (payload,) = Fleet.of(table).payloads
    assert [each["bag"] for each in payload.missed] == ["/bags/0001"]
    assert "1 intervals miss the mass of 1.9 kg" in Fleet.of(table).sentences()[0]


def test_a_link_that_leads_nowhere_is_no_result_that_is_left_out(table):
    path = table.write("k1", "left", "undated", [row(1, np.random.default_rng(4), [0, 0, 0])])
    path.with_name("k2.parquet").symlink_to("k2.parquet")
    with pytest.raises(ConfigurationError, match=r"k2\.parquet is no file"):
        table.read()
    path.with_name("k2.parquet").unlink()
    path.with_name("k3.parquet").mkdir()
    with pytest.raises(ConfigurationError, match=r"k3\.parquet is no file"):
        table.read()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"m_lower": None}, "m_lower is empty"),
        ({"joints": None}, "3 numbers for 0 joints"),
        ({"joints": ["base", None, "wrist"]}, "a joint has no name"),
        ({"joint_noise": [0.1, 0.2]}, "joint_noise has 2 numbers for 3 joints"),
        ({"joint_noise": [0.1, None, 0.2]}, "a number of joint_noise is empty"),
        ({"torque_offset": [1.0]}, "torque_offset has 1 numbers"),
        ({"torque_offset_deviation": None}, "are not both there"),
        ({"blame": [None]}, "a part of 'blame' is empty"),
    ],
)
def test_a_row_whose_values_do_not_fit_each_other_is_named(table, change, words):
    rng = np.random.default_rng(3)
    for number in (1, 2):
        table.write(f"k{number}", "arm", "undated", [row(number, rng, [0, 0, 0], **change)])
    with pytest.raises(ConfigurationError, match="k1.parquet") as error:
        Fleet.of(table)
    assert words in str(error.value) and "/bags/0001" in str(error.value)


def test_what_lies_beside_the_results_is_passed_over(table):
    rng = np.random.default_rng(4)
    path = table.write("k1", "arm", "undated", [row(1, rng, [0, 0, 0])])
    (path.parent / "notes.txt").write_text("mine")
    (path.parent / "k1.parquet.part").write_bytes(b"half")
    other = table.folder / "rows" / "copies" / "today"
    other.mkdir(parents=True)
    (other / path.name).write_bytes(path.read_bytes())
    assert len(Fleet.of(table).rows) == 1


def test_a_column_of_another_type_is_named_with_its_file(table):
    path = table.write("k1", "arm", "undated", [row(1, np.random.default_rng(5), [0, 0, 0])])
    rows = pa.parquet.read_table(path)
    where = rows.column_names.index("m")
    pa.parquet.write_table(rows.set_column(where, "m", pa.array(["heavy"])), path)
    with pytest.raises(ConfigurationError, match="k1.parquet has no m as results have it"):
        Fleet.of(table)
