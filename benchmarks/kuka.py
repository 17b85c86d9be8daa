"""Real wrenches: the KUKA runs of Skrede (2024) against the static fit over 24 poses.

    ./payload-id python benchmarks/kuka.py [FOLDER]

Judged: run 1 agrees with the poses within 3 % of mass and 5 mm of the centre of mass, and is
consistent under bounds that come from the recordings at rest; run 3, in contact, is not.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from payload_id import WrenchRecording, identify_wrench
from payload_id.core.identification.wrench.identify import WrenchEstimate
from payload_id.core.identification.wrench.static import identify_poses
from payload_id.core.rows.wrench.uncertainty import WrenchUncertainty
from payload_id.files.configuration.package_data import share_folder

HERE = Path(__file__).resolve().parents[1]
DEFAULT = HERE.parent / "shared/datasets/wrench_kuka_med14"
RUNS = ("1-baseline", "2-vibrations", "3-vibrations-contact")
GRAVITY = (0.0, 0.0, -9.82)


def columns() -> Path:
    """Return the description of the tables that the package ships."""
    return share_folder() / "config/recordings/kuka_wrench_csv.yaml"


def poses(folder: Path, uncertainty: WrenchUncertainty) -> WrenchEstimate:
    """Return the static fit over the 24 poses."""
    table = np.genfromtxt(folder / "0-calibration_fts-accel.csv", delimiter=",", names=True)
    axes = [f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)]
    rotation = np.stack([table[name] for name in axes], axis=1).reshape(-1, 3, 3)
    wrench = -np.stack([table[name] for name in ("fx", "fy", "fz", "tx", "ty", "tz")], axis=1)
    return identify_poses(rotation, wrench, uncertainty, GRAVITY)


def line(name: str, estimate: WrenchEstimate, seconds: float) -> str:
    """Return a line of the table."""
    m, com = estimate.phi[0], estimate.phi[1:4] / estimate.phi[0]
    offset = estimate.time_offset
    late = "" if offset is None or not estimate.compensated else f"{1e3 * offset.seconds:+.2f}"
    shown = ", ".join(f"{1e3 * x:+.1f}" for x in com)
    return (
        f"{name:22s} {m:.4f} +- {estimate.half_width[0]:<7.3g} ({shown})".ljust(66)
        + f" {late:>6s} {estimate.status.value:13s} {estimate.noise_factor:6.3g} {seconds:5.2f}"
    )


def main(folder: Path) -> int:
    """Print the table; return 0 if it is as it should be."""
    if not folder.is_dir():
        print(f"skipped: the data set is not at {folder}; give its folder")
        return 0
    recordings = {
        run: WrenchRecording.from_csv(folder / f"{run}_wrench.csv", columns()) for run in RUNS
    }
    uncertainty = recordings[RUNS[0]].assumed or WrenchUncertainty()
    print("run                    mass [kg]            centre of mass [mm]".ljust(66),
          "late [ms] status    factor time [s]")  # fmt: skip
    started = time.perf_counter()
    static = poses(folder, uncertainty)
    print(line("24 poses at rest", static, time.perf_counter() - started))
    results = {}
    for run, recording in recordings.items():
        started = time.perf_counter()
        results[run] = identify_wrench(recording, uncertainty)
        print(line(run, results[run], time.perf_counter() - started))
    print()
    for run, estimate in results.items():
        mass = abs(estimate.phi[0] / static.phi[0] - 1.0)
        com = estimate.phi[1:4] / estimate.phi[0] - static.phi[1:4] / static.phi[0]
        print(
            f"{run}: mass {100 * mass:.2f} % and centre of mass {1e3 * np.linalg.norm(com):.2f} mm "
            f"from the poses. {estimate.message}"
        )
    first, contact = results[RUNS[0]], results[RUNS[2]]
    com = first.phi[1:4] / first.phi[0] - static.phi[1:4] / static.phi[0]
    good = (
        abs(first.phi[0] / static.phi[0] - 1.0) <= 0.03
        and np.linalg.norm(com) <= 5e-3
        and np.isnan(first.noise_factor)
        and contact.status.value == "INCONSISTENT"
    )
    print("as it should be" if good else "NOT as it should be")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT))
