"""Payload files: statements, and a mesh in its pose."""

import dataclasses
import os

import numpy as np
import pytest
import trimesh
import yaml

from known_payloads import KINDS, draw
from payload_id.core.errors import ConfigurationError
from payload_id.core.knowledge.catalogue import knowledge_of
from payload_id.files.payload.payload_file import KnownOfPayload, read_payload


def plain(value):
    """Return a member of the catalogue as YAML has it."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain(entry) for entry in value]
    return float(value) if isinstance(value, (int, float, np.floating)) else value


def test_file_says_what_the_catalogue_says(tmp_path):
    path = tmp_path / "payload.yaml"
    for kind in KINDS:
        known, _ = draw(kind, np.random.default_rng(1))
        path.write_text(yaml.safe_dump({"the part": {"kind": kind, **plain(known)}}))
        assert read_payload(path) == KnownOfPayload(None, knowledge_of({"the part": known}))


def test_a_mesh_is_read_in_its_units_and_pose_and_again_when_it_has_changed(tmp_path):
    path, mesh = tmp_path / "payload.yaml", tmp_path / "box.stl"
    trimesh.creation.box([200.0, 100.0, 50.0]).export(mesh)
    keys = "file: box.stl, scale: 0.001, position: [1, 0, 0], rpy: [0, 0, 1.5707963], density: 0.1"
    path.write_text(f"outside: {{kind: shape, {keys}}}")
    shape = read_payload(path).shape
    np.testing.assert_allclose(shape.solid[:4], [1.0, 1.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(np.ptp(shape.points, axis=0), [0.08, 0.18, 0.03], atol=0.02)
    assert read_payload(path).shape is shape
    trimesh.creation.box([300.0, 100.0, 50.0]).export(mesh)
    os.utime(mesh, ns=(1, 1))
    assert read_payload(path).shape.box.max() > 0.29
    with pytest.raises(ConfigurationError, match="line 2.*second shape"):
        path.write_text("a: &a {kind: shape, file: box.stl, scale: 0.001}\nb: *a")
        read_payload(path)
