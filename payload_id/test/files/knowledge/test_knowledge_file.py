"""Files of knowledge, and how statements are kept beside a recording."""

import dataclasses

import cvxpy as cp
import numpy as np
import pytest
import yaml

from known_payloads import KINDS, draw
from payload_id.core.errors import ConfigurationError, InputError
from payload_id.core.knowledge.catalogue import CATALOGUE, knowledge_of
from payload_id.core.knowledge.convex import stated
from payload_id.core.knowledge.knowledge import NOTHING
from payload_id.files.knowledge import statement_file
from payload_id.files.knowledge.knowledge_file import read_knowledge
from payload_id.files.knowledge.knowledge_schema import SCHEMAS
from payload_id.files.knowledge.statement_file import load_knowledge, save_knowledge
from payload_id.files.runs.run_file import RunFile


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


@pytest.mark.parametrize("kind", KINDS)
def test_file_says_what_the_catalogue_says(kind, tmp_path):
    known, _ = draw(kind, np.random.default_rng(1))
    path = tmp_path / "knowledge.yaml"
    path.write_text(yaml.safe_dump({"the part": {"kind": kind, **plain(known)}}))
    assert read_knowledge(path) == knowledge_of({"the part": known})


@pytest.mark.parametrize(
    "text, said",
    [
        ("part: 3", "'part'.*section with 'kind'"),
        ("part: {mass: 3}", "'part'.*section with 'kind'"),
        ("part: {kind: known_mas, mass: 3}", "Did you mean 'known_mass'"),
        ("part: {kind: known_mass}", "part.mass.*missing"),
        ("part: {kind: known_mass, mass: 1.0, tolerence: 0.1}", "tolerence.*tolerance"),
        ("part: {kind: known_mass, mass: -1.0}", "part.mass.*kg"),
        ("part: {kind: centre_in_box, lower: [0, 0, 1], upper: [0, 0, 0]}", "'part': lower"),
        ("part: {kind: symmetric_about_axis, point: [0, 0], direction: [0, 0, 1]}", "point"),
        (
            "part: {kind: made_of, density_max: 1, region: {shape: box, size: [1]}}",
            "size must be 3",
        ),
        ("", "keys and values"),
    ],
)
def test_errors_say_what_is_wrong_and_where(text, said, tmp_path):
    path = tmp_path / "knowledge.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_knowledge(path)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="nowhere.yaml"):
        read_knowledge(tmp_path / "nowhere.yaml")


def test_statements_survive_to_the_last_bit(tmp_path):
    def own(phi):
        return [cp.sum_squares(phi[1:4]) <= 0.01, cp.norm(phi[4:]) <= cp.min(phi[:1])]

    known, _ = draw("filled_container", np.random.default_rng(2))
    both = knowledge_of({"tüb": known}).with_more(stated(own))
    loaded = load_knowledge(save_knowledge(tmp_path / "knowledge.npz", both))
    assert loaded == both and loaded.names == both.names
    assert loaded != NOTHING


def test_run_file_keeps_statements(tmp_path):
    known, _ = draw("symmetric_about_axis", np.random.default_rng(2))
    run = RunFile(("joint",), "flange", "<robot/>", knowledge=knowledge_of({"axis": known}))
    run.save(tmp_path)
    assert RunFile.load(tmp_path) == run
    assert dataclasses.replace(run, knowledge=NOTHING) != run


def test_run_without_statements_has_no_file_of_them(tmp_path):
    RunFile(("joint",), "flange", "<robot/>").save(tmp_path)
    assert RunFile.load(tmp_path).knowledge == NOTHING
    assert [path.name for path in tmp_path.glob("*knowledge*")] == []


def test_damaged_file_is_named(tmp_path):
    (tmp_path / "knowledge.npz").write_bytes(b"nonsense")
    with pytest.raises(ConfigurationError, match="knowledge.npz"):
        load_knowledge(tmp_path / "knowledge.npz")


@pytest.mark.parametrize("number", [0, 2, None, "1"])
def test_another_format_is_refused(tmp_path, monkeypatch, number):
    monkeypatch.setattr(statement_file, "FORMAT", number)
    path = save_knowledge(tmp_path / "knowledge.npz", NOTHING)
    monkeypatch.undo()
    with pytest.raises(ConfigurationError, match="this version reads 1"):
        load_knowledge(path)
