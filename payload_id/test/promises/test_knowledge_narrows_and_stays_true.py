"""What is known of payload and arm narrows intervals as much as it says, and they stay true."""

from __future__ import annotations

import json

import cvxpy as cp
import numpy as np
import pytest
import yaml

from payload_id import (
    PayloadIdError,
    PayloadPrior,
    Recording,
    RobotFile,
    RobotModel,
    Status,
    Uncertainty,
    identify,
)

from .arms import drawn_payload, phi_of
from .command_line import payload_id
from .errors import Run
from .own_rows import own_hull, own_rows
from .recorded import columns_of, write_table
from .sliding_arm import sliding_arm

PRIOR = PayloadPrior(mass_max=5.0, com_max=0.5)  # that of the robot file
NOISE = {"torque_relative": 0.02, "torque_absolute": 0.3}


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    return sliding_arm(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="module")
def canister() -> np.ndarray:
    """A cylinder on the z axis, 4 cm of radius and 20 cm high, from the flange on."""
    side, along = 1.4 * (3 * 0.04**2 + 0.2**2) / 12, 1.4 * 0.04**2 / 2
    return phi_of(1.4, np.array([0, 0, 0.1]), np.diag([side, side, along]))


@pytest.fixture(scope="module")
def run(arm, canister):
    rng = np.random.default_rng(31)
    return Run.drawn(arm, rng, canister, seconds=0.82, rate=1000.0, size=0.4)


def mass(value: float, tolerance: float):
    return lambda phi: [phi[0] >= value - tolerance, phi[0] <= value + tolerance]


KINDS = {  # of a knowledge file, and the same as constraints
    "known_mass": ({"mass": 1.38, "tolerance": 0.03}, mass(1.38, 0.03)),
    "centre_in_box": (
        {"lower": [-0.01, -0.02, 0.08], "upper": [0.01, 0.02, 0.15]},
        lambda phi: [
            phi[1:4] >= phi[0] * np.array([-0.01, -0.02, 0.08]),
            phi[1:4] <= phi[0] * np.array([0.01, 0.02, 0.15]),
        ],
    ),
    "centre_near_point": (
        {"point": [0.005, 0.0, 0.1], "distance": 0.01},
        lambda phi: [cp.norm(phi[1:4] - phi[0] * np.array([0.005, 0.0, 0.1])) <= 0.01 * phi[0]],
    ),
    "centre_near_line": (
        {"point": [0.0, 0.001, 0.3], "direction": [0.0, 0.0, 2.0], "distance": 0.005},
        lambda phi: [cp.norm(phi[1:3] - phi[0] * np.array([0.0, 0.001])) <= 0.005 * phi[0]],
    ),
    "symmetric_about_axis": (
        {"point": [0.0, 0.0, 0.0], "direction": [0.0, 0.0, 1.0]},
        lambda phi: [phi[1] == 0, phi[2] == 0, phi[5] == 0, phi[6] == 0, phi[8] == 0,
                     phi[4] == phi[7]],
    ),
    "mirror_plane": (
        {"point": [0.0, 0.0, 0.0], "normal": [0.0, 1.0, 0.0]},
        lambda phi: [phi[2] == 0, phi[5] == 0, phi[8] == 0],
    ),
}  # fmt: skip


