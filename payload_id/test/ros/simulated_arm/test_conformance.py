"""The simulated arm and the real controllers of ros2_control answer the same questions alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance import QUESTIONS, Asker
from harness import NodeProcess
from payload_id.files.robots.robot_file import RobotFile
from real_controllers import ABSENT, RealControllers, installation
from ros_domain import next_domain

ROBOT = RobotFile.load("kinova_gen3")
DOMAIN = next_domain()
REAL = pytest.param(
    "real", marks=[pytest.mark.slow, pytest.mark.skipif(installation() is None, reason=ABSENT)]
)


@pytest.fixture(scope="module", params=["simulated", REAL])
def asker(request, tmp_path_factory) -> Iterator[Asker]:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "real":
        domain = next_domain()
        driver = ROBOT.driver
        arm = RealControllers(
            installation(), folder, domain, ROBOT, 250, driver.controller.command_interfaces,
            driver.exported, forward=True,
        )  # fmt: skip
    else:
        domain = DOMAIN
        arm = NodeProcess("simulated_arm", domain, folder / "arm.log", rate=100.0)
    asker = Asker(domain, ROBOT)
    yield asker
    asker.close()
    assert arm.stop() == 0
    assert request.param == "real" or "Traceback" not in arm.printed()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.text)
def test_the_answer_is_that_of_the_real_controllers(asker, question):
    assert question.ask(asker) == question.answer


@pytest.mark.slow
def test_there_are_enough_questions():
    assert len({question.text for question in QUESTIONS}) == len(QUESTIONS) >= 40
