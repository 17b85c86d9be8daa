"""Files of certificates as somebody makes them who knows how their digests are made."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def digest(entries: Any) -> str:
    """Return the digest of plain values as certificates state it."""
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()
