"""`calibrate --history` and what is done with its result, as users meet them."""

from __future__ import annotations

import numpy as np
import pytest

from arms import draw_payload
from command_line import gen3_bag, run_here, run_without_ros
from payload_id.files.calibration_io.calibrated_robot import HISTORY

pytestmark = pytest.mark.slow
BOUNDS = ["--uncertainty=torque_absolute=2", "--uncertainty=friction_coulomb=3",
          "--uncertainty=friction_viscous=3", "--uncertainty=link_relative=0.1",
          "--uncertainty=torque_offset=5", "--uncertainty=torque_gain=0.05"]  # fmt: skip
COMMON = ("--robot", "kinova_gen3", "--window", "0.2")
RUNS = 4
STATED = ("bounds", "--stated-noise")


class Learnt:
    """Recordings with a list of them."""

    def __init__(self, folder) -> None:
        self.folder, lines = folder, []
        for k in range(RUNS):
            phi = draw_payload(np.random.default_rng(k)) if k % 3 else np.zeros(10)
            gen3_bag(folder / f"run_{k}", phi, k, 0.2, 5.0, 0.02)
            stated = f"mass: {phi[0]:.6f}" if phi.any() else ""
            lines.append(f"  run_{k}: {{{stated}}}\n")
        self.list = "runs:\n" + "".join(lines)
        (folder / "runs.yaml").write_text(self.list)
        (folder / "few.yaml").write_text("runs:\n" + "".join(lines[:2]))

    def calibrate(self, capsys, *options, kind=("history",), runs="runs.yaml"):
        return run_here(
            capsys, "calibrate", *kind, "--runs", self.folder / runs, *COMMON, *BOUNDS, *options
        )


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    return Learnt(tmp_path_factory.mktemp("history"))


def test_histories_that_say_nothing_of_a_run_are_not_used_and_told(learnt, capsys):
    known = learnt.folder / "known.yaml"
    done = learnt.calibrate(capsys, "--segments", "2.4", "--out", known)
    assert done.returncode == 0, done.stderr
    assert "8 runs on" in done.stdout and done.stdout.count("run_1") == 2
    printed = " ".join(done.stdout.split())
    assert "more runs" in printed and "next: ./payload-id identify" in printed
    edited = known.with_name("edited.yaml")
    scale = "effort: {sign: [1, 1, 1, 1, 1, 1, -1]}"  # the driver's are all -1
    edited.write_text(known.read_text().replace("\n...", f"\n{scale}\n..."))
    for arguments, words in (
        (["--robot", known], "0.2 s"),
        (["--robot", edited, "--window", "0.2"], "effort"),
        (["--robot", known, "--window", "0.2", "--uncertainty", "torque_gain=0.2"], "bounds"),
    ):  # fmt: skip
        quick = ("--to", "1", "--intervals", "hull_lp")
        done = run_without_ros(capsys, "identify", learnt.folder / "run_0", *arguments, *quick)
        said = " ".join(done.stdout.split())
        assert "history is not used" in said and words in said


def test_runs_too_short_to_tell_a_payload_promise_nothing_of_later_ones(learnt, tmp_path, capsys):
    out = tmp_path / "short.yaml"
    options = ["--segments", "1e-5", "--out", out]
    done = learnt.calibrate(capsys, *options, runs="few.yaml")
    assert done.returncode == 2 and "next to no samples" in " ".join(done.stderr.split())
    options = ["--segments", "1.6", "--out", out]
    done = learnt.calibrate(capsys, *options, runs="few.yaml")
    assert done.returncode == 0, done.stderr
    history = HISTORY.load(out.with_suffix(".npz"))
    # Of what a run tells less than the prior, it does not say how far others err.
    assert np.isnan(history.scores).any() and np.nanmax(np.abs(history.scores)) < 10.0


def test_payloads_that_cannot_be_are_named_with_their_run(learnt, tmp_path, capsys):
    out = tmp_path / "no.yaml"
    for stated, words in (
        ("mass: 5000", "run_1 is said to carry 5000 kg"),
        ("payload: [1, 0, 0, 0, -1, 0, 0, 0.1, 0, 0.1]", "No body has the parameters"),
    ):
        listed = learnt.list.replace("  run_1:", f"  run_1: {{{stated}}} #")
        (learnt.folder / "absurd.yaml").write_text(listed)
        done = learnt.calibrate(capsys, "--out", out, runs="absurd.yaml")
        assert done.returncode == 2 and words in " ".join(done.stderr.split())
    (learnt.folder / "weights.yaml").write_text("runs:\n  run_1: {mass: 1.0}\n")
    done = learnt.calibrate(capsys, "--out", out, kind=STATED, runs="weights.yaml")
    assert done.returncode == 2 and "recording of the bare arm" in " ".join(done.stderr.split())
    assert not out.exists()