@pytest.mark.slow
def test_each_statement_narrows_as_much_as_it_says(arm, run, tmp_path, capsys):
    """By a file and the command line, against a semidefinite program over own rows."""
    recording = run.shown()
    bounds = Uncertainty(**NOISE, prior=PRIOR)
    rows = own_rows(arm, recording, bounds)
    table, columns = tmp_path / "run.csv", tmp_path / "columns.yaml"
    write_table(table, run.motion, recording.tau)
    columns.write_text(columns_of(arm.file.joints))
    alone = identify(recording, arm.robot, bounds)
    for kind, (entries, constraints) in KINDS.items():
        file = tmp_path / f"{kind}.yaml"
        file.write_text("---\n" + yaml.safe_dump({"it": {"kind": kind, **entries}}) + "...\n")
        answer = payload_id(
            capsys, "identify", table, "--columns", columns, "--robot", arm.name, "--json",
            "--payload", file, "--uncertainty=torque_absolute=0.3",
        )  # fmt: skip
        assert answer.code == 0, answer.text
        said = json.loads(answer.out)
        lower, upper = np.array(said["lower"]), np.array(said["upper"])
        own = own_hull(rows, bounds, constraints)
        slack = 0.004 * (alone.upper - alone.lower) + 1e-9
        assert (lower <= own[0] + slack / 4).all() and (upper >= own[1] - slack / 4).all(), kind
        assert (lower >= own[0] - 5 * slack).all() and (upper <= own[1] + 5 * slack).all(), kind
        assert (lower <= run.phi + 1e-12).all() and (run.phi <= upper + 1e-12).all(), kind
        assert (upper - lower < 0.9 * (alone.upper - alone.lower)).any(), kind
        assert said["knowledge"] == ["it"]


def test_own_constraints_narrow_as_much_as_they_say(arm, run):
    recording = run.shown()
    bounds = Uncertainty(**NOISE, prior=PRIOR)

    def known(phi):
        return [cp.norm(phi[1:3]) <= 0.02 * phi[0], phi[4] + phi[7] <= 0.05, phi[0] >= 1.3]

    found = identify(recording, arm.robot, bounds, constraints=known)
    own = own_hull(own_rows(arm, recording, bounds), bounds, known)
    slack = 0.02 * (own[1] - own[0])
    assert (abs(found.lower - own[0]) < slack).all() and (abs(found.upper - own[1]) < slack).all()
    assert found.contains(run.phi).all()
    false = identify(recording, arm.robot, bounds, constraints=lambda phi: [phi[0] <= 0.2])
    assert false.status is Status.INCONSISTENT and "stated" in false.message
    with pytest.raises(PayloadIdError):  # no payload is both
        identify(recording, arm.robot, bounds, constraints=lambda phi: [phi[0] <= 1, phi[0] >= 2])


def test_a_statement_counts_alike_on_either_side_of_zero(arm):
    """What depends on the payload's size alone does not ask for the sign of its first moments."""
    bounds = Uncertainty(torque_absolute=0.02, position_error=0.01, prior=PRIOR)
    wide = []
    for side in (-1.0, 1.0):
        phi = phi_of(3.0, side * np.array([0.25, 0.25, 0.25]), 0.01 * np.eye(3))
        run = Run.drawn(arm, np.random.default_rng(3), phi, seconds=0.92, rate=250.0, size=0.5)
        found = identify(run.shown(), arm.robot, bounds, intervals="least_squares_image",
                         constraints=lambda phi, side=side: [side * phi[1:4] >= 0.1])  # fmt: skip
        assert found.contains(phi).all()
        wide.append(found.half_width[0])
    assert wide[0] == pytest.approx(wide[1], rel=0.02)


# Of the arm: calibration, and a history of runs.


