"""`payload-id live` over real DDS against nodes that answer as estimator, planner and bridge do."""

from __future__ import annotations

import io
import signal
import threading

import pytest
import rclpy
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate, PlanDescription
from payload_id_msgs.srv import BeginRun, GetEstimate, Save, SetObstacles
from rclpy.action import ActionServer
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from std_srvs.srv import Trigger

from command_line import run_here
from payload_id.core.errors import printable
from payload_id.ros.common.topics import LATCHED
from promises.nodes import next_domain

DOMAIN = next_domain()
KEPT_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FOUND = PayloadEstimate(
    phi=[1.25] + [0.01] * 9, lower=[1.0] + [0.0] * 9, upper=[1.5] + [0.02] * 9,
    identifiable=[True] * 10, status=PayloadEstimate.GOOD, message="all is bounded", samples=1000,
    windows=10, seconds=1.0,
)  # fmt: skip
PEAKS = [f"peak_{kind}_percent" for kind in ("position", "velocity", "acceleration", "torque")]


class Answering:
    """Estimator, planner and bridge that write down what they are asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.success, self.said = True, ""
        self.obstacles: list[str] = []
        self.goal = self.result = None
        self._context = Context()
        rclpy.init(context=self._context, domain_id=DOMAIN)
        names = ("payload_estimator", "payload_planner", "payload_bridge")
        nodes = [rclpy.create_node(name, context=self._context) for name in names]
        estimator, planner, bridge = nodes
        for name in ("stop", "tare"):
            estimator.create_service(Trigger, f"~/{name}", self._trigger(name))
        estimator.create_service(BeginRun, "~/begin", self._trigger("start"))
        estimator.create_service(GetEstimate, "~/get_estimate", self._estimate)
        estimator.create_service(Save, "~/save", self._save)
        bridge.create_service(SetObstacles, "~/set_obstacles", self._set)
        described = planner.create_publisher(PlanDescription, "~/description", LATCHED)
        plan = PlanDescription(plan_id="p1", summary="a motion", joint_names=["j"])
        for name in ("start_positions", "goal_positions", *PEAKS):
            setattr(plan, name, [50.0])
        described.publish(plan)
        ActionServer(planner, Identify, "~/identify", self._identify)
        self._executor = SingleThreadedExecutor(context=self._context)
        for node in nodes:
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
        response.estimate, response.success = FOUND, True
        return response

    def _save(self, request, response):
        self.asked.append(request.path)
        response.success, response.path = True, "/saved/here"
        return response

    def _set(self, request, response):
        names, operation = [body.id for body in request.obstacles], request.operation
        kept = [] if operation == request.REPLACE else [x for x in self.obstacles if x not in names]
        self.obstacles = kept + (names if operation != request.REMOVE else [])
        response.success, response.message, response.ids = True, "done", self.obstacles
        return response

    def _identify(self, handle):
        self.goal = handle.request
        told = Identify.Feedback(state=Identify.Feedback.EXCITING, progress=0.5, worst="torque")
        handle.publish_feedback(told)
        handle.succeed()
        return self.result


@pytest.fixture(scope="module")
def answering():
    """Run them; the command hears them by its own domain."""
    before = {number: signal.getsignal(number) for number in KEPT_SIGNALS}
    nodes = Answering()
    yield nodes
    nodes.close()
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def live(answering, capsys, monkeypatch):
    """Return a function that runs a task; it returns exit code and what was printed."""
    monkeypatch.setenv("ROS_DOMAIN_ID", str(DOMAIN))
    monkeypatch.setattr(answering, "success", True)

    def run(*arguments):
        done = run_here(capsys, "live", *arguments)
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.slow
def test_services_are_called_and_their_sentences_printed(answering, live, monkeypatch):
    for task in ("start", "tare"):
        code, said = live(task)
        assert code == 0 and answering.asked[-1] == task and f"said of {task}" in said, said
    code, said = live("stop")
    assert code == 0 and answering.asked[-1] == "stop" and "GOOD" in said and "1.25" in said
    code, said = live("save", "folder")
    assert code == 0 and answering.asked[-1] == "folder" and "/saved/here" in said
    code, said = live("save", "--report")  # what a node names is read here, and is no run
    assert code == 2 and "saved: /saved/here" in said and "/saved/here holds no run" in said
    for text in ("[/bold]", "[red]x", "\x1b[2J"):
        monkeypatch.setattr(answering, "said", text)
        assert printable(text) in live("start")[1]
    monkeypatch.setattr(answering, "success", False)
    code, said = live("start")
    assert code == 2 and printable(text) in said


def test_nothing_moves_unconfirmed(live, monkeypatch):
    assert "a motion" in live("describe")[1]
    for is_terminal, words in ((False, "--yes"), (True, "Nothing moves")):
        monkeypatch.setattr("sys.stdin", io.StringIO(""))  # which ends
        monkeypatch.setattr("sys.stdin.isatty", lambda x=is_terminal: x, raising=False)
        code, said = live("execute", "p1")
        assert code == 2 and words in said


@pytest.mark.slow
def test_a_payload_is_identified_once_that_is_confirmed(answering, live, monkeypatch):
    answering.result = Identify.Result(
        success=True, message="GOOD: 1.25 kg.", saved="/saved/here", estimate=FOUND
    )
    asked = ["--known-mass", "1.2,0.1", "--tare", "required"]
    command = ["identify", "--one-motion", "--duration", "4", *asked]
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert "--yes" in live(*command)[1] and answering.goal is None
    code, said = live(*command, "--yes")
    assert code == 0 and "GOOD: 1.25 kg." in said and "/saved/here" in said
    goal = answering.goal
    assert list(goal.known_mass) == [1.2, 0.1]
    assert goal.one_motion and goal.goal.duration == 4.0 and goal.tare == goal.TARE_REQUIRED
    answering.result = Identify.Result(error_code=13, message="INCONSISTENT. Look.")
    code, said = live(*command, "--yes")
    assert code == 2 and "INCONSISTENT. Look." in said
    answering.result = Identify.Result(error_code=2, message="The arm is in use: a run.")
    code, said = live(*command, "--yes")
    assert code == 2 and "The arm is in use: a run." in said
    code, said = live("execute", "another plan", "--yes")
    assert code == 2 and "The newest plan is p1" in said
