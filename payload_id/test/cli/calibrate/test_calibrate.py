"""The calibrate command as its user meets it: a process, its output, its files, its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from command_line import run, run_here, run_without_ros
from payload_id import Recording, RobotFile, RobotModel
from payload_id.core.arrays import Array
from payload_id.core.body.inertial import from_mass_com_inertia, is_physical
from payload_id.core.errors import ConfigurationError, InputError
from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.motion.joint_trajectory import JointTrajectory
from payload_id.core.samples.joint_samples import Samples
from payload_id.core.simulation.perturbation import perturb_links
from payload_id.core.simulation.plant import Plant, simulate
from payload_id.files.configuration.package_data import share_folder
from payload_id.files.learnt.calibration_file import load_calibration
from payload_id.files.recordings.write_bag import write_joint_states
from payload_id.files.runs.run_file import RunFile

DATA = Path(__file__).parents[5] / "shared" / "datasets" / "torque_kinova_gen3"
COLUMNS = share_folder() / "config" / "recordings" / "kinova_gen3_csv.yaml"
PAYLOAD = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
GAIN, OFFSET, NOISE = 0.02, 0.4, 0.05
COULOMB, VISCOUS, ROTOR = 0.6, 0.3, 0.05
BOUNDS = {
    "torque_relative": 0,
    "torque_absolute": NOISE + 0.01,
    "torque_gain": GAIN,
    "torque_offset": OFFSET,
    "link_relative": 0.05,
    "friction_coulomb": 1.0,
    "friction_viscous": 0.5,
    "rotor_inertia": 0.1,
    "position_error": 0,
}


def bounds() -> list[str]:
    """Return the arguments for what is assumed."""
    return [f"--uncertainty={name}={value}" for name, value in BOUNDS.items()]


class Lab:
    """One simulated arm whose links, friction and sensors differ from the description."""

    def __init__(self, robot: RobotFile) -> None:
        rng = np.random.default_rng(11)
        self.robot, self.model = robot, RobotModel.from_robot_file(robot)
        n = self.model.n
        self.links = perturb_links(self.model.link_phi, 0.05, rng)
        self.gain = GAIN * rng.uniform(-1, 1, n)
        self.offset = OFFSET * (1 - GAIN) * rng.uniform(-1, 1, n)

    def record(self, payload: Array, seed: int, seconds: float = 8.0) -> Samples:
        """Return what the sensors show of a run."""
        rng, n, home = np.random.default_rng(seed), self.model.n, self.robot.home
        assert home is not None
        plant = Plant(
            self.robot.urdf, self.robot.joints, self.robot.payload_frame, payload,
            self.robot.gravity, link_phis=self.links, friction_coulomb=COULOMB,
            friction_viscous=VISCOUS, armature=ROTOR, q0=home, step=0.5e-3,
        )  # fmt: skip
        series = FourierSeries.from_free(home, 0.1 * rng.normal(size=(n, 2, 4)), seconds)
        time = np.linspace(0.0, seconds, round(50 * seconds) + 1)
        motion = series.at(time)
        motion.dq[-1] = motion.ddq[-1] = 0.0  # but for rounding they are
        trajectory = JointTrajectory(time + 0.1, motion.q, motion.dq, motion.ddq)
        true = simulate(plant, trajectory, seconds, 250.0)
        noise = NOISE * rng.uniform(-1, 1, true.tau.shape)
        tau = (1 + self.gain) * (true.tau + noise) + self.offset
        return Samples(true.stamp, true.q, true.dq, tau)

    def bag(self, folder: Path, samples: Samples) -> Path:
        """Write a recording as the driver would publish it."""
        effort = samples.tau * self.robot.effort.sign
        begin = 1_700_000_000_000_000_000
        recording = Recording(samples.stamp, samples.q, samples.dq, effort, start_ns=begin)
        write_joint_states(folder, recording, joints=self.robot.joints)
        return folder

    def truth(self) -> Array:
        """Return the true psi."""
        n, gain = self.model.n, 1.0 + self.gain
        friction = np.repeat([COULOMB, VISCOUS, ROTOR], n)
        return np.concatenate(
            [self.links.ravel(), friction, self.offset / gain, 1 / gain - 1, np.zeros(10)]
        )


@pytest.fixture(scope="module")
def lab() -> Lab:
    """Return a simulated Gen3."""
    return Lab(RobotFile.load("kinova_gen3"))


@pytest.fixture(scope="module")
def folder(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with recordings and the calibrated robot file."""
    folder = tmp_path_factory.mktemp("calibration")
    lab.bag(folder / "bare", lab.record(np.zeros(10), 1))
    lab.bag(folder / "loaded", lab.record(PAYLOAD, 2, 3.0))
    arguments = ["calibrate", folder / "bare", "--robot", "kinova_gen3", *bounds()]
    done = run(*arguments, "--out", folder / "mine.yaml")
    assert done.returncode == 0, done.stderr + done.stdout
    (folder / "output.txt").write_text(done.stdout)
    return folder


@pytest.mark.slow
def test_plant_is_inside_the_calibrated_box(lab: Lab, folder: Path) -> None:
    calibration = load_calibration(folder / "mine.npz")
    truth = lab.truth()
    assert (calibration.lower <= truth + 1e-9).all() and (truth - 1e-9 <= calibration.upper).all()
    assert all(is_physical(phi) for phi in calibration.estimate[:70].reshape(7, 10))
    assert calibration.about["recordings"] == [str(folder / "bare")]


