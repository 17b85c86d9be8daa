"""A team's runs without ROS: bounded queues, errors that end nothing, losses that are told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from payload_id.core.codec import digest
from payload_id.core.identification.status import Status
from payload_id.core.team.estimate import GraspedPayload
from payload_id.core.team.online import TeamSettings
from payload_id.core.team.samples import RobotSamples
from payload_id.files.teams.team_file import TeamFile
from payload_id.files.teams.team_run import SavedTeamRun
from payload_id.ros.runs.run_control import RunControl
from payload_id.ros.team.live_team import LiveTeam
from payload_id.ros.team.markers import team_markers
from payload_id.ros.team.member import Member
from payload_id.ros.team.messages import (
    share_message,
    shares_of,
    team_message,
)
from payload_id.ros.team.robot_messages import RobotMessages
from team_messages import EPOCH

SETTINGS = TeamSettings(intervals="none")


@pytest.fixture
def team(tmp_path) -> TeamFile:
    path = tmp_path / "team.yaml"
    path.write_text("name: two\nevery_robot: {source: topics}\nrobots: {one: {}, two: {}}\n")
    return TeamFile.load(path)


class Runs:
    """Makes controls, and closes them."""

    def __init__(self, team: TeamFile) -> None:
        self.team, self.made = team, []

    def __call__(self, capacity=10_000, log_most=10**7) -> RunControl:
        self.reports = []
        run = LiveTeam(self.team, lambda: SETTINGS, 0.0, log_most)
        self.made.append(run)
        return RunControl(run, capacity, self.reports.append)


@pytest.fixture
def runs(team):
    made = Runs(team)
    yield made
    for run in made.made:
        run.close()


def heard(name="one", start=0.0, count=50, guided=False, yaw=0.0) -> RobotMessages:
    """Return messages of a robot at rest that carries 10 N."""
    t = EPOCH + (1e9 * (start + np.arange(count) / 100)).astype(np.int64)
    pose = np.tile([0, 0, 0, 0, 0, np.sin(yaw), np.cos(yaw)], (count, 1))
    wrench = np.tile([0, 0, 10.0, 0, 0, 0], (count, 1))
    rows = {"pose": pose, "twist": np.zeros((count, 6)), "wrench": wrench}
    return RobotMessages(name, dict.fromkeys(rows, t), rows, guided)


def test_what_exceeds_the_queue_is_lost_and_counted_and_nothing_else(runs):
    control = runs(capacity=1000)
    assert control.start().success
    for k in range(20):
        control.write(heard(start=k))  # 150 messages each
    waiting = control.queue.size
    assert waiting <= 1000
    control.drain()
    assert waiting + control.run.lost == 20 * 150 and control.queue.size == 0


def test_what_came_after_a_call_is_not_taken_in_with_what_came_before(runs):
    control = runs()
    control.start()
    control.write(heard())
    by_now = control.queue.written
    control.write(heard(start=0.5))
    assert control.drain(by_now) and control.queue.size == 150
    assert not control.drain(by_now)
    control.reset()
    assert control.queue.size == 150 and control.drain() and control.running
    control.write(heard(start=1.0))
    control.stop()
    assert control.queue.size == 0


def test_an_error_while_estimating_is_told_and_the_run_goes_on(runs):
    control = runs()
    control.start()
    control.write(heard())
    control.drain()
    control.fail("Unexpected error.")
    assert control.report.status is Status.SOLVER_FAILED
    message = team_message(control.report, runs.team, list)
    assert message.message == "Unexpected error."
    control.write(heard(start=0.5))
    assert control.advance() or control.advance()
    assert control.report.status is not Status.SOLVER_FAILED
    assert control.doing.failures == 1


def test_a_run_that_grows_too_large_goes_on_and_says_that_it_cannot_be_saved(runs, tmp_path):
    control = runs(log_most=2000)
    control.start()
    for name in ("one", "two"):
        control.write(heard(name))
    control.drain()
    control.advance()
    assert "recording_most" in control.run.loss
    assert control.report.estimate is not None
    said = control.save(lambda: control.run.save(tmp_path / "run"))
    assert not said.success
    assert "recording_most" in said.message
    assert not list((tmp_path / "run").glob("*.yaml"))
    assert control.reset().success
    assert control.run.loss == ""


def test_guidance_and_departures_are_repeated_with_the_run(runs, tmp_path):
    control = runs()
    control.start()
    for k in range(8):
        for name in ("one", "two"):
            control.write(heard(name, 0.5 * k, guided=2 <= k < 4, yaw=0.01 * k))
        control.advance()
    assert control.carry_out(lambda: control.run.let_go("two", True)).success
    assert not control.carry_out(lambda: control.run.let_go("two", True)).success
    control.write(heard("one", 4.0))
    control.stop()
    assert control.save(lambda: control.run.save(tmp_path / "run")).success
    saved = SavedTeamRun.load(tmp_path / "run")
    assert digest(saved.repeat(tmp_path / "run")) == digest(saved.result)


def test_where_nothing_is_known_no_robot_is_told_to_compensate(runs):
    control = runs()
    for share in shares_of(control.report, runs.team):
        assert not share.valid
        assert share.message
        assert np.isnan(share.mass)
        assert share.mass_share_upper == np.inf
    markers = team_markers(control.report, runs.team).markers
    assert [x.text for x in markers if x.text] == ["WAITING"]


@pytest.mark.parametrize(("part", "valid"), [(0.05, True), (0.4, True), (0.6, False)])
def test_no_robot_compensates_for_a_centre_of_mass_that_may_be_anywhere(runs, part, valid):
    """Bounds of more than half of the prior's com_max say next to nothing."""
    reach = part * runs.team.prior.com_max
    phi = np.array([2.0, 0.2, 0.0, 0.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0])
    half_width = np.array([1e-9, *[2.0 * reach] * 3, *[0.1] * 6])
    payload = GraspedPayload("one", phi, phi - half_width, phi + half_width)
    report = replace(runs().report, status=Status.TOO_WIDE)
    share = share_message(report, runs.team, "one", payload)
    assert share.valid == valid
    assert share.mass == 2.0 and (f"± {reach:.3g} m" in share.message) == (not valid)


