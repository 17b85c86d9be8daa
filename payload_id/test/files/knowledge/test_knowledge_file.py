"""Files of knowledge, and how statements are kept beside a recording."""

import dataclasses

import numpy as np
import yaml

from known_payloads import KINDS, draw
from payload_id.core.knowledge.catalogue import knowledge_of
from payload_id.files.knowledge.knowledge_file import read_knowledge


def plain(value):
    """Return a member of the catalogue as YAML has it."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain(entry) for entry in value]
    return float(value) if isinstance(value, (int, float, np.floating)) else value


def test_file_says_what_the_catalogue_says(tmp_path):
    path = tmp_path / "knowledge.yaml"
    for kind in KINDS:
        known, _ = draw(kind, np.random.default_rng(1))
        path.write_text(yaml.safe_dump({"the part": {"kind": kind, **plain(known)}}))
        assert read_knowledge(path) == knowledge_of({"the part": known})