def test_output_says_what_was_found_and_what_comes_next(folder: Path) -> None:
    text = (folder / "output.txt").read_text()
    for word in ("Coulomb friction", "joint_7", "narrowed", "everything fitted", "combinations"):
        assert word in text
    assert "payload-id replay RECORDING --robot" in text.replace("\n", " ")


@pytest.mark.slow
def test_replay_with_the_calibrated_robot_is_narrower_and_right(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = ["replay", folder / "loaded", "--json", "--window", "1", "--robot"]
    plain = run_without_ros(capsys, *replay, "kinova_gen3", *bounds())
    tuned = run_without_ros(capsys, *replay, folder / "mine.yaml")
    assert plain.returncode == tuned.returncode == 0, plain.stderr + tuned.stderr
    results = [json.loads(done.stdout) for done in (plain, tuned)]
    widths = []
    for result in results:
        lower, upper = np.array(result["lower"]), np.array(result["upper"])
        assert (lower <= PAYLOAD).all() and (upper >= PAYLOAD).all()
        widths.append((upper - lower) / 2)
    assert widths[1][0] < 0.6 * widths[0][0]


def test_robot_file_extends_the_shipped_one_and_keeps_its_bounds(folder: Path) -> None:
    robot = RobotFile.load(folder / "mine.yaml")
    assert robot.calibration is not None and robot.uncertainty.torque_gain == GAIN
    assert robot.joints == RobotFile.load("kinova_gen3").joints
    assert RobotModel.from_robot_file(robot).calibration == robot.calibration
    text = (folder / "mine.yaml").read_text()
    assert "package://payload_id/config/robots/kinova_gen3.yaml" in text


def test_calibration_of_another_tool_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = folder / "other.yaml"
    other.write_text(
        "extends: package://payload_id/config/robots/kinova_gen3_2f85.yaml\ncalibration: mine.npz\n"
    )
    done = run_without_ros(capsys, "replay", folder / "loaded", "--robot", other)
    assert done.returncode == 2 and "another robot description, tool" in done.stderr
    assert done.stderr.count("\n") == 1
    with pytest.raises(InputError):
        RobotModel.from_robot_file(RobotFile.load(other))


def test_damaged_or_missing_archive_is_refused(folder: Path, tmp_path: Path) -> None:
    robot = tmp_path / "robot.yaml"
    robot.write_text((folder / "mine.yaml").read_text())
    with pytest.raises(ConfigurationError, match="does not exist"):
        RobotFile.load(robot)
    whole = (folder / "mine.npz").read_bytes()
    for part in (b"", b"not an archive", whole[: len(whole) // 2]):
        (tmp_path / "mine.npz").write_bytes(part)
        with pytest.raises(ConfigurationError, match="calibrat"):
            RobotFile.load(robot)


def test_run_file_keeps_the_calibration_for_replays(folder: Path, tmp_path: Path) -> None:
    robot = RobotFile.load(folder / "mine.yaml")
    RunFile(
        joints=robot.joints,
        payload_frame=robot.payload_frame,
        urdf=robot.urdf,
        calibration=robot.calibration,
    ).save(tmp_path)
    assert RunFile.load(tmp_path).calibration == robot.calibration


@pytest.mark.slow
def test_json_is_one_object_with_intervals(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run_without_ros(
        capsys, "calibrate", folder / "bare", "--robot", "kinova_gen3", *bounds(), "--changes",
        "torque_offset", "--ellipsoids", "--prior", "entropic", "--out",
        folder / "drifting.yaml", "--json",
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert done.returncode == 0 and result["consistent"]
    entry = result["parameters"]["joint_1.friction_coulomb"]
    assert entry["lower"] <= COULOMB <= entry["upper"] and entry["upper"] - entry["lower"] < 0.6
    assert np.mean(result["validation"]["calibrated"]) < np.mean(result["validation"]["nominal"])
    kept = load_calibration(folder / "drifting.npz")
    assert np.isinf(kept.lower[91:98]).all() and np.isfinite(kept.lower[:91]).all()


@pytest.mark.slow
def test_inconsistent_data_write_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "never.yaml"
    arguments = ["calibrate", folder / "loaded", "--robot", "kinova_gen3", *bounds(), "--out", out]
    done = run_without_ros(capsys, *arguments)
    assert done.returncode == 3 and "INCONSISTENT" in done.stdout
    assert not out.exists() and not out.with_suffix(".npz").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bare", "--out", "x.txt"], "--out must end in .yaml"),
        (["absent", "--out", "x.yaml"], "absent"),
        (["bare", "--out", "x.yaml", "--payload", "1,2"], "ten finite numbers"),
        (["bare", "--out", "x.yaml", "--payload", "heavy"], "--payload takes ten numbers"),
        (["bare", "--out", "x.yaml", "--uncertainty=torque_noise=1"], "torque_noise"),
        (["bare", "--out", "x.yaml", "--window", "-1"], "window"),
    ],
)
def test_bad_input_is_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    first, *rest = arguments
    rest = [str(folder / x) if x.endswith((".txt", ".yaml")) else x for x in rest]
    done = run_here(capsys, "calibrate", folder / first, "--robot", "kinova_gen3", *rest)
    assert done.returncode == 2 and sentence in done.stderr
    assert "Traceback" not in done.stderr and done.stdout == ""


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no recordings at {DATA}")
def test_real_recordings_of_a_gen3(tmp_path: Path) -> None:
    out = tmp_path / "real.yaml"
    done = run(
        "calibrate", *sorted(DATA.glob("*.csv")), "--robot", "kinova_gen3_2f85", "--columns",
        COLUMNS, "--uncertainty=torque_absolute=3.0", "--out", out, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["consistent"] and out.is_file()
    assert all(is_physical(np.array(phi)) for phi in result["links"].values())
