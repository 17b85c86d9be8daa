"""The noise command and `--scales` as their user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, run, torque_noise_only
from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia

PAYLOAD = from_mass_com_inertia(1.2, np.array([0.0, 0.02, 0.1]), 4e-3 * np.eye(3))
ROBOT = ("--robot", "kinova_gen3")
RELATIVE = 0.02


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bag of a moving Gen3 with relative torque noise, new at every sample."""
    return gen3_bag(tmp_path_factory.mktemp("bags") / "run", PAYLOAD, 8, 0.1, 3.0, RELATIVE)


@pytest.mark.slow
def test_noise_that_averages_out_is_measured_as_such(
    bag: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    payload = "--payload=" + ",".join(str(x) for x in PAYLOAD)
    lengths = ("--lengths", "0.1", "0.5")
    done = run("noise", bag, *ROBOT, payload, *lengths, *torque_noise_only(0.0), "--json")
    assert done.returncode == 0, done.stderr
    short, long = json.loads(done.stdout)["lengths"]
    assert (short["length"], long["length"]) == (0.1, 0.5)
    # White noise of 50 samples against that of 250: its means are as 1 to sqrt(5), about.
    assert 0.2 < long["factor"] / short["factor"] < 0.8
    assert long["margin"] is None
    assert (
        main(["noise", str(bag), *ROBOT, payload, *lengths, *torque_noise_only(0.0), "--hat"]) == 0
    )
    table = capsys.readouterr().out
    assert "torque_hat" in table
    assert "joint_7" in table and "not what holds" in table


@pytest.mark.slow
def test_where_other_bounds_explain_everything_nothing_is_to_be_multiplied(
    bag: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    payload = "--payload=" + ",".join(str(x) for x in PAYLOAD)
    loose = ["--uncertainty=torque_offset=80", "--uncertainty=link_relative=0.5"]
    assert main(["noise", str(bag), *ROBOT, payload, "--lengths", "0.5", *loose]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "nothing is said of it" in printed and "Multiply" not in printed


@pytest.mark.slow
def test_means_of_the_noise_narrow_a_replay(bag: Path, capsys: pytest.CaptureFixture[str]) -> None:
    means = ("--uncertainty=torque_mean_window=0.2,0.5", "--uncertainty=torque_mean=0.4,0.2")
    loose = (*torque_noise_only(0.0), "--uncertainty=torque_absolute=2", "--intervals=hull_lp")
    half = {}
    for name, more in {"one": (), "several": means, "asked": ("--scales", "0.02", "0.3")}.items():
        assert main(["replay", str(bag), *ROBOT, *loose, *more, "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
        assert result["lower"][0] <= 1.2 <= result["upper"][0]
        half[name] = result["upper"][0] - result["lower"][0]
        assert result["scales"] == ([0.02, 0.3] if name == "asked" else [])
    assert half["several"] < 0.5 * half["one"]
    assert half["asked"] <= half["one"] * (1.0 + 1e-9)


def test_runs_with_known_payloads_tell_bounds_with_a_probability(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "weights.yaml"
    listed.write_text(f"runs:\n  {bag}: {{mass: 1.2}}\n")
    common = ["noise", "--runs", str(listed), *ROBOT, "--segments", "0.5", "--lengths=0.1"]
    assert main([*common, "--level", "0.8", "--json", *torque_noise_only(0.0)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["runs"], found["missing"]) == (5, 0)
    (only,) = found["lengths"]
    assert len(only["factors"]) == 5
    assert only["bound"] == max(only["factors"]) > 0.0
    assert main([*common, *torque_noise_only(0.0)]) == 0
    assert "14 more are needed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--payload", "1,2"), "ten numbers"),
        (("--lengths", "50"), "no window of 50 s"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    bag: Path, arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["noise", str(bag), *ROBOT, *arguments]) == 2
    assert words in capsys.readouterr().err
