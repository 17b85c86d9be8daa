"""A recording as a film: where the arm was, and what was known by then."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from payload_id import RobotFile, RobotModel
from payload_id.core.arm.centre_of_mass import gravity_in_payload_frame
from payload_id.files.robots.arm_frames import ArmFrames
from payload_id.ros.view.recorded import Film, RecordedPage
from payload_id.ros.view.web_server import WebServer
from raw_page import RawPage
from view_estimates import estimate_at


@pytest.fixture(scope="module")
def film():
    robot = RobotFile.load("kinova_gen3")
    arm = RobotModel.from_robot_file(robot)
    stamp = 100.0 + np.linspace(0.0, 4.0, 41)
    q = 0.1 * np.arange(41)[:, None] * np.ones(robot.n)
    history = [estimate_at(seconds, half_width=1.0 / seconds) for seconds in (1.0, 2.0, 4.0)]
    return Film(stamp, q, arm, ArmFrames(robot.urdf), history)


def test_the_arm_is_where_it_was(film):
    for k in (0, 7, 40):
        moving, gravity = film.at(film.stamp[k] - film.stamp[0] + 1e-6)
        expected = film.frames.moving(dict.fromkeys(film.arm.joints, 0.1 * k))
        for found, wanted in zip(moving, expected, strict=True):
            np.testing.assert_allclose(found.translation, wanted.translation)
            np.testing.assert_allclose(found.quaternion, wanted.quaternion)
        np.testing.assert_allclose(gravity, gravity_in_payload_frame(film.arm, film.q[k]))


def test_what_is_known_is_what_was_known_by_then(film):
    assert film.known_at(0.5) is None
    assert film.known_at(1.0) is film.history[0]
    assert film.known_at(3.9) is film.history[1]
    assert film.known_at(film.duration) is film.history[2]


def test_a_page_says_how_the_recording_was_read(film):
    cut = replace(film, notes=("bag.mcap was cut off",))
    show = partial(RecordedPage, film=cut, shapes={})
    with WebServer(lambda: None, show, "127.0.0.1", 0) as server:
        page = RawPage(server.port)
        page.wait(lambda: "was cut off" in page.heard and "No estimate yet." in page.heard)
        page.close()