def test_a_clock_that_is_set_back_is_named(runs):
    control = runs()
    control.start()
    control.write(heard(start=100.0))
    control.write(heard(start=0.0, count=100))
    control.drain()
    assert "set back" in control.report.members["one"].clock_doubt


def test_many_messages_without_a_sample_are_named(runs):
    control = runs()
    control.start()
    whole = heard(count=400)
    del whole.rows["pose"], whole.stamps["pose"]
    control.write(whole)
    control.drain()
    said = control.report.members["one"].barrenness
    assert "No sample came of" in said and "nothing came on /one/grasp/pose" in said


@pytest.mark.parametrize("heard_until", [0.0, 5.0, 99.0])
def test_an_imu_that_begins_late_or_falls_silent_is_used_while_it_is_there(tmp_path, heard_until):
    path = tmp_path / "imu.yaml"
    path.write_text(
        "name: two\nevery_robot: {source: topics, imu: {topic: imu}}\nrobots: {a: {}, b: {}}\n"
    )
    member, found = Member(TeamFile.load(path).robots[0]), []
    for k in range(24):
        part = heard("a", 0.5 * k)
        if 0.5 * k < heard_until or k > 18:
            part.stamps["imu"] = part.stamps["pose"]
            part.rows["imu"] = np.ones((50, 6))
        found += member.take(part, EPOCH)
    whole = RobotSamples.stacked(found)
    read = np.isfinite(whole.imu_angular_velocity).all(axis=1)
    assert read[whole.time > 10.0].all()
    assert read[whole.time < heard_until - 0.5].all()
    assert not read[(whole.time > heard_until + 0.5) & (whole.time < 8.5)].any()
    assert member.samples == len(whole)
