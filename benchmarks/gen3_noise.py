"""What two recordings of a Gen3 say of means of its torques' noise, and what would rest on that.

First the least common factors on the shipped `torque_absolute` (`payload-id noise`), for both
recordings and for each. Then the mass from both, with these factors times a margin as
`torque_mean`; and with a fifth above what one recording needs, for the other and for both.

    ./payload-id python benchmarks/gen3_noise.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from payload_id import Recording, RobotFile, RobotModel
from payload_id.core.calibration.noise_needed import noise_needed
from payload_id.core.identification.identify import identify
from payload_id.files.configuration.package_data import share_folder

DEFAULT = Path(__file__).resolve().parents[2] / "shared/datasets/torque_kinova_gen3"
FILES = ("opti_traj_testing1.csv", "opti_traj_testing2.csv")
LENGTHS = (0.1, 0.2, 0.5, 1.0)  # [s]
CHOICES = ((0.2,), (0.5,), (0.2, 0.5), (1.0,))
MARGINS = (1.0, 1.2, 1.5, 2.0)
FILE = RobotFile.load("kinova_gen3")
MODEL = RobotModel.from_urdf(FILE.urdf, "bracelet_link", FILE.joints, FILE.gravity)


def mass(recording: Recording, factors: Mapping[float, float], lengths: Sequence[float]) -> str:
    """Return the interval of the mass in words."""
    absolute = FILE.uncertainty.per_joint("torque_absolute", MODEL.n)
    means = np.concatenate([factors[length] * absolute for length in lengths])
    stated = replace(FILE.uncertainty, torque_mean_window=tuple(lengths), torque_mean=tuple(means))
    found = identify(recording, MODEL, stated)
    if not np.isfinite(found.half_width[0]):
        return f"{found.status.value} ({found.noise_factor:.2f})"
    return f"{found.half_width[0]:.2f}: {found.lower[0]:.2f} to {found.upper[0]:.2f}"


def main() -> None:
    """Print the tables."""
    console, folder = Console(width=110), Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    columns = share_folder() / "config" / "recordings" / "kinova_gen3_csv.yaml"
    recordings = [Recording.from_csv(folder / name, columns) for name in FILES]
    both = recordings[0].followed_by(recordings[1])
    found = noise_needed(recordings, MODEL, FILE.uncertainty, LENGTHS)
    table = Table("length [s]", "both", "1 alone", "2 alone", "both over one", title="factors")
    for x in found:
        table.add_row(*(f"{y:.3g}" for y in (x.length, x.factor, *x.alone, x.margin)))
    console.print(table)
    headings = [" and ".join(f"{x:g} s" for x in lengths) for lengths in CHOICES]
    table = Table("margin", *headings, title="mass from both [kg]")
    for margin in MARGINS:
        factors = {x.length: margin * x.factor for x in found}
        table.add_row(f"{margin:g}", *(mass(both, factors, lengths) for lengths in CHOICES))
    console.print(table)
    table = Table("bounds from", "for", *headings, title="1.2 times what one recording needs")
    for k in range(2):
        factors = {x.length: 1.2 * x.alone[k] for x in found}
        for name, recording in ((f"{2 - k}", recordings[1 - k]), ("both", both)):
            cells = [mass(recording, factors, lengths) for lengths in CHOICES]
            table.add_row(f"{k + 1}", name, *cells)
    console.print(table)


if __name__ == "__main__":
    main()
