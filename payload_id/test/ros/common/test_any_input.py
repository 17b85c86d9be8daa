"""No parameter, message or request ends a node: all of them, on all nodes, over real DDS."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import DescribeParameters, ListParameters, SetParameters
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.parameter import Parameter as RosParameter
from rclpy.serialization import serialize_message
from std_srvs.srv import Trigger

from harness import DEEP, LATCHED, NodeProcess, Observer
from junk import interface, junk
from payload_id.ros.common.parameters import FIXED
from payload_id.ros.estimator.parameters import ESTIMATOR_TABLE
from promises.nodes import next_domain

pytestmark = pytest.mark.slow  # nodes in real time

RCLError = rclpy_implementation.RCLError
DOMAIN = next_domain()
PROGRAM = Path(__file__).parents[2] / "support" / "all_nodes.py"
NODES = ("payload_sampler", "payload_estimator", "payload_planner", "payload_bridge",
         "payload_team", "simulated_arm")  # fmt: skip
WAIT = 3.0  # for answers, of which those to what cannot be read do not come [s]
ROUNDS = 4  # of anything for each topic and service
NONE = ParameterValue(type=ParameterType.PARAMETER_NOT_SET)
VALUES = (
    NONE,
    ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=True),
    *(
        ParameterValue(type=ParameterType.PARAMETER_INTEGER, integer_value=x)
        for x in (0, 3, -1, 2**62)
    ),
    *(
        ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=x)
        for x in (0.0, -1.0, 0.02, 1e308, math.nan, math.inf)
    ),
    *(
        ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=x)
        for x in ("", "x", "/nowhere/at/all.stl")
    ),
    *(
        ParameterValue(type=ParameterType.PARAMETER_DOUBLE_ARRAY, double_array_value=x)
        for x in ([], [0.1], [0.1, 0.2], [1.0, 2.0, 3.0], [0.01] * 7, [math.nan] * 7, [1e308] * 10)
    ),
    ParameterValue(type=ParameterType.PARAMETER_INTEGER_ARRAY, integer_array_value=[1, 2, 3]),
    ParameterValue(type=ParameterType.PARAMETER_STRING_ARRAY, string_array_value=["a"]),
    ParameterValue(type=ParameterType.PARAMETER_BYTE_ARRAY, byte_array_value=[b"a"]),
    ParameterValue(type=ParameterType.PARAMETER_BOOL_ARRAY, bool_array_value=[True]),
)


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    observer = Observer(DOMAIN)
    yield observer
    observer.close()


@pytest.fixture(scope="module")
def nodes(observer, tmp_path_factory) -> Iterator[NodeProcess]:
    folder = tmp_path_factory.mktemp("nodes")
    process = NodeProcess(
        str(PROGRAM),
        DOMAIN,
        folder / "log",
        folder=folder,
        cell="none, these are tests",
    )
    for name in NODES:
        observer.call(ListParameters, f"/{name}/list_parameters")
    yield process
    process.stop()


@pytest.mark.parametrize("node", NODES)
def test_parameters_take_what_a_run_can_use_and_refuse_the_rest(observer, nodes, node):
    names = observer.call(ListParameters, f"/{node}/list_parameters").result.names
    described = observer.call(DescribeParameters, f"/{node}/describe_parameters", names=names)
    free = [
        x.name
        for x in described.descriptors
        if x.description and FIXED not in x.additional_constraints
    ]
    for k, name in enumerate(names):
        values = [*VALUES[k % len(VALUES) :], *VALUES[: k % len(VALUES)]]
        asked = [Parameter(name=name, value=value) for value in values]
        answer = observer.call(SetParameters, f"/{node}/set_parameters", parameters=asked)
        refused = [x for x in answer.results if not x.successful]
        assert len(answer.results) == len(VALUES)
        assert all(x.reason for x in refused)
        if node == "payload_estimator" and name in free:
            # The value that was accepted last serves: a run begins anew with it.
            begun = observer.call(Trigger, f"/{node}/reset")
            assert begun.success, (name, begun.message)
            default = [Parameter(name=name, value=value) for value in described_default(name)]
            observer.call(SetParameters, f"/{node}/set_parameters", parameters=default)
    assert nodes.alive
    # Whatever was unset is there and can be set again.
    assert set(observer.call(ListParameters, f"/{node}/list_parameters").result.names) == set(names)


def described_default(name: str) -> list[ParameterValue]:
    """Return the value with which the estimator begins."""
    entry = next(x for x in ESTIMATOR_TABLE if x.name == name)
    return [RosParameter(name, value=entry.default).get_parameter_value()]


def test_messages_of_any_content_and_any_bytes(observer, nodes):
    random = np.random.default_rng(1)
    topics: dict[str, str] = {}
    for name in NODES:
        found = observer.node.get_subscriber_names_and_types_by_node(name, "/")
        topics.update({topic: types[0] for topic, types in found if topic != "/clock"})
    assert len(topics) >= 8
    for topic, type_name in topics.items():
        kind = interface(type_name)
        (about, *_) = observer.node.get_subscriptions_info_by_topic(topic)
        profile = LATCHED if about.qos_profile.durability == LATCHED.durability else DEEP
        publisher = observer.node.create_publisher(kind, topic, profile)
        observer.wait(publisher.get_subscription_count, f"a subscriber of {topic}")
        for _ in range(ROUNDS):
            message = junk(kind, random)
            publisher.publish(message)
            damaged = bytearray(serialize_message(message))
            for place in random.integers(4, len(damaged), 3):
                damaged[place] = random.integers(256)
            for data in (damaged, damaged[:4] + random.bytes(random.integers(0, 200))):
                with suppress(RCLError):  # more than any message of that type may take
                    publisher.publish(bytes(data))
        observer.executor.spin_once(timeout_sec=0.0)
        observer.node.destroy_publisher(publisher)
    assert_all_answer(observer, nodes)


def test_requests_of_any_content(observer, nodes):
    random = np.random.default_rng(2)
    waiting: list[Any] = []
    for name in NODES:
        for service, types in observer.node.get_service_names_and_types_by_node(name, "/"):
            kind = interface(types[0])
            client = observer.node.create_client(kind, service)
            observer.wait(client.service_is_ready, service)
            waiting += [client.call_async(junk(kind.Request, random)) for _ in range(ROUNDS)]
    end = time.monotonic() + WAIT
    while time.monotonic() < end and not all(future.done() for future in waiting):
        observer.executor.spin_once(timeout_sec=0.05)
    assert_all_answer(observer, nodes)


def assert_all_answer(observer: Observer, nodes: NodeProcess) -> None:
    """Check that every node still serves."""
    for name in NODES:
        assert observer.call(ListParameters, f"/{name}/list_parameters").result.names
    assert nodes.alive
