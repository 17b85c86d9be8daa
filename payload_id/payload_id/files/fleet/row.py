"""One row of the table of results: what a recording, or a stretch of one, says."""

from __future__ import annotations

import pyarrow as pa

from ...core.body.inertial import PARAMETERS
from ...core.fleet import KINDS
from ...core.identification.status import FAILED, Status

PER_JOINT = pa.list_(pa.float64())
BLAME = pa.struct(
    [("joint", pa.string()), ("start", pa.float64()), ("end", pa.float64()),
     ("share", pa.float64())]
)  # fmt: skip
# What is said of a recording, beside what its data say: may change without identifying again.
LABELS = {
    "bag": pa.string(),
    "copies": pa.list_(pa.string()),
    "payload": pa.string(),
    "known_mass": pa.float64(),
    "temperature": pa.float64(),
}
NUMBERS = {f"{name}{end}": pa.float64() for name in PARAMETERS for end in ("", "_lower", "_upper")}
HEALTH = {f"{kind}{end}": PER_JOINT for kind in KINDS for end in ("", "_deviation")}
SCHEMA = pa.schema(
    {
        **LABELS,
        "segment": pa.int32(),
        "start": pa.float64(),
        "end": pa.float64(),
        "began": pa.timestamp("us", "UTC"),
        "error": pa.string(),
        "verdict": pa.string(),
        "message": pa.string(),
        **NUMBERS,
        "noise_factor": pa.float64(),
        "cause": pa.string(),
        "blame": pa.list_(BLAME),
        "residual_rms": pa.float64(),
        "joints": pa.list_(pa.string()),
        "joint_noise": PER_JOINT,
        **HEALTH,
        "samples": pa.int64(),
        "false_samples": pa.map_(pa.string(), pa.int64()),
        "windows": pa.int64(),
        "seconds": pa.float64(),
        "rate": pa.float64(),
        "left_out": pa.map_(pa.string(), pa.int64()),
        "notes": pa.list_(pa.string()),
        "tare": pa.list_(pa.string()),
        "settings": pa.string(),
        "robot_digest": pa.string(),
        "content": pa.string(),
        "key": pa.string(),
        "software": pa.string(),
        "seconds_used": pa.float64(),
        "evidence": pa.binary(),
    }
)
WITH_INTERVALS = tuple(status.value for status in Status if status not in (*FAILED, Status.WAITING))
PARTITION = pa.schema({"robot": pa.string(), "day": pa.string()})
EVERYTHING = pa.schema([*SCHEMA, *PARTITION])
