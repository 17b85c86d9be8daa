"""Files of knowledge, and how statements are kept beside a recording."""

import dataclasses

import numpy as np
import yaml

from known_payloads import KINDS, draw
from payload_id.core.knowledge.catalogue import CATALOGUE, knowledge_of
from payload_id.files.knowledge.knowledge_file import read_knowledge
from payload_id.files.knowledge.knowledge_schema import SCHEMAS


def plain(value):
    """Return a member of the catalogue as YAML has it."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain(entry) for entry in value]
    return float(value) if isinstance(value, (int, float, np.floating)) else value


def test_every_kind_of_the_catalogue_has_its_keys():
    assert SCHEMAS.keys() == CATALOGUE.keys()
    for kind, schema in SCHEMAS.items():
        assert {field.name for field in dataclasses.fields(CATALOGUE[kind])} == schema.keys()


def test_file_says_what_the_catalogue_says(tmp_path):
    path = tmp_path / "knowledge.yaml"
    for kind in KINDS:
        known, _ = draw(kind, np.random.default_rng(1))
        path.write_text(yaml.safe_dump({"the part": {"kind": kind, **plain(known)}}))
        assert read_knowledge(path) == knowledge_of({"the part": known})
