"""`replay --tare`: what a recording of the bare arm is worth, and what is no such recording."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import gen3_bag, torque_noise_only
from payload_id.cli.main import main
from payload_id.core.body.inertial import from_mass_com_inertia

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
ROBOT = ("--robot", "kinova_gen3", "--intervals", "hull_lp")
OFFSETS = (*torque_noise_only(0.025), "--uncertainty=torque_offset=1")


@pytest.fixture(scope="module")
def bags(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a bag with a payload and one of the bare arm."""
    folder = tmp_path_factory.mktemp("bags")
    loaded = gen3_bag(folder / "loaded", PAYLOAD, 3, 0.08, 1.2, 0.025)
    return loaded, gen3_bag(folder / "bare", np.zeros(10), 4, 0.08, 1.2, 0.025)


@pytest.mark.slow
def test_a_tare_narrows_and_still_contains_the_truth(
    bags: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    loaded, bare = map(str, bags)
    found = []
    for options in ([], ["--tare", bare]):
        assert main(["replay", loaded, *ROBOT, *OFFSETS, "--json", *options]) == 0
        found.append(json.loads(capsys.readouterr().out))
    plain, tared = ({k: np.array(x[k]) for k in ("lower", "upper")} for x in found)
    assert (tared["lower"] <= PAYLOAD).all() and (tared["upper"] >= PAYLOAD).all()
    width = (tared["upper"] - tared["lower"]) / (plain["upper"] - plain["lower"])
    assert (width <= 1 + 1e-6).all() and width.min() < 0.8
    assert [entry["tare"] for entry in found] == [[], [f"Topic '/joint_states' of {bare}"]]


def test_a_recording_with_a_payload_is_no_tare(
    bags: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    loaded, bare = map(str, bags)
    tight = "--uncertainty=torque_offset=0", "--uncertainty=torque_absolute=0.1"
    assert main(["replay", bare, *ROBOT, *tight, "--tare", loaded]) == 2
    shown = capsys.readouterr()
    assert "not of the bare arm" in shown.err and shown.out == ""


@pytest.mark.parametrize("option", ["--tare", "--also"])
def test_a_wrench_takes_neither_tare_nor_further_recordings(
    option: str, bags: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--wrench-topic", "/ft", "--orientation=0,0,0", option, str(bags[1])]
    assert main(["replay", str(bags[0]), *words]) == 2
    assert f"{option} is for joint torques" in capsys.readouterr().err
