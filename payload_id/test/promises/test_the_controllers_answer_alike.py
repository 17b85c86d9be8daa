"""The simulated arm and the real controllers of ros2_control answer the same questions alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from payload_id import RobotFile

from . import controllers as ask
from .nodes import NodeProcess, next_domain
from .real_controllers import ABSENT, RealControllers, installation

ROBOT = RobotFile.load("kinova_gen3")
PAGE = Path(__file__).parents[3] / "docs" / "nodes.md"
REAL = pytest.param("real", marks=pytest.mark.skipif(installation() is None, reason=ABSENT))
pytestmark = pytest.mark.slow  # an arm in real time


@pytest.fixture(scope="module", params=["simulated", REAL])
def asker(request: pytest.FixtureRequest, tmp_path_factory) -> Iterator[ask.Asker]:
    folder, domain = tmp_path_factory.mktemp(request.param), next_domain()
    if request.param == "real":
        driver = ROBOT.driver
        arm = RealControllers(
            installation(), folder, domain, ROBOT, 250, driver.controller.command_interfaces,
            driver.exported, forward=True,
        )  # fmt: skip
    else:
        arm = NodeProcess("simulated_arm", domain, folder, rate=100.0)
    asker = ask.Asker(domain, ROBOT)
    yield asker
    asker.close()
    assert arm.stop() == 0
    assert request.param == "real" or "Traceback" not in arm.printed


def test_which_goals_are_taken_and_how_they_end(asker):
    assert not ask.wrong(asker, ask.GOALS)


def test_which_tolerances_count(asker):
    assert not ask.wrong(asker, ask.TOLERANCES)


def test_what_is_said_of_a_goal_in_motion_and_after_its_cancelling(asker):
    assert not ask.wrong(asker, ask.IN_MOTION)


def test_what_a_trajectory_of_the_topic_does(asker):
    assert not ask.wrong(asker, ask.BY_TOPIC)


def test_which_controllers_and_interfaces_are_listed(asker):
    assert not ask.wrong(asker, ask.LISTED)


def test_how_controllers_are_switched(asker):
    assert not ask.wrong(asker, ask.SWITCHES)


def test_what_is_heard_and_with_which_quality_of_service(asker):
    assert not ask.wrong(asker, ask.HEARD)


def test_the_page_has_every_question():
    page, texts = PAGE.read_text("utf-8"), [x.text for x in ask.QUESTIONS]
    assert len(set(texts)) == len(texts) >= 40
    assert not [text for text in texts if text not in page]
