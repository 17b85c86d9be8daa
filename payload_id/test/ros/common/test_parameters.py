"""Parameter tables: what is declared, refused and documented."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter as RosParameter

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import ConfigurationError, InputError
from payload_id.core.rows.joint_torque.uncertainty import Uncertainty
from payload_id.ros.common.parameters import (
    NodeParameters,
    Parameter,
    declare_parameters,
    read_parameters,
    table_of,
)
from payload_id.ros.common.parameters import parameter as entry
from payload_id.ros.estimator.parameters import EstimatorParameters
from promises.nodes import next_domain

DOMAIN = next_domain()


@dataclass(frozen=True)
class Some(NodeParameters):
    speed: float = entry(1.0, "How fast.", "rad/s", 0.0, 5.0)
    count: int = entry(3, "How many.", lower=1, upper=10)
    mode: str = entry("slow", "How.", choices=("slow", "fast"), read_only=False)
    bound: object = entry(None, "How sure.", "N m", 0.0, kind="number or numbers", read_only=False)
    on: bool = entry(True, "Whether.")


TABLE = table_of(Some)


def read(node):
    declare_parameters(node, TABLE)
    return read_parameters(node, TABLE)


@pytest.fixture
def make_node():
    context, nodes = rclpy.Context(), []
    rclpy.init(context=context, domain_id=DOMAIN)

    def make(**given) -> Node:
        overrides = [RosParameter(name, value=value) for name, value in given.items()]
        nodes.append(
            Node(
                "test_parameters",
                context=context,
                parameter_overrides=overrides,
                automatically_declare_parameters_from_overrides=True,
            )
        )
        return nodes[-1]

    yield make
    for node in nodes:
        node.destroy_node()
    rclpy.shutdown(context=context)


def test_defaults_and_given_values(make_node):
    assert Some.of(read(make_node())) == Some(1.0, 3, "slow", None, True)
    values = read(make_node(speed=2, mode="fast", bound=[1, 2]))
    assert (values["speed"], values["mode"], values["bound"]) == (2.0, "fast", [1.0, 2.0])
    assert type(values["speed"]) is float


def test_impossible_values_are_refused_with_name_and_meaning(make_node):
    impossible = {
        "speed": (7.0, math.nan, "seven", "[1, 2]", ""),
        "count": (2.5, True, "2.5"),
        "mode": ("fasst",),
        "bound": ([1.0, -1.0], "[1, two]"),
        "on": (1, "yes"),
        "use_sim_time": (5, "maybe"),
    }
    for name, values in impossible.items():
        for value in values:
            with pytest.raises(ConfigurationError, match=f"{name}") as error:
                read(make_node(**{name: value}))
            assert name == "use_sim_time" or "It means: " in str(error.value)


def test_changes_while_the_node_runs(make_node):
    node = make_node()
    read(node)
    (answer,) = node.set_parameters([RosParameter("mode", value="fasst")])
    assert not answer.successful
    assert "Did you mean 'fast'?" in answer.reason
    (answer,) = node.set_parameters([RosParameter("speed", value=2.0)])
    assert not answer.successful and "fixed while the node is configured" in answer.reason
    (answer,) = node.set_parameters([RosParameter("bound", value=2.0)])
    assert answer.successful


def test_bounds_of_the_robot_file_hold_unless_a_parameter_replaces_them():
    robot = Uncertainty(torque_absolute=(0.1, 0.2), prior=PayloadPrior(5.0, 0.3))
    assert EstimatorParameters().run_settings(robot, 2, 250.0).identification.uncertainty == robot
    changed = {"uncertainty.torque_offset": 0.5, "uncertainty.prior.mass_max": 9.0}
    settings = EstimatorParameters(bounds=changed).run_settings(robot, 2, 250.0)
    uncertainty = settings.identification.uncertainty
    assert uncertainty.torque_absolute == (0.1, 0.2)
    assert uncertainty.torque_offset == 0.5
    assert uncertainty.prior == PayloadPrior(9.0, 0.3)
    wrong = EstimatorParameters(bounds={"uncertainty.torque_gain": [0.1] * 3})
    with pytest.raises(InputError, match="3 entries; give one number, or 2"):
        wrong.run_settings(robot, 2, 250.0)


def test_texts_that_launch_files_hand_on_are_what_they_say(make_node):
    assert read(make_node(bound=""))["bound"] is None
    for kind, text, value in (
        ("number", " -3 ", -3.0),
        ("number", "1e-3", 1e-3),
        ("integer", "7", 7),
        ("flag", "False", False),
        ("numbers", "[1.0, 0, 0.05]", [1.0, 0.0, 0.05]),
        ("number or numbers", "2", 2.0),
        ("text", "true", "true"),
    ):
        found = Parameter("x", None, "How.", kind=kind).check(text)
        assert found == value and type(found) is type(value), text
