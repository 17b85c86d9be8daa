"""What an arm had before is taken back as it was kept, or not at all."""

import json
import random

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.files.export.load_record import LoadRecord, record_path

RECORD = LoadRecord("xarm", "/set_load", "2026-11-23", {"mass": 1.25}, {"mass": 0.5, "z": 30.0})


def test_a_record_comes_back(tmp_path):
    RECORD.save(tmp_path / "record.json")
    assert LoadRecord.load(tmp_path / "record.json", "xarm") == RECORD


def test_arms_in_different_namespaces_have_different_records(tmp_path):
    places = [
        record_path(tmp_path, "ur", x) for x in ("", "/a_b", "/a/b", "/a", "/a/b_c", "/a_b/c")
    ]
    assert len({*places}) == len(places)


def test_no_changed_bit_sends_another_load(tmp_path):
    path, random_ = tmp_path / "record.json", random.Random(2)
    RECORD.save(path)
    whole = path.read_bytes()
    for _ in range(300):
        changed = bytearray(whole)
        changed[random_.randrange(len(whole))] ^= 1 << random_.randrange(8)
        path.write_bytes(changed)
        try:
            found = LoadRecord.load(path, "xarm")
        except ConfigurationError as error:
            assert str(path) in str(error)
        else:
            assert found == RECORD  # a space or line break between entries


def test_a_record_without_digest_or_with_another_number_is_refused(tmp_path):
    path = tmp_path / "record.json"
    RECORD.save(path)
    entries = json.loads(path.read_text())
    for change in ({"before": {"mass": 1e300}}, {"digest": None}, {"digest": 1.0}):
        path.write_text(json.dumps({**entries, **change}))
        with pytest.raises(ConfigurationError, match="was changed after it was written"):
            LoadRecord.load(path, "xarm")


def test_a_record_of_another_arm_is_refused(tmp_path):
    RECORD.save(tmp_path / "record.json")
    with pytest.raises(ConfigurationError, match="for xarm, not for ur"):
        LoadRecord.load(tmp_path / "record.json", "ur")
