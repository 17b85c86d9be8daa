"""Requests of actions that are answered before rclpy has noted that they were sent."""

from __future__ import annotations

import threading
import time

import pytest
from control_msgs.action import FollowJointTrajectory

from fake_trajectory_action import FakeTrajectoryAction
from harness import Observer
from payload_id.ros.client.action_client import ActionClient
from payload_id.ros.client.waiting import wait_for
from ros_domain import next_domain

DOMAIN = next_domain()
ACTION = "/controller/follow"


class SlowToReturn:
    """rcl's client, whose thread is held up after each request that it has sent."""

    def __init__(self, client: object) -> None:
        self._client = client

    def __getattr__(self, name: str):
        found = getattr(self._client, name)
        if not name.startswith("send_"):
            return found

        def sent(request: object) -> int:
            number = found(request)
            time.sleep(0.3)
            return number

        return sent

    def __enter__(self):
        return self._client.__enter__()

    def __exit__(self, *raised):
        return self._client.__exit__(*raised)


@pytest.mark.parametrize("end", ["succeed", "cancel"])
def test_no_answer_is_missed_that_comes_before_its_request_is_noted(end):
    server, observer = FakeTrajectoryAction(DOMAIN, ACTION), Observer(DOMAIN)
    client = ActionClient(observer.node, FollowJointTrajectory, ACTION)
    thread = threading.Thread(target=observer.executor.spin, daemon=True)
    thread.start()
    wait_for(client.server_is_ready, 10.0, "the action")
    client._client_handle = SlowToReturn(client._client_handle)
    sent = client.send_goal_async(FollowJointTrajectory.Goal())
    wait_for(sent.done, 5.0, "acceptance")
    handle = sent.result()
    assert handle.accepted
    if end == "cancel":
        cancelled = handle.cancel_goal_async()
        wait_for(cancelled.done, 5.0, "the cancellation")
    else:
        server.end("succeed")
    result = handle.get_result_async()  # there is one already
    wait_for(result.done, 5.0, "the result")
    observer.executor.shutdown()
    thread.join(5.0)
    server.close()
    observer.close()
