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
from payload_id.core.codec import digest
from payload_id.core.errors import ConfigurationError, InputError
from payload_id.core.identification.estimate import Estimate
from payload_id.core.identification.status import Status
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.files.export.loads.ranges import Range
from payload_id.files.reports.assumptions import assumptions_of
from payload_id.files.reports.comparison import Compared, agreement, compared
from payload_id.files.reports.kept_run import kept_run, run_folder
from payload_id.files.reports.quantities import UPPER, physical
from payload_id.files.reports.report import Report
from payload_id.files.reports.setting import as_html, as_json, as_markdown, setting_of
from payload_id.files.runs.run_file import EARLIER, RunFile
from saved_runs import saved_run

COM, INERTIA = np.array([0.02, -0.01, 0.06]), np.diag([0.004, 0.005, 0.003])
PAYLOAD = from_mass_com_inertia(1.2, COM, INERTIA)
ODD = r"x $\frac{ $ | <img src=x> $ *b* _c_ [d](e)"  # a folder's name


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> tuple[Path, Path, Path]:
    """Return a run, a second of the same payload, and one whose stated bound is false."""
    root = tmp_path_factory.mktemp("runs")
    return (
        saved_run(root / "first" / "bag", PAYLOAD, 1),
        saved_run(root / ODD, PAYLOAD, 2),
        saved_run(root / "false", PAYLOAD, 3, stated=0.0005),
    )


@pytest.fixture(scope="module")
def report(folders, tmp_path_factory) -> Report:
    """Return the report of the first run, all of whose files lie elsewhere since."""
    moved = tmp_path_factory.mktemp("moved") / "first"
    shutil.copytree(folders[0].parent, moved)
    return Report.of(moved, [folders[1]])


class Page(HTMLParser):
    """Collects what a page asks for from elsewhere, its text, and its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.asked, self.words, self.elements, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.open.append(tag)
        links = [v or "" for k, v in attrs if k in ("src", "href", "xlink:href", "action")]
        self.asked += [link for link in links if not link.startswith("#")]

    def handle_endtag(self, tag):
        while self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if "style" not in self.open and "svg" not in self.open:
            self.words.append(data)


@pytest.mark.slow
def test_the_page_needs_no_other_file_and_holds_every_number(report):
    """Names of files are no formulas and no tags in it."""
    text, table = as_html(report), as_markdown(report)
    page = Page(text)
    assert page.asked == [] and not {"script", "link"} & set(page.elements)
    assert not re.search(r"url\((?!#)|@import", text)
    assert page.elements.count("svg") == 4
    words = " ".join(" ".join(page.words).split())
    numbers = [x for group in report.groups for each in group.quantities for x in each.texts]
    assert len(numbers) > 19 and all(" ".join(x.split()) in words for x in numbers)
    assert report.run.estimate.status.value in words and report.command in words
    assert not any("<img src=x>" in x for x in (text, table))
    blocks = [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", table, re.MULTILINE)]
    assert sum(map(len, blocks)) > 30
    for block in blocks:
        assert len({line.count("|") - line.count("\\|") for line in block}) == 1


@pytest.mark.slow
def test_data_that_break_their_bounds_are_no_number_to_be_used(folders):
    broken = Report.of(folders[2])
    false = broken.run
    assert false.estimate.status.value == "INCONSISTENT"
    assert false.bounds_used == false.estimate.noise_factor > 1.0
    assert "Do not use these numbers" in " ".join(Page(as_html(broken)).words)
    assert json.loads(as_json(broken))["lower"] == [None] * 10


@pytest.mark.slow
def test_a_run_that_was_saved_before_the_last_one_of_a_recording_is_read(folders, tmp_path):
    shutil.copytree(folders[0], tmp_path / "bag")
    run = RunFile.load(tmp_path / "bag")
    later = replace(run, start_ns=run.start_ns + 100_000_000, result=None, updates=())
    later.save(tmp_path / "bag")
    kept = kept_run(run_folder(tmp_path / "bag" / EARLIER / str(run.start_ns)))
    assert digest(kept.file) == digest(run) and len(kept.recording)
    with pytest.raises(ConfigurationError, match="no result"):
        kept_run(run_folder(tmp_path / "bag"))
    for earlier in ([folders[0]], [folders[1], folders[1]]):
        with pytest.raises(InputError, match="are one run"):  # which cannot agree with itself
            compared(kept, earlier)
    assert len(compared(kept, [folders[1]])) == 2


@pytest.mark.slow
def test_a_report_that_cannot_be_made_or_written_is_said(folders, monkeypatch, capsys, tmp_path):
    with pytest.raises(ConfigurationError, match=r"payload_id_run\.npz"):
        run_folder(tmp_path)
    with pytest.raises(ConfigurationError, match=r"\.html"):
        setting_of(tmp_path / "x.txt")
    done = run_here(capsys, "report", folders[1], "--json", "--out", tmp_path / "x.md")
    assert done.returncode == 2 and "--out" in done.stderr

    def full(place, content, what):
        raise ConfigurationError(f"The {what} {place} cannot be written: no space left on device.")

    monkeypatch.setattr("payload_id.cli.report.command.save", full)
    done = run_here(capsys, "report", folders[1], "--out", tmp_path / "r.md")
    assert done.returncode == 2 and "no space left" in done.stderr and "# " in done.stdout


def test_runs_that_contradict_each_other_are_named():
    def run(mass):
        phi = np.array([mass, *[0.1] * 9])
        good = Status.GOOD, "", "lmi", "hull"
        return Compared("x", "", Estimate(phi, phi - 1.0, phi + 1.0, phi > 0.0, *good))

    assert agreement([run(2.0)]) == ""
    assert "no common part" not in agreement([run(2.0), run(2.5)])
    assert "no common part in m" in agreement([run(2.0), run(5.0)])


def test_inertia_about_the_centre_of_mass_is_cut_to_what_bodies_can_have():
    rng = np.random.default_rng(1)
    for _ in range(100):
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
    file = RunFile((), "flange", "", wrench=stated)
    found = assumptions_of(SimpleNamespace(uncertainty=stated, file=file, arm=None))
    said = {each.name: each.stated for each in found}
    assert said["force_error"] == "0.1 to 0.3 N" and said["torque_gain"] == "1 %"
    assert said["orientation_error"] == "0.02 rad" and said["torque_bias"].endswith("N m")
