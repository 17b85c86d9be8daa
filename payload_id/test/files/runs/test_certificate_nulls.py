"""Saved certificates: a value that is written otherwise than it was saved is a change."""

import copy
import json

import numpy as np
import pytest

from certificates import saved_certificate
from command_line import run_without_ros
from payload_id.core.errors import ConfigurationError
from payload_id.core.safety.certificate.certificate import digest_of
from payload_id.files.runs.certificate_file import load_certificate
from safety_scenes import gen3

OTHERS = (None, "0", True, [], {}, [[1]], -1e300)


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = saved_certificate(tmp_path_factory.mktemp("saved") / "c.json")
    assert load_certificate(path).intact
    return json.loads(path.read_text())


def places(content, path=()):
    """Yield the places of all entries; of a list, those of the first two."""
    entries = content.items() if isinstance(content, dict) else list(enumerate(content))[:2]
    for key, value in entries:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def at(content, place):
    for key in place:
        content = content[key]
    return content


def changed(path, content, place, value):
    """Write a content with one entry replaced, its digest made anew as a forger does."""
    content = copy.deepcopy(content)
    at(content, place[:-1])[place[-1]] = value
    content["digest"] = digest_of({k: v for k, v in content.items() if k != "digest"})
    path.write_text(json.dumps(content))
    return path


def claims(saved):
    """Return what a repeated proof is compared with: margins, and the case's digests."""
    margins = [(margin.value, margin.used) for margin in saved.certificate.margins]
    return margins, saved.case(gen3()[1]).digests


@pytest.mark.slow
def test_another_kind_of_value_is_refused_by_its_place_or_a_change(tmp_path, content):
    (tmp_path / "c.json").write_text(json.dumps(content))
    sound, tried = claims(load_certificate(tmp_path / "c.json")), 0
    for number, place in enumerate(places(content)):
        value, other = at(content, place), OTHERS[number % len(OTHERS)]
        if place == ("digest",) or type(value) is type(other) and other != -1e300:
            continue
        tried += 1
        try:
            found = load_certificate(changed(tmp_path / "d.json", content, place, other))
            # Endless limits and margins are null: of those the repeated proof finds others.
            assert not found.intact or claims(found) != sound, place
        except ConfigurationError as error:
            assert other != -1e300 or ".".join(map(str, place)) in str(error)
    assert tried > 100


@pytest.mark.slow
def test_a_margin_that_is_null_is_not_verified(tmp_path, capsys, content):
    margins = [margin["value"] for margin in content["certificate"]["margins"]]
    k = int(np.flatnonzero([value is not None for value in margins])[0])
    place = ("certificate", "margins", k, "value")
    path = changed(tmp_path / "d.json", content, place, None)
    done = run_without_ros(capsys, "verify", path, "--samples", 10, "--json")
    assert done.returncode == 1 and not json.loads(done.stdout)["verified"]