def test_a_calibrated_arm_knows_more_and_is_right(arm, tmp_path, capsys):
    """A bare run and one with a known payload, then one that nobody knows."""
    rng = np.random.default_rng(51)
    stated = Uncertainty(torque_absolute=0.02, torque_offset=0.3, friction_coulomb=0.2, prior=PRIOR)
    phis = [np.zeros(10), drawn_payload(rng), drawn_payload(rng)]
    runs = [Run.drawn(arm, rng, phi, seconds=1.5, rate=250.0, size=0.5) for phi in phis]
    offset, friction = rng.uniform(-0.25, 0.25, 4), rng.uniform(0.05, 0.2, 4)
    files = []
    for number, run in enumerate(runs):
        tau = run.tau + offset + friction * np.sign(run.motion.dq)
        tau = tau + 0.02 * rng.uniform(-1, 1, tau.shape)
        files.append(write_table(tmp_path / f"{number}.csv", run.motion, tau))
    columns = tmp_path / "columns.yaml"
    columns.write_text(columns_of(arm.file.joints))
    bounds = [f"--uncertainty={name}={getattr(stated, name)}" for name in (
        "torque_absolute", "torque_offset", "friction_coulomb")]  # fmt: skip
    bounds.append("--uncertainty=torque_relative=0")
    out, before = tmp_path / "known.yaml", None
    for part in (files[:1], files[1:2]):
        known = [] if before is None else ["--payload", ",".join(map(repr, phis[1].tolist()))]
        answer = payload_id(
            capsys, "calibrate", "bounds", *part, "--stated-noise", "--robot", arm.name,
            "--columns", columns, "--out", out, "--json", *bounds, *known,
        )  # fmt: skip
        assert answer.code == 0, answer.text
        file = RobotFile.load(str(out))
        calibrated = RobotModel.from_robot_file(file)
        recording = Recording.from_csv(files[2], columns)
        found = identify(recording, calibrated, file.uncertainty)
        alone = identify(recording, arm.robot, stated)
        assert found.contains(phis[2]).all() and alone.contains(phis[2]).all()
        assert (found.lower >= alone.lower - 0.01 * alone.half_width).all()
        assert found.half_width[0] < 0.95 * alone.half_width[0]
        before, out = found, tmp_path / "known_too.yaml"
        told = json.loads(answer.out)
        assert json.dumps(told).count("torque_offset") > 0
    false = payload_id(
        capsys, "calibrate", "bounds", files[2], "--stated-noise", "--robot", arm.name,
        "--columns", columns, "--out", tmp_path / "false.yaml", *bounds,
    )  # fmt: skip
    assert false.code == 3 and not (tmp_path / "false.yaml").exists()


@pytest.mark.slow
def test_calibrated_intervals_hold_as_often_as_they_say(arm, tmp_path, capsys):
    """Twenty known runs of one arm whose friction is not described, then twelve unknown ones."""
    rng = np.random.default_rng(61)
    links = arm.links(rng, 0.03)
    listed, columns = {}, tmp_path / "columns.yaml"
    columns.write_text(columns_of(arm.file.joints))

    def made(name: str, phi: np.ndarray):
        run = Run.drawn(arm, rng, phi, seconds=1.5, rate=100.0, size=0.5)
        tau = arm.torques(run.motion, phi, links) + rng.uniform(-0.2, 0.2, 4)
        tau += rng.uniform(0.1, 0.3, 4) * np.sign(run.motion.dq)
        tau += 0.1 * rng.normal(size=tau.shape)
        return write_table(tmp_path / f"{name}.csv", run.motion, tau)

    for number in range(20):
        phi = drawn_payload(rng) if number % 3 else np.zeros(10)
        made(f"run_{number}", phi)
        listed[f"run_{number}.csv"] = {"mass": float(phi[0])} if number % 3 else {}
    runs = tmp_path / "runs.yaml"
    runs.write_text("---\n" + yaml.safe_dump({"runs": listed}, sort_keys=False) + "...\n")
    out = tmp_path / "with_history.yaml"
    stated = [
        f"--uncertainty={x}"
        for x in (
            "torque_absolute=1.0",
            "torque_offset=0.3",
            "friction_coulomb=0.4",
            "link_relative=0.03",
        )
    ]
    answer = payload_id(
        capsys, "calibrate", "history", "--runs", runs, "--robot", arm.name,
        "--columns", columns, "--out", out, *stated,
    )  # fmt: skip
    assert answer.code == 0, answer.text
    file = RobotFile.load(str(out))
    known, held, narrower = RobotModel.from_robot_file(file), [], []
    for number in range(12):
        phi = drawn_payload(rng)
        recording = Recording.from_csv(made(f"new_{number}", phi), columns)
        found = identify(recording, known, file.uncertainty, level=0.9)
        assert found.contains(phi).all()  # the hull stays beside it
        lower, upper = found.calibrated.lower[0], found.calibrated.upper[0]
        held.append(lower <= phi[0] <= upper)
        narrower.append((upper - lower) / (found.upper[0] - found.lower[0]))
    assert sum(held) >= 9 and max(narrower) < 0.8, (held, narrower)
