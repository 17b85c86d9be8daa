"""What the demonstration of a team simulates and publishes is what the node is told to expect."""

import numpy as np
from payload_id_msgs.msg import TeamEstimate

from payload_id.cli.demo.team_demonstration import _line
from payload_id.cli.demo.team_robots import _message
from payload_id.cli.demo.team_scene import BOUNDS, NAMES, ROBOT, draw_team
from payload_id.core.body.equivalent_ellipsoid import equivalent_ellipsoid
from payload_id.core.mechanism.readings import JointReadings
from payload_id.files.figures.team_figure import TeamPicture, team_figure
from payload_id.files.teams.team_file import TeamFile
from payload_id.ros.team.heard import reader_of


def test_the_team_file_states_the_robots_that_are_simulated(tmp_path):
    demo = draw_team(3, tmp_path)
    team = TeamFile.load(demo.team_file)
    assert team.names == NAMES
    for robot in team.robots:
        assert robot.mechanism.masses == ROBOT.masses
        assert robot.mechanism.delta.lower_leg == ROBOT.delta.lower_leg
        assert robot.bounds.to_dict().items() >= BOUNDS.items()
    assert demo.seconds < 60.0
    assert draw_team(3, tmp_path).stages[0][1].motion.phase.tolist() == (
        demo.stages[0][1].motion.phase.tolist()
    )


def test_a_published_reading_is_heard_as_it_was_read(tmp_path):
    rng = np.random.default_rng(0)
    reading = JointReadings(np.array([1.5]), *rng.normal(size=(4, 1, 3)))
    message = _message(reading)
    robot = TeamFile.load(draw_team(1, tmp_path).team_file).robots[0]
    heard = reader_of("joint_states", robot)(message)
    parts = (reading.before, reading.theta, reading.gimbal, reading.tau)
    np.testing.assert_array_equal(heard, np.concatenate([x[0] for x in parts]))
    assert message.header.stamp.nanosec == 500_000_000


def test_the_equivalent_ellipsoid_has_the_moments():
    moments, mass = np.array([2.258, 3.448, 5.698]), 11.412
    a2 = equivalent_ellipsoid(mass, moments) ** 2
    np.testing.assert_allclose(mass / 5 * (a2.sum() - a2), moments)
    assert np.isnan(equivalent_ellipsoid(0.0, moments)).all()


def test_a_picture_is_drawn_of_whatever_is_known(tmp_path):
    nothing = TeamPicture(
        {}, {}, np.full(10, np.nan), np.full(10, -np.inf), np.full(10, np.inf), None, {}
    )
    path = team_figure(tmp_path / "nothing.png", nothing, "nothing")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_progress_is_the_mass_and_how_far_off_it_may_be_or_why_there_is_none():
    message = TeamEstimate(status=TeamEstimate.GOOD, phi=np.full(10, 2.0))
    message.lower, message.upper = np.full(10, 1.9), np.full(10, 2.3)
    line = _line(12.0, "levelled", message)
    assert "2.00 ± 0.30 kg" in line and "GOOD" in line
    assert "WAITING" in _line(1.0, "levelled", TeamEstimate(phi=np.full(10, np.nan)))
    assert _line(1.0, "levelled", None).endswith("levelled" + " " * 28)
