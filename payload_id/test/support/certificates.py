"""Certificates on disk, for tests of what reads and signs them."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from payload_id.core.motion.fourier import FourierSeries
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.certificate.certify import certify
from payload_id.core.safety.certificate.safety_case import SafetyCase
from payload_id.core.safety.clearance.convex_body import ConvexBody
from payload_id.files.runs.certificate_file import save_certificate
from payload_id.files.runs.signing_key import SigningKey
from safety_scenes import gen3, gen3_case, motion

CELL = "none, a test"


@lru_cache
def certified(seed: int = 0) -> tuple[Certificate, SafetyCase, FourierSeries]:
    """Return a certified motion of a Gen3 above the ground."""
    case = gen3_case((ConvexBody.ground(-0.05),))
    path = motion(gen3()[0].home, np.random.default_rng(seed))
    certificate = certify(case, path)
    assert isinstance(certificate, Certificate), certificate
    return certificate, case, path


def saved_certificate(path: Path, key: SigningKey | None = None, seed: int = 0) -> Path:
    """Write the certificate of a motion; return its path."""
    return save_certificate(path, *certified(seed), gen3()[0], CELL, key)
