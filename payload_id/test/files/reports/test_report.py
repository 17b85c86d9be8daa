"""Reports: true numbers in people's units, nothing needed beside them, doubts that are said."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from command_line import run_here
from payload_id.core.body.inertial import from_mass_com_inertia, mass_com_inertia
from payload_id.core.errors import ConfigurationError, InputError
from payload_id.core.knowledge.knowledge import NOTHING
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.files.export.loads.ranges import Range
from payload_id.files.reports.assumptions import assumptions_of
from payload_id.files.reports.comparison import Compared, agreement, compared
from payload_id.files.reports.quality import noise
from payload_id.files.reports.quantities import PAIRS, UPPER, physical
from payload_id.files.reports.repeated_run import repeat, run_folder
from payload_id.files.reports.report import Report
from payload_id.files.reports.setting import as_html, as_json, as_markdown, setting_of
from payload_id.files.runs.run_file import EARLIER, RunFile
from saved_runs import saved_run

COM, INERTIA = np.array([0.02, -0.01, 0.06]), np.diag([0.004, 0.005, 0.003])
PAYLOAD = from_mass_com_inertia(1.2, COM, INERTIA)


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> tuple[Path, Path, Path]:
    """Return a run, a second of the same payload, and one whose stated bound is false."""
    root = tmp_path_factory.mktemp("runs")
    return (
        saved_run(root / "first" / "bag", PAYLOAD, 1),
        saved_run(root / "second", PAYLOAD, 2),
        saved_run(root / "false", PAYLOAD, 3, stated=0.0005),
    )


@pytest.fixture(scope="module")
def report(folders, tmp_path_factory) -> Report:
    """Return the report of the first run, all of whose files lie elsewhere since."""
    moved = tmp_path_factory.mktemp("moved") / "first"
    shutil.copytree(folders[0].parent, moved)
    return Report.of(moved, [folders[1]])


@pytest.mark.slow
def test_a_run_that_was_saved_before_the_last_one_of_a_recording_is_repeated(folders, tmp_path):
    shutil.copytree(folders[0], tmp_path / "bag")
    run = RunFile.load(tmp_path / "bag")
    later = replace(run, start_ns=run.start_ns + 100_000_000, result={}, updates=())
    later.save(tmp_path / "bag")
    repeated = repeat(run_folder(tmp_path / "bag" / EARLIER / str(run.start_ns)))
    assert repeated.identical and repeated.file == run
    assert repeat(run_folder(tmp_path)).file == later


class Page(HTMLParser):
    """Collects what a page asks for from elsewhere, its text, and its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.asked, self.words, self.elements, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "action") and not (value or "").startswith(
                "#"
            ):
                self.asked.append(value)

    def handle_endtag(self, tag):
        while self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if "style" not in self.open and "svg" not in self.open:
            self.words.append(data)


@pytest.mark.slow
def test_the_page_needs_no_other_file_and_holds_every_number(report):
    text = as_html(report)
    page = Page(text)
    assert page.asked == [] and "script" not in page.elements and "link" not in page.elements
    assert not re.search(r"url\((?!#)|@import", text)
    assert page.elements.count("svg") == 4
    words = " ".join(page.words)
    for group in report.groups:
        for each in group.quantities:
            for number in each.texts:
                assert f" {number} " in f" {words} ".replace("\n", " ") or number in page.words
    for word in (report.run.estimate.status.value, report.first, report.use, report.command):
        assert word in words
    assert "identical to the live run, bit for bit" in words


@pytest.mark.slow
def test_the_numbers_in_peoples_units_contain_the_truth(report):
    truth = {"m": 1.2, **{f"c_{axis}": 1e3 * COM[k] for k, axis in enumerate("xyz")}}
    truth |= {f"h_{axis}": PAYLOAD[1 + k] for k, axis in enumerate("xyz")}
    found = json.loads(as_json(report))
    assert len(found["quantities"]) == 19
    central = {f"I_{pair}": INERTIA[UPPER][k] for k, pair in enumerate(PAIRS)}
    own = {f"I_{pair}": PAYLOAD[4 + k] for k, pair in enumerate(PAIRS)}
    for each in found["quantities"]:
        true = {**truth, **(central if "centre of mass" in each["group"] else own)}[each["symbol"]]
        assert each["lower"] <= true <= each["upper"], each
    assert found["identical_to_live"] is True
    assert {file["name"] for file in found["files"]} >= {"payload_id_run.yaml", "robot.urdf"}


@pytest.mark.slow
def test_markdown_has_tables_of_equal_width(report):
    rows = [line for line in as_markdown(report).splitlines() if line.startswith("|")]
    widths, table = [], []
    for line in as_markdown(report).splitlines():
        if line.startswith("|"):
            table.append(line.count("|") - line.count("\\|"))
        elif table:
            widths.append(set(table))
            table = []
    assert len(rows) > 30 and all(len(each) == 1 for each in widths)


