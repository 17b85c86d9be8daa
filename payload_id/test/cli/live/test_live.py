"""`payload-id live` over real DDS against nodes that answer as estimator, planner and bridge do."""

from __future__ import annotations

import io
import os
import signal
import threading
import time

import pytest
import rclpy
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import Describe, GetEstimate, Save, SetObstacles
from rclpy.action import ActionServer, GoalResponse
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from std_msgs.msg import String
from std_srvs.srv import Trigger

from payload_id.cli.common.presentation import console, verdict
from payload_id.cli.live.command import obstacle
from payload_id.cli.main import main
from payload_id.core.errors import InputError, printable
from payload_id.ros.client import planner_client, waiting
from payload_id.ros.client.estimator_client import estimate_from
from payload_id.ros.common.topics import LATCHED
from ros_domain import next_domain

DOMAIN = next_domain()
KEPT_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Answering:
    """Estimator, planner and bridge that write down what they are asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.success, self.said = True, ""
        self.obstacles: list[str] = []
        self._context = Context()
        rclpy.init(context=self._context, domain_id=DOMAIN)
        estimator = rclpy.create_node("payload_estimator", context=self._context)
        planner = rclpy.create_node("payload_planner", context=self._context)
        for name in ("start", "stop", "tare"):
            estimator.create_service(Trigger, f"~/{name}", self._trigger(name))
        estimator.create_service(GetEstimate, "~/get_estimate", self._estimate)
        estimator.create_service(Save, "~/save", self._save)
        bridge = rclpy.create_node("payload_bridge", context=self._context)
        bridge.create_service(SetObstacles, "~/set_obstacles", self._set)
        planner.create_service(Describe, "~/describe", self._describe)
        self.goal = self.result = None
        self._refusal = planner.create_publisher(String, "~/refusal", LATCHED)
        ActionServer(planner, Identify, "~/identify", self._identify, goal_callback=self._accept)
        self._executor = SingleThreadedExecutor(context=self._context)
        for node in (estimator, planner, bridge):
            self._executor.add_node(node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End."""
        self._executor.shutdown()
        self._thread.join(5.0)
        rclpy.shutdown(context=self._context)

    def _trigger(self, name: str):
        def answer(_, response):
            self.asked.append(name)
            response.success, response.message = self.success, self.said or f"said of {name}"
            return response

        return answer

    def _estimate(self, _, response):
        found = response.estimate
        found.phi, found.lower = [1.25] + [0.01] * 9, [1.0] + [0.0] * 9
        found.upper, found.identifiable = [1.5] + [0.02] * 9, [True] * 10
        found.status, found.message = PayloadEstimate.GOOD, "all is bounded"
        found.samples, found.windows, found.seconds = 1000, 10, 1.0
        response.success = True
        return response

    def _save(self, request, response):
        self.asked.append(request.path)
        response.success, response.path = True, "/saved/here"
        return response

    def _set(self, request, response):
        names = [body.id for body in request.obstacles]
        if request.operation == SetObstacles.Request.REPLACE:
            self.obstacles = names
        elif request.operation == SetObstacles.Request.ADD:
            self.obstacles += names
        else:
            self.obstacles = [name for name in self.obstacles if name not in names]
        response.success, response.message, response.ids = True, "done", self.obstacles
        return response

    def _accept(self, goal):
        self._refusal.publish(String(data="Rejected: it is in use."))
        return GoalResponse.ACCEPT if self.success else GoalResponse.REJECT

    def _identify(self, handle):
        self.goal = handle.request
        told = Identify.Feedback(state=Identify.Feedback.EXCITING, progress=0.5, worst="torque")
        handle.publish_feedback(told)
        handle.succeed()
        return self.result

    def _describe(self, request, response):
        self.asked.append(f"describe {request.plan_id}")
        response.success = True
        plan = response.description
        plan.plan_id, plan.summary, plan.joint_names = "p1", "a motion", ["j"]
        for name in (
            "start_positions",
            "goal_positions",
            "peak_position_percent",
            "peak_velocity_percent",
            "peak_acceleration_percent",
            "peak_torque_percent",
        ):
            setattr(plan, name, [50.0])  # fmt: skip
        return response


@pytest.fixture(scope="module")
def nodes():
    """Run them; the command hears them by its own domain."""
    before = {number: signal.getsignal(number) for number in KEPT_SIGNALS}
    kept = os.environ.get("ROS_DOMAIN_ID")
    os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
    answering = Answering()
    yield answering
    answering.close()
    for number, handler in before.items():
        signal.signal(number, handler)
    os.environ.pop("ROS_DOMAIN_ID")
    if kept is not None:
        os.environ["ROS_DOMAIN_ID"] = kept


def test_services_are_called_and_their_sentences_printed(nodes, capsys):
    for task in ("start", "tare"):
        assert main(["live", task]) == 0
        assert nodes.asked[-1] == task and f"said of {task}" in capsys.readouterr().out
    assert main(["live", "stop"]) == 0
    printed = capsys.readouterr().out
    assert nodes.asked[-1] == "stop" and "GOOD" in printed and "1.25" in printed
    assert main(["live", "save", "folder"]) == 0
    assert nodes.asked[-1] == "folder" and "/saved/here" in capsys.readouterr().out
    assert main(["live", "save", "--report"]) == 2  # what a node names is read here, and is no run
    printed = capsys.readouterr()
    assert "saved: /saved/here" in printed.out and "/saved/here holds no run" in printed.err


