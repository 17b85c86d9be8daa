"""What two recordings of a Gen3 say of the noise of its torques, and what would rest on that.

needed      least bounds on the noise's mean that the recordings need, wherever windows begin
stamps      the same at one length without rows that repeat the one before, and with stamps at
which positions are where the velocities lead
vibration   frequency at which the torques come and go most, and how much of what a rigid arm
leaves of them joints that yield explain: fitted to one recording, seen in the other
rotors      torque over the encoders' acceleration, by frequency: nothing, or a rotor's inertia
mass        of the robot file's bounds, and of these with `torque_mean`

./payload-id python benchmarks/gen3_noise.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio
from rich.console import Console
from rich.table import Table
from scipy.ndimage import uniform_filter1d
from scipy.optimize import nnls
from scipy.signal import butter, sosfiltfilt

from payload_id import Recording, RobotFile, RobotModel, Uncertainty
from payload_id.core.arrays import Array
from payload_id.core.calibration.noise_needed import NoiseNeeded, noise_needed
from payload_id.core.identification.identify import identify
from payload_id.files.configuration.package_data import share_folder

DEFAULT = Path(__file__).resolve().parents[2] / "shared/datasets/torque_kinova_gen3"
FILES = ("opti_traj_testing1.csv", "opti_traj_testing2.csv")
FILE = RobotFile.load("kinova_gen3")
MODEL = RobotModel.from_urdf(FILE.urdf, "bracelet_link", FILE.joints, FILE.gravity)
# The sensors' ranges are as 105 to 52 N m (user guide, table 33): so are their errors taken to be.
SHARE = np.array([1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5])
LENGTHS = (0.1, 0.2, 0.38, 0.5, 1.0)  # [s]
STATED = {0.5: 0.84, 1.0: 0.35}  # torque_mean, times SHARE, of docs/uncertainty.md [N m]
BANDS = ((10, 20), (20, 40), (40, 80), (80, 160))  # [Hz]
SLOW = (3.0, 12.0)  # band of the vibration [Hz]
CHANGES: dict[str, dict[str, float]] = {
    "links of 2.5 %": {"link_relative": 0.025},
    "torque_relative 0.0125": {"torque_relative": 0.0125},
    "offsets of 1 N m": {"torque_offset": 1.0},
}
FRICTION = ("friction_coulomb", "friction_viscous")
YIELDING = [0, 1, 3]  # joints that move most of the arm in it


def proportions(uncertainty: Uncertainty) -> Uncertainty:
    """Return the bounds with `SHARE` as what noise is measured in."""
    return replace(uncertainty, torque_absolute=tuple(SHARE))


def with_means(times: float = 1.0, uncertainty: Uncertainty = FILE.uncertainty) -> Uncertainty:
    """Return the bounds with those on means on top, times as large."""
    means = np.outer([times * size for size in STATED.values()], SHARE)
    return replace(uncertainty, torque_mean_window=tuple(STATED), torque_mean=tuple(means.ravel()))


def show_needed(console: Console, title: str, found: Sequence[NoiseNeeded]) -> None:
    """Print what recordings need."""
    table = Table("length [s]", "both", "1 alone", "2 alone", "both over one", "joint by joint",
                  title=title)  # fmt: skip
    for x in found:
        joints = " ".join(f"{y:.2f}" for y in x.absolute)
        numbers = (x.length, x.factor, *x.alone, x.margin)
        table.add_row(*(f"{y:.3g}" for y in numbers), joints)
    console.print(table)


def without_repeats(recording: Recording) -> Recording:
    """Return the recording without moving rows whose positions are those of the row before."""
    moving = np.abs(recording.dq[1:]).max(axis=1) > 0.05
    again = (np.diff(recording.q, axis=0) == 0.0).all(axis=1) & moving
    return chosen(recording, np.append(True, ~again), recording.stamp)


def restamped(recording: Recording) -> Recording:
    """Return it with stamps between which positions move as the velocities say."""
    speed = (recording.dq[1:] + recording.dq[:-1]) / 2
    square, step = (speed**2).sum(axis=1), np.diff(recording.stamp)
    moved = (np.diff(recording.q, axis=0) * speed).sum(axis=1)
    step = np.where(square > 0.05, moved / np.maximum(square, 1e-9), step)
    late = np.append(0.0, np.cumsum(step)) - recording.stamp
    stamp = recording.stamp + late - uniform_filter1d(late, 401, mode="nearest")
    newest = np.maximum.accumulate(stamp)
    return chosen(recording, np.append(True, np.diff(newest) > 1e-5), newest)


def chosen(recording: Recording, keep: Array, stamp: Array) -> Recording:
    """Return some rows of a recording, with stamps."""
    rows = {name: getattr(recording, name)[keep] for name in ("q", "dq", "tau")}
    return replace(recording, stamp=stamp[keep], **rows)


def between(band: tuple[float, float], x: Array) -> Array:
    """Return the part of samples at 1 kHz in a band of frequencies [Hz]."""
    return np.asarray(sosfiltfilt(butter(4, band, "band", fs=1000, output="sos"), x, axis=0))


def vibration(recordings: Sequence[Recording]) -> list[tuple[float, Array]]:
    """Return of each recording the frequency [Hz], and the part explained by yielding joints.

    A joint that yields by c per torque leaves  -M(q) c d2tau/dt2  of the torque; c is fitted to the
    other recording.
    """
    model = MODEL.pinocchio
    data, order = model.createData(), np.array(MODEL.order)
    back = np.argsort(order)
    rest, yielding, frequency = [], [], []
    for x in recordings:
        slow = np.asarray(sosfiltfilt(butter(4, SLOW[1], fs=1000, output="sos"), x.dq, axis=0))
        ddq = np.gradient(slow, axis=0) * 1000.0
        bend = np.gradient(np.gradient(between(SLOW, x.tau), axis=0), axis=0) * 1e6
        rigid, column = np.empty_like(x.tau), np.empty((*x.tau.shape, MODEL.n))
        for k, q in enumerate(x.q):
            at = MODEL.pinocchio_q(q)
            rigid[k] = pinocchio.rnea(model, data, at, x.dq[k][order], ddq[k][order])[back]
            M = pinocchio.crba(model, data, at)
            M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(back, back)]
            column[k] = -M * bend[k]
        rest.append(between(SLOW, x.tau - rigid)[100:-100])
        yielding.append(
            np.stack([between(SLOW, column[..., j]) for j in range(MODEL.n)], 2)[100:-100]
        )
        power = (
            np.abs(np.fft.rfft(rest[-1] * np.hanning(len(rest[-1]))[:, None], 8192, axis=0)) ** 2
        )
        frequency.append(float(np.fft.rfftfreq(8192, 1e-3)[power.sum(axis=1).argmax()]))
    found = []
    for k in range(2):
        A, b = yielding[1 - k][..., YIELDING].reshape(-1, len(YIELDING)), rest[1 - k].ravel()
        c, _ = nnls(A, b)
        left = rest[k] - yielding[k][..., YIELDING] @ c
        print(f"compliance from recording {2 - k} [1e-4 rad/(N m)]:", np.round(1e4 * c, 1))
        found.append((frequency[k], 1.0 - (left**2).sum(axis=0) / (rest[k] ** 2).sum(axis=0)))
    return found


def mass(recording: Recording, uncertainty: Uncertainty, window: float = 0.1) -> str:
    """Return the interval of the mass in words."""
    found = identify(recording, MODEL, uncertainty, window=window)
    if not np.isfinite(found.half_width[0]):
        return f"{found.status.value} ({found.noise_factor:.2f})"
    return f"{found.half_width[0]:.3f}: {found.lower[0]:.2f} to {found.upper[0]:.2f}"


def main() -> None:
    """Print the tables."""
    console, folder = Console(width=120), Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    columns = share_folder() / "config" / "recordings" / "kinova_gen3_csv.yaml"
    recordings = [Recording.from_csv(folder / name, columns) for name in FILES]
    both, stated = recordings[0].followed_by(recordings[1]), FILE.uncertainty
    measured = proportions(stated)
    show_needed(console, "[N m]", noise_needed(recordings, MODEL, measured, LENGTHS))
    for name, change in (("without repeats", without_repeats), ("restamped", restamped)):
        found = noise_needed([change(x) for x in recordings], MODEL, measured, LENGTHS[:1])
        show_needed(console, name, found)
    for k, (frequency, part) in enumerate(vibration(recordings)):
        print(f"recording {k + 1}: {frequency:.1f} Hz; explained", np.round(part, 2))
    table = Table("band [Hz]", "recording", "torque over acceleration, joint by joint [kg m2]")
    for band in BANDS:
        for k, x in enumerate(recordings):
            tau, ddq = between(band, x.tau), between(band, np.gradient(x.dq, axis=0) * 1000.0)
            ratio = (tau[100:-100].std(axis=0) / ddq[100:-100].std(axis=0)).round(3)
            table.add_row(str(band), str(k + 1), " ".join(f"{y:.3f}" for y in ratio))
    console.print(table)
    table = Table("torque_mean", "recording 1", "recording 2", "both", title="mass [kg]")
    table.add_row("none", *(mass(x, stated) for x in (*recordings, both)))
    for times in (0.6, 1.0, 1.5):
        cells = (mass(x, with_means(times)) for x in (*recordings, both))
        table.add_row(f"{times:g} times {STATED}", *cells)
    console.print(table)
    show_needed(console, "robot file", noise_needed(recordings, MODEL, stated, [0.1]))
    for text, change in CHANGES.items():
        print(f"{text}:", mass(both, with_means(1.0, replace(stated, **change))))
    half = {name: tuple(stated.per_joint(name, MODEL.n) / 2) for name in FRICTION}
    print("half the friction:", mass(both, with_means(1.0, replace(stated, **half))))
    print("torque_absolute=0.5:", mass(recordings[0], replace(stated, torque_absolute=0.5)))


if __name__ == "__main__":
    main()
