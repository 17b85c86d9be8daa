"""Team files: what they say, and sentences for what they cannot say."""

import pytest

from payload_id.files.configuration.package_data import shipped
from payload_id.files.teams.team_file import TeamFile

TWO = "name: two\nrobots:\n  one: {}\n  two: {}\n"


def load(folder, text):
    path = folder / "team.yaml"
    path.write_text(text)
    return TeamFile.load(path)


@pytest.mark.parametrize("name", shipped("teams"))
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
        "every_robot: {rate: 50.0, mechanism: {lower_leg: 0.3},\n"
        "              bounds: {friction: 0.5, clock: 0.1}}\n"
        "robots:\n"
        "  one: {mechanism: {spring: 800.0}, bounds: {friction: 0.7}}\n"
        "  two: {source: topics, namespace: /hall/arm, topics: {wrench: /sensor/wrench}}\n",
    )
    one, two = team.robots
    assert (one.bounds.friction, one.bounds.clock) == (0.7, 0.1)
    assert (one.mechanism.spring, one.mechanism.delta.lower_leg) == (800.0, 0.3)
    assert (two.bounds.friction, two.rate) == (0.5, 50.0)
    assert two.topics["wrench"] == "/sensor/wrench"
    assert two.topics["pose"] == "/hall/arm/grasp/pose"