def test_a_refusal_is_the_nodes_sentence_and_exit_code_2(nodes, capsys):
    nodes.success = False
    try:
        assert main(["live", "start"]) == 2
    finally:
        nodes.success = True
    assert "said of start" in capsys.readouterr().err


@pytest.mark.slow
def test_obstacles_are_added_removed_and_listed(nodes, capsys):
    table = "table=box:0.4,0.8,0.04@0.9,0,0.1"
    assert main(["live", "obstacles", "--add", table, "--add", "ball=sphere:0.1@1,1,1"]) == 0
    assert nodes.obstacles == ["table", "ball"]
    assert main(["live", "obstacles", "--remove", "table"]) == 0
    assert "in force: ball" in capsys.readouterr().out
    assert main(["live", "obstacles", "--clear"]) == 0 and nodes.obstacles == []


def test_a_plan_is_described_and_nothing_moves_unconfirmed(nodes, capsys, monkeypatch):
    assert main(["live", "describe"]) == 0
    assert "a motion" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert main(["live", "execute", "p1"]) == 2  # no action is there to be called either
    assert "--yes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["start", "--estimator", "5x"], "No node can have that name"),
        (["start", "--estimator", "a b"], "No node can have that name"),
        (["plan", "--planner", "/"], "No node can have that name"),
        (["save", "\udcff"], "no UTF-8 text"),
        (["obstacles", "--remove", "\udcff"], "no UTF-8 text"),
    ],
)
def test_what_no_message_can_hold_is_refused_in_a_sentence(nodes, capsys, arguments, words):
    assert main(["live", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("scale", ["0", "nan", "-1", "2", "x"])
def test_a_speed_that_no_motion_has_is_refused(scale):
    with pytest.raises(SystemExit, match="2"):
        main(["live", "execute", "--yes", "--speed-scale", scale])


@pytest.mark.parametrize("text", ["[/bold]", "[red]x", "\x1b[2J"])
def test_what_nodes_say_is_printed_as_it_is(nodes, capsys, monkeypatch, text):
    monkeypatch.setattr(nodes, "said", text)
    assert main(["live", "start"]) == 0
    assert printable(text) in capsys.readouterr().out


def test_a_planner_that_is_not_there_is_missed_soon(nodes, capsys, monkeypatch):
    monkeypatch.setattr(planner_client, "FOUND", 0.5)
    begin = time.monotonic()
    assert main(["live", "plan"]) == 2  # it has no such action
    assert time.monotonic() - begin < 5.0 and "Is the node running" in capsys.readouterr().err


def test_a_node_that_ends_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(waiting, "GONE", 0.2)
    begin = time.monotonic()
    with pytest.raises(waiting.GoneError, match="has ended"):
        waiting.wait_for(lambda: False, 60.0, "an answer", lambda: False)
    assert time.monotonic() - begin < 5.0


def test_an_end_of_input_confirms_nothing(nodes, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert main(["live", "execute", "p1"]) == 2
    assert "Nothing moves" in capsys.readouterr().out


def test_without_samples_no_figures_are_shown(capsys):
    message = PayloadEstimate(status=PayloadEstimate.WAITING, message="No run is in progress.")
    console().print(verdict(estimate_from(message)))
    printed = capsys.readouterr().out
    assert "No run is in progress." in printed
    assert not any(word in printed for word in ("nan", "inf", "residual", "consistent"))


def test_an_estimate_with_a_status_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="unknown status 255"):
        estimate_from(PayloadEstimate(status=255))


@pytest.mark.parametrize(
    "wrong", ["table", "a=box:1,1@0,0,0", "a=cone:1@0,0,0", "a=sphere:x@0,0,0", "=sphere:1@0,0,0"]
)
def test_wrong_obstacles_are_refused(wrong):
    with pytest.raises(InputError, match="--add"):
        obstacle(wrong)


def test_an_obstacle_is_where_its_text_says():
    body = obstacle("table=box:0.4,0.8,0.04@0.9,0,0.1")
    assert (body.name, body.kind, body.size) == ("table", "box", (0.4, 0.8, 0.04))
    assert body.translation.tolist() == [0.9, 0.0, 0.1]


@pytest.mark.slow
def test_a_payload_is_identified_once_that_is_confirmed(nodes, capsys, monkeypatch):
    nodes.result = Identify.Result(success=True, message="GOOD: 1.25 kg.", saved="/saved/here")
    nodes.result.estimate = nodes._estimate(None, GetEstimate.Response()).estimate
    asked = ["--known-mass", "1.2", "0.1", "--target-mass", "0.05", "--tare", "required"]
    command = ["live", "identify", "--one-motion", "--duration", "4", *asked]
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    main(command)
    assert "--yes" in capsys.readouterr().err and nodes.goal is None
    assert main([*command, "--yes"]) == 0
    printed = capsys.readouterr().out
    assert "GOOD: 1.25 kg." in printed and "/saved/here" in printed
    goal = nodes.goal
    assert list(goal.known_mass) == [1.2, 0.1] and goal.target_half_width[0] == 0.05
    assert goal.one_motion and goal.goal.duration == 4.0 and goal.tare == goal.TARE_REQUIRED
    nodes.result = Identify.Result(error_code=13, message="INCONSISTENT. Look.")
    assert main([*command, "--yes"]) == 2 and "INCONSISTENT. Look." in capsys.readouterr().out
    nodes.success = False
    assert main([*command, "--yes"]) == 2
    nodes.success = True
    assert "Rejected: it is in use." in capsys.readouterr().err
