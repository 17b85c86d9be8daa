"""The calibrate command as its user meets it: its output, its files, its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import run_here, run_without_ros
from payload_id import Recording, RobotFile, RobotModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import from_mass_com_inertia, is_physical
from payload_id.core.errors import ConfigurationError, InputError
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant, simulate
from payload_id.files.learnt.calibration_file import load_calibration
from payload_id.files.recordings.write_bag import write_joint_states
from payload_id.files.runs.run_file import RunFile

PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
GAIN, OFFSET, NOISE = 0.02, 0.4, 0.05
COULOMB, VISCOUS, ROTOR = 0.6, 0.3, 0.05
BOUNDS = [
    f"--uncertainty={bound}"
    for bound in (
        "torque_relative=0", f"torque_absolute={NOISE + 0.01}", f"torque_gain={GAIN}",
        f"torque_offset={OFFSET}", "link_relative=0.05", "friction_coulomb=1.0",
        "friction_viscous=0.5", "rotor_inertia=0.1", "position_error=0",
    )
]  # fmt: skip
ROBOT = ("--robot", "kinova_gen3")


class Lab:
    """One simulated arm whose links, friction and sensors differ from the description."""

    def __init__(self, folder: Path) -> None:
        rng, self.folder = np.random.default_rng(11), folder
        self.robot = RobotFile.load("kinova_gen3")
        self.links = perturb_links(RobotModel.from_robot_file(self.robot).link_phi, 0.05, rng)
        self.gain = GAIN * rng.uniform(-1, 1, 7)
        self.offset = OFFSET * (1 - GAIN) * rng.uniform(-1, 1, 7)

    def record(self, name: str, payload: Array, seed: int, seconds: float) -> None:
        """Write a bag as the driver would publish it."""
        rng, robot = np.random.default_rng(seed), self.robot
        plant = Plant(
            robot.urdf, robot.joints, robot.payload_frame, payload, robot.gravity,
            link_phis=self.links, friction_coulomb=COULOMB, friction_viscous=VISCOUS,
            armature=ROTOR, q0=robot.home, step=1e-3,
        )  # fmt: skip
        free = 0.1 * rng.normal(size=(7, 2, 4))
        time = np.linspace(0.0, seconds, round(50 * seconds) + 1)
        motion = FourierSeries.from_free(robot.home, free, seconds).at(time)
        motion.dq[-1] = motion.ddq[-1] = 0.0  # but for rounding they are
        trajectory = JointTrajectory(time + 0.1, motion.q, motion.dq, motion.ddq)
        true = simulate(plant, trajectory, seconds, 250.0)
        noise = NOISE * rng.uniform(-1, 1, true.tau.shape)
        effort = ((1 + self.gain) * (true.tau + noise) + self.offset) * robot.effort.sign
        recording = Recording(true.stamp, true.q, true.dq, effort, start_ns=1_700 * 10**15)
        write_joint_states(self.folder / name, recording, joints=robot.joints)

    def truth(self) -> Array:
        """Return the true psi."""
        gain, friction = 1.0 + self.gain, np.repeat([COULOMB, VISCOUS, ROTOR], 7)
        return np.concatenate(
            [self.links.ravel(), friction, self.offset / gain, 1 / gain - 1, np.zeros(10)]
        )


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Return a simulated Gen3 with recordings."""
    lab = Lab(tmp_path_factory.mktemp("calibration"))
    lab.record("bare", np.zeros(10), 1, 6.0)
    lab.record("loaded", PAYLOAD, 2, 2.0)
    return lab


@pytest.fixture
def mine(lab: Lab, capsys) -> Path:
    """Return the calibrated robot file."""
    path = lab.folder / "mine.yaml"
    if not path.exists():
        done = run_here(capsys, "calibrate", lab.folder / "bare", *ROBOT, *BOUNDS, "--out", path)
        assert done.returncode == 0, done.stderr
        assert all(word in done.stdout for word in ("Coulomb friction", "joint_7", "narrowed"))
        assert "payload-id replay RECORDING --robot" in " ".join(done.stdout.split())
    return path


@pytest.mark.slow
def test_plant_is_inside_the_calibrated_box_and_bounds_stay_stated(lab: Lab, mine: Path) -> None:
    calibration, truth = load_calibration(mine.with_suffix(".npz")), lab.truth()
    assert (calibration.lower <= truth + 1e-9).all() and (truth - 1e-9 <= calibration.upper).all()
    assert all(is_physical(phi) for phi in calibration.estimate[:70].reshape(7, 10))
    assert calibration.about["recordings"] == [str(lab.folder / "bare")]
    robot = RobotFile.load(mine)
    assert robot.calibration == calibration and robot.uncertainty.torque_gain == GAIN
    assert RobotModel.from_robot_file(robot).calibration == calibration
    assert "package://payload_id/config/robots/kinova_gen3.yaml" in mine.read_text()
    run = RunFile(robot.joints, robot.payload_frame, robot.urdf, calibration=calibration)
    run.save(lab.folder)
    assert RunFile.load(lab.folder).calibration == calibration


def test_calibration_of_another_tool_or_a_damaged_one_is_refused(lab, mine, capsys, tmp_path):
    other = mine.with_name("other.yaml")
    other.write_text(mine.read_text().replace("kinova_gen3.yaml", "kinova_gen3_2f85.yaml"))
    done = run_without_ros(capsys, "replay", lab.folder / "loaded", "--robot", other)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    with pytest.raises(InputError):
        RobotModel.from_robot_file(RobotFile.load(other))
    (tmp_path / "robot.yaml").write_text(mine.read_text())
    whole = mine.with_suffix(".npz").read_bytes()
    for part in (None, b"", b"not an archive", whole[: len(whole) // 2]):
        if part is not None:
            (tmp_path / "mine.npz").write_bytes(part)
        with pytest.raises(ConfigurationError, match=r"mine\.npz"):
            RobotFile.load(tmp_path / "robot.yaml")


@pytest.mark.slow
def test_json_is_one_object_with_intervals(lab: Lab, capsys) -> None:
    out = lab.folder / "drifting.yaml"
    options = ["--changes", "torque_offset", "--ellipsoids", "--prior", "entropic", "--json"]
    done = run_without_ros(
        capsys, "calibrate", lab.folder / "bare", *ROBOT, *BOUNDS, *options, "--out", out
    )
    result = json.loads(done.stdout)
    assert done.returncode == 0 and result["consistent"]
    entry = result["parameters"]["joint_1.friction_coulomb"]
    assert entry["lower"] <= COULOMB <= entry["upper"] and entry["upper"] - entry["lower"] < 0.6
    assert np.mean(result["validation"]["calibrated"]) < np.mean(result["validation"]["nominal"])
    kept = load_calibration(out.with_suffix(".npz"))
    assert np.isinf(kept.lower[91:98]).all() and np.isfinite(kept.lower[:91]).all()


@pytest.mark.slow
def test_inconsistent_data_write_nothing(lab: Lab, capsys) -> None:
    out = lab.folder / "never.yaml"
    done = run_without_ros(
        capsys, "calibrate", lab.folder / "loaded", *ROBOT, *BOUNDS, "--out", out
    )
    assert done.returncode == 3 and "INCONSISTENT" in done.stdout
    assert not out.exists() and not out.with_suffix(".npz").exists()
