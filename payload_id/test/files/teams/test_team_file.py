"""Team files: what they say, and sentences for what they cannot say."""

import numpy as np
import pytest

from payload_id.core.errors import ConfigurationError, UnknownNameError
from payload_id.files.teams.team_file import TeamFile, team_names

TWO = "name: two\nrobots:\n  one: {}\n  two: {}\n"


def load(folder, text):
    path = folder / "team.yaml"
    path.write_text(text)
    return TeamFile.load(path)


@pytest.mark.parametrize("name", team_names())
def test_shipped_teams_can_be_read(name):
    team = TeamFile.load(name)
    assert len(team.robots) >= 2
    assert team.bounds.of(team.names[-1]) == team.robots[-1].bounds


def test_names_make_namespaces_topics_and_frames(tmp_path):
    team = load(tmp_path, TWO)
    assert team.robots[1].topics == {"joint_states": "/two/joint/joint_states"}
    assert team.robots[1].grasp_frame == "two/grasp"
    assert team.robots[0].rate == 100.0


def test_a_robot_says_only_what_differs(tmp_path):
    team = load(
        tmp_path,
        "name: mixed\n"
        "every_robot: {rate: 50.0, bounds: {friction: 0.5, clock: 0.1}}\n"
        "robots:\n"
        "  one: {bounds: {friction: 0.7}}\n"
        "  two: {source: topics, namespace: /hall/arm, topics: {wrench: /sensor/wrench}}\n",
    )
    one, two = team.robots
    assert (one.bounds.friction, one.bounds.clock) == (0.7, 0.1)
    assert (two.bounds.friction, two.rate) == (0.5, 50.0)
    assert two.topics["wrench"] == "/sensor/wrench"
    assert two.topics["pose"] == "/hall/arm/grasp/pose"


def test_a_mechanism_is_that_of_the_file(tmp_path):
    team = load(
        tmp_path, TWO.replace("one: {}", "one: {mechanism: {spring: 800.0, lower_leg: 0.3}}")
    )
    one, two = (robot.mechanism for robot in team.robots)
    assert (one.spring, one.delta.lower_leg) == (800.0, 0.3)
    assert np.isnan(two.spring)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name: x\nrobots:\n  one: {}\n", "2 to 32 robots"),
        (TWO + "  one/two: {}\n", "letters, digits"),
        (TWO.replace("one: {}", "one: {namespace: omnid}"), "like /omnid1"),
        (TWO.replace("one: {}", "one: {namespace: /two}"), "both have"),
        (TWO.replace("one: {}", "one: {rate: fast}"), "rate"),
        (TWO.replace("one: {}", "one: {bonds: {}}"), "Did you mean"),
        (TWO.replace("one: {}", "one: {bounds: {force_relative: 2.0}}"), "fraction"),
        (TWO.replace("one: {}", "one: {topics: {wrench_sign: 0.5}}"), "1 or -1"),
        (
            TWO.replace("one: {}", "one: {source: joint_states, joint_states: {effort_sign: 0.3}}"),
            "effort_sign of robot one must be 1 or -1",
        ),
        (
            TWO.replace("one: {}", "one: {mechanism: {gravity: [0, 0, 0]}}"),
            "gravity must have a size",
        ),
        (
            TWO.replace("one: {}", "one: {mechanism: {base_radius: 0.9, upper_leg: 0.2}}"),
            "do not reach from its base",
        ),
        (TWO.replace("one: {}", "one: {joint_states: {topic: 'a b'}}"), "is no name"),
        (TWO.replace("one: {}", "one: {joint_states: {after: [gimbal_x, b, c]}}"), "twice"),
        (TWO.replace("one: {}", "one: {mechanism: {leg_angles: [0, 0, 1]}}"), "same angle"),
        (TWO + "prior: {mass_max: 0}\n", "mass_max"),
    ],
)
def test_what_cannot_be_is_said(tmp_path, text, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        load(tmp_path, text)


def test_an_unknown_name_lists_the_known_ones(tmp_path):
    with pytest.raises(ConfigurationError, match="omnids"):
        TeamFile.load("omnid")
    with pytest.raises(UnknownNameError, match="one, two"):
        load(tmp_path, TWO).robot("three")


@pytest.mark.parametrize("path", [None, 3, ["omnid"], b"omnid"])
def test_what_is_no_path_is_told(path):
    with pytest.raises(ConfigurationError, match="found"):
        TeamFile.load(path)
