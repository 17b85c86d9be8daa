"""Saved certificates: a value that is written otherwise than it was saved is a change."""

import copy
import json

import pytest

from certificates import saved_certificate
from command_line import run_without_ros
from payload_id.core.errors import ConfigurationError
from payload_id.core.safety.certificate.certificate import digest_of
from payload_id.files.runs.certificate_file import load_certificate
from safety_scenes import gen3

OTHERS = (None, "0", True, [], {}, [[1]])


def places(content, path=()):
    """Yield the places of all entries; of a list, those of the first two."""
    entries = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in list(entries)[: None if isinstance(content, dict) else 2]:
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))


def at(content, place):
    """Return an entry."""
    for key in place:
        content = content[key]
    return content


def changed(content, place, value):
    """Return a content with one entry replaced, its digest made anew as a forger does."""
    content = copy.deepcopy(content)
    at(content, place[:-1])[place[-1]] = value
    content["digest"] = digest_of({k: v for k, v in content.items() if k != "digest"})
    return content


def judged(path, content):
    """Return the certificate if it can be read at all."""
    path.write_text(json.dumps(content))
    try:
        return load_certificate(path)
    except ConfigurationError:
        return None


def claims(saved):
    """Return what a repeated proof is compared with: margins, and the case's digests."""
    margins = [(margin.value, margin.used) for margin in saved.certificate.margins]
    return margins, saved.case(gen3()[1]).digests


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS, ids=map(repr, OTHERS))
def test_another_kind_of_value_is_refused_or_a_change_everywhere(tmp_path, other):
    content = json.loads(saved_certificate(tmp_path / "c.json").read_text())
    assert load_certificate(tmp_path / "c.json").intact
    sound = claims(load_certificate(tmp_path / "c.json"))
    for place in places(content):
        if place == ("digest",) or type(at(content, place)) is type(other):
            continue
        found = judged(tmp_path / "d.json", changed(content, place, other))
        said = None if found is None else claims(found)  # whatever it says can be compared
        # Endless limits and margins are null: of those the repeated proof finds others.
        assert found is None or not found.intact or said != sound, place


@pytest.mark.slow
def test_a_margin_that_is_null_is_not_verified(tmp_path, capsys):
    content = json.loads(saved_certificate(tmp_path / "c.json").read_text())
    margins = content["certificate"]["margins"]
    k = next(k for k, margin in enumerate(margins) if margin["value"] is not None)
    place = ("certificate", "margins", k, "value")
    (tmp_path / "d.json").write_text(json.dumps(changed(content, place, None)))
    done = run_without_ros(capsys, "verify", tmp_path / "d.json", "--samples", 10, "--json")
    assert done.returncode == 1, done.stderr
    assert not json.loads(done.stdout)["verified"]


@pytest.mark.slow
def test_a_number_beyond_all_use_is_refused_by_its_place(tmp_path):
    content = json.loads(saved_certificate(tmp_path / "c.json").read_text())
    numbers = [place for place in places(content) if isinstance(at(content, place), float)]
    assert len(numbers) > 50
    for place in numbers:
        (tmp_path / "d.json").write_text(json.dumps(changed(content, place, -1e300)))
        with pytest.raises(ConfigurationError, match="is -1e.300; at most 1e.12") as error:
            load_certificate(tmp_path / "d.json")
        assert ".".join(map(str, place)) in str(error.value)
