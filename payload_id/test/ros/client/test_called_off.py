"""A motion that is called off is not begun, at whatever moment that happens."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest
import rclpy
from payload_id_msgs.action import Execute
from payload_id_msgs.msg import PlanDescription
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor

from payload_id.ros.client.planner_client import PlannerClient
from payload_id.ros.client.waiting import NotAnsweredError
from payload_id.ros.view.session import tasks as view_tasks
from payload_id.ros.view.session.names import Names
from payload_id.ros.view.session.tasks import Tasks
from promises.nodes import next_domain

DOMAIN = next_domain()


class Planner:
    """An action ~/execute that accepts after a while, and moves until it is cancelled."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        self.goals, self.cancelled, self.accepting = [], 0, 0.0
        server, asking = (
            rclpy.create_node(name, context=self.context) for name in ("payload_planner", "page")
        )
        ActionServer(
            server, Execute, "~/execute", self._move, goal_callback=self._accept,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )  # fmt: skip
        self.client = PlannerClient(asking)
        self._executors = [
            MultiThreadedExecutor(4, context=self.context),
            SingleThreadedExecutor(context=self.context),
        ]
        for executor, node in zip(self._executors, (server, asking), strict=True):
            executor.add_node(node)
            threading.Thread(target=executor.spin, daemon=True).start()

    def close(self) -> None:
        for executor in self._executors:
            executor.shutdown()
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


@pytest.mark.parametrize("held_up", ["describe", "start"])
def test_a_stop_on_the_page_counts_from_when_the_motion_was_confirmed(monkeypatch, held_up):
    """Before a goal is sent the plan is described, and the estimator begins a run."""
    monkeypatch.setattr(view_tasks, "REST", 0.0)
    entered, go_on, done = threading.Event(), threading.Event(), []

    def hold(name, value):
        def called(*_):
            done.append(name)
            if name == held_up:
                entered.set()
                go_on.wait(10.0)
            return value

        return called

    def execute(description, timeout, scale, by, tell, called_off):
        done.append("called off" if called_off.is_set() else "MOVED")
        raise NotAnsweredError("It was called off.")

    service = SimpleNamespace(service_is_ready=lambda: False)
    client = SimpleNamespace(
        node=SimpleNamespace(create_client=lambda *_: service),
        start=hold("start", "begun"), stop=hold("stop", "ended"),
    )  # fmt: skip
    described = SimpleNamespace(description=SimpleNamespace(duration=1.0))
    tasks = Tasks(
        client, SimpleNamespace(describe=hold("describe", described), execute=execute), Names()
    )
    assert tasks.follow("operator 1", SimpleNamespace(plan_id="p"), dry=False)
    assert entered.wait(10.0)
    tasks.stop("operator 1")
    go_on.set()
    end = time.monotonic() + 10.0
    while "stop" not in done and time.monotonic() < end:
        time.sleep(0.01)
    assert done == ["describe", "start", "called off", "stop"]  # and the run ends, too
    assert not tasks.executed
