"""A motion that is called off is not begun, at whatever moment that happens."""

from __future__ import annotations

import threading
import time

import pytest
import rclpy
from payload_id_msgs.action import Execute
from payload_id_msgs.msg import PlanDescription
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor

from payload_id.ros.client.payload_client import PayloadClient
from payload_id.ros.client.waiting import NotAnsweredError
from promises.nodes import next_domain

DOMAIN = next_domain()


class Planner:
    """An action ~/execute that accepts after a while, and moves until it is cancelled."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        self.goals, self.cancelled, self.accepting = [], 0, 0.0
        server = rclpy.create_node("payload_planner", context=self.context)
        ActionServer(
            server, Execute, "~/execute", self._move, goal_callback=self._accept,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )  # fmt: skip
        self.client = PayloadClient(context=self.context)
        self._executor = MultiThreadedExecutor(4, context=self.context)
        self._executor.add_node(server)
        threading.Thread(target=self._executor.spin, daemon=True).start()

    def close(self) -> None:
        self.client.__exit__()
        self._executor.shutdown()
        rclpy.shutdown(context=self.context)

    def _accept(self, goal):
        time.sleep(self.accepting)
        self.goals.append(goal)
        return GoalResponse.ACCEPT

    def _move(self, handle):
        end = time.monotonic() + 10.0
        while not handle.is_cancel_requested and time.monotonic() < end:
            time.sleep(0.01)
        self.cancelled += handle.is_cancel_requested
        handle.canceled() if handle.is_cancel_requested else handle.succeed()
        return Execute.Result(success=False, message="It was cancelled.")


@pytest.fixture
def planner():
    made = Planner()
    yield made
    made.close()


@pytest.mark.parametrize(("accepting", "after"), [(0.0, 0.0), (0.6, 0.2), (0.0, 0.6)])
def test_before_it_is_sent_before_it_is_accepted_and_in_motion(planner, accepting, after):
    off, planner.accepting = threading.Event(), accepting
    threading.Timer(after, off.set).start() if after else off.set()
    if not after:
        with pytest.raises(NotAnsweredError, match="called off before"):
            planner.client.execute(PlanDescription(), 30.0, called_off=off)
        time.sleep(0.5)
        assert not planner.goals
        return
    result = planner.client.execute(PlanDescription(), 30.0, called_off=off)
    assert not result.success and planner.cancelled == len(planner.goals) == 1


def test_a_field_that_no_goal_has_is_an_error_of_the_program(planner):
    with pytest.raises(TypeError, match="target_mass.*Did you mean 'tare'|no field 'target_mass'"):
        planner.client.identify(target_mass=0.1)
    with pytest.raises(TypeError, match="Did you mean 'duration'"):
        planner.client.plan(durations=6.0)
    assert not planner.goals
