"""The file of a team's run: entries of another kind are refused by name."""

from contextlib import closing
from dataclasses import asdict

import pytest
import yaml

from payload_id.core.arrays import plain_values
from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import ConfigurationError
from payload_id.core.team.bounds import RobotBounds
from payload_id.core.team.online import TeamSettings
from payload_id.files.teams.team_log import TeamLog, Updated
from payload_id.files.teams.team_run import FILE_NAME, LOG_NAME, SavedTeamRun, _digest


@pytest.fixture
def entries(tmp_path):
    with closing(TeamLog(1000)) as log, (tmp_path / LOG_NAME).open("wb") as file:
        log.write(Updated())
        log.copy_to(file)
    return {
        "names": ["a", "b"],
        "bounds": {name: RobotBounds().to_dict() for name in "ab"},
        "prior": asdict(PayloadPrior()),
        "settings": plain_values(asdict(TeamSettings())),
        "start_ns": 10**18,
        "sha256": _digest(tmp_path / LOG_NAME),
        "result": {},
        "software_version": "0",
    }


def test_sound_entries_are_read(tmp_path, entries):
    (tmp_path / FILE_NAME).write_text(yaml.safe_dump(entries))
    assert SavedTeamRun.load(tmp_path).run.start_ns == 10**18


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("names", "ab"), ("names", [1, 2]), ("names", ["a"]), ("bounds", [1]), ("bounds", None),
        ("settings", None), ("start_ns", 1.5), ("start_ns", float("inf")), ("start_ns", True),
        ("result", [1]), ("result", None), ("sha256", 5), ("software_version", 1),
    ],
)  # fmt: skip
def test_an_entry_of_another_kind_is_refused_by_name(tmp_path, entries, key, value):
    (tmp_path / FILE_NAME).write_text(yaml.safe_dump(entries | {key: value}))
    with pytest.raises(ConfigurationError, match=f"{key}|bounds of") as error:
        SavedTeamRun.load(tmp_path)
    assert FILE_NAME in str(error.value) and "\n" not in str(error.value)