@pytest.mark.slow
def test_names_of_files_are_no_formulas_and_no_tags(folders, tmp_path):
    earlier = tmp_path / r"x $\frac{ $ | <img src=x> $ *b* _c_ [d](e)"
    shutil.copytree(folders[1], earlier)
    report = Report.of(folders[0], [earlier])
    html = as_html(report)
    assert "<svg" in html
    assert not any("<img src=x>" in text for text in (html, as_markdown(report)))


def test_the_part_of_the_bounds_that_data_need_is_below_one(report):
    assert 0.0 < report.run.use.factor < 1.0
    assert report.run.use.part.max() == pytest.approx(report.run.use.factor, rel=1e-3)


@pytest.mark.slow
def test_data_that_break_their_bounds_are_no_number_to_be_used(folders):
    broken = Report.of(folders[2])
    false = broken.run
    assert false.estimate.status.value == "INCONSISTENT"
    assert false.bounds_used == false.estimate.noise_factor > 1.0
    assert 0.0 < false.use.factor <= 1.001 * false.bounds_used
    words = " ".join(Page(as_html(broken)).words)
    assert "✕ INCONSISTENT" in words and "Do not use these numbers" in words
    assert "break the stated bounds" in words and "measured, less" not in words
    assert json.loads(as_json(broken))["lower"] == [None] * 10


@pytest.mark.slow
def test_a_report_that_cannot_be_written_is_printed(folders, monkeypatch, capsys, tmp_path):
    def full(place, what):
        raise ConfigurationError(f"The {what} {place} cannot be written: no space left on device.")

    monkeypatch.setattr("payload_id.cli.report.command.saved_file", full)
    done = run_here(capsys, "report", folders[1], "--out", tmp_path / "r.html")
    assert done.returncode == 2 and "no space left" in done.stderr and "# " in done.stdout


@pytest.mark.slow
def test_what_is_no_run_is_said(tmp_path, capsys, folders):
    with pytest.raises(ConfigurationError, match="payload_id_run.yaml"):
        run_folder(tmp_path)
    with pytest.raises(ConfigurationError, match=r"\.html"):
        setting_of(tmp_path / "x.txt")
    done = run_here(capsys, "report", folders[1], "--json", "--out", tmp_path / "x.md")
    assert done.returncode == 2 and "--out" in done.stderr


def test_a_run_does_not_agree_with_a_copy_of_itself(folders, tmp_path):
    shutil.copytree(folders[1], tmp_path / "copy")
    run = repeat(folders[0])
    for earlier in ([folders[0]], [folders[1], tmp_path / "copy"]):
        with pytest.raises(InputError, match="are one run"):
            compared(run, earlier)
    assert len(compared(run, [folders[1]])) == 2


@pytest.mark.parametrize(("shift", "words"), [(0.5, "common part"), (3.0, "no common part in m")])
def test_runs_that_contradict_each_other_are_named(shift, words):
    def run(mass):
        phi = np.array([mass, *[0.1] * 9])
        return Compared("x", "", "GOOD", phi, phi - 1.0, phi + 1.0)

    assert words in agreement([run(2.0), run(2.0 + shift)])
    assert agreement([run(2.0)]) == ""


def test_inertia_about_the_centre_of_mass_is_cut_to_what_bodies_can_have():
    rng = np.random.default_rng(1)
    for _ in range(200):
        points, masses = rng.normal(size=(5, 3)), rng.uniform(0.1, 1.0, 5)
        bodies = zip(masses, points, strict=True)
        phi = sum(from_mass_com_inertia(m, p, 0 * INERTIA) for m, p in bodies)
        true = mass_com_inertia(phi)[2][UPPER]
        cut = physical(Range(true - 9.0, true + 9.0), phi[4:])
        assert cut.contains(true)
        assert (cut.lower[[0, 3, 5]] >= 0.0).all() and (cut.upper <= true + 9.0).all()


def test_bounds_of_a_force_torque_sensor_are_said_with_their_units():
    stated = WrenchUncertainty(
        force_error=(0.1, 0.2, 0.3), torque_gain=0.01, orientation_error=0.02
    )
    file = SimpleNamespace(shape=None, knowledge=NOTHING, tare=None, calibration=None, history=None,
                           gravity=(0.0, 0.0, -9.81))  # fmt: skip
    found = assumptions_of(SimpleNamespace(uncertainty=stated, file=file, arm=None))
    said = {each.name: each.stated for each in found}
    assert said["force_error"] == "0.1 to 0.3 N" and said["torque_gain"] == "1 %"
    assert said["orientation_error"] == "0.02 rad" and said["torque_bias"].endswith("N m")
    assert not {"sigma_factor", "torque_sigma", "coverage"} & set(said)


def test_noise_is_that_of_samples_and_not_the_motion():
    rng = np.random.default_rng(1)
    time = np.arange(0.0, 20.0, 1e-3)[:, None]
    motion = np.sin(2 * np.pi * time)
    assert noise(motion) < 1e-6
    assert noise(motion + 0.3 * rng.normal(size=motion.shape)) == pytest.approx(0.3, rel=0.03)
