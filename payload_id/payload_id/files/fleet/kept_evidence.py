"""What a run leaves for others of its payload, as the bytes of a compressed NumPy archive."""

from __future__ import annotations

import io
import zipfile

import numpy as np

from ...core.bounds import Interval
from ...core.errors import ConfigurationError, in_words, shortened
from ...core.fleet import RunEvidence
from ...core.rows.row_block import RowBlock

ROWS = ("A", "A_error", "B", "b", "d")
OTHERS = ("lasting", "shape", "factor")
ENDS = ("interval_lower", "interval_upper", "prior_lower", "prior_upper")
NAMES = {"arm", "count", "joint", *ROWS, *OTHERS, *ENDS}


def to_bytes(evidence: RunEvidence) -> bytes:
    """Return an archive of all that is in it, bit for bit."""
    archive, rows = io.BytesIO(), evidence.rows
    upper = np.triu_indices(len(evidence.factor))
    np.savez_compressed(
        archive,
        arm=np.array(evidence.arm),
        count=np.array(evidence.count),
        joint=rows.joint,
        **{name: getattr(rows, name) for name in ROWS},
        lasting=evidence.lasting,
        shape=evidence.shape,
        factor=evidence.factor[upper],
        interval_lower=evidence.interval.lower,
        interval_upper=evidence.interval.upper,
        prior_lower=evidence.prior.lower,
        prior_upper=evidence.prior.upper,
    )
    return archive.getvalue()


def from_bytes(data: bytes) -> RunEvidence:
    """Return what an archive holds.

    Raises:
        ConfigurationError: It is damaged.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            if set(archive.files) != NAMES:
                raise ValueError("other arrays than such an archive has")
            found = {name: archive[name] for name in NAMES}
        p = len(found["lasting"])
        factor = np.zeros((p + 11, p + 11))
        factor[np.triu_indices(p + 11)] = found["factor"]
        now = np.zeros(len(found["b"]))
        A, A_error, B, b, d = (found[name] for name in ROWS)
        rows = RowBlock(A, A_error, B, b, d, found["joint"], now, now)
        if rows.A.shape != (len(rows), 10) or rows.B.shape != (len(rows), p):
            raise ValueError("arrays of shapes that do not go together")
        return RunEvidence(
            arm=str(found["arm"]),
            lasting=found["lasting"],
            rows=rows,
            interval=Interval(found["interval_lower"], found["interval_upper"]),
            prior=Interval(found["prior_lower"], found["prior_upper"]),
            shape=found["shape"],
            factor=factor,
            count=float(found["count"]),
        )
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ConfigurationError(
            "What a result keeps for others of its payload is damaged: "
            f"{shortened(in_words(error))}. Remove that result, and run again."
        ) from error
