"""What the view has done: plans that a run may follow, runs that are not those before, stops."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest
from payload_id_msgs.msg import ExcitationGoal, PlanDescription

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.ros.client.waiting import NotAnsweredError
from payload_id.ros.view import tasks as view_tasks
from payload_id.ros.view.node_names import NodeNames
from payload_id.ros.view.tasks import Tasks
from payload_id.ros.view.topic_cache import TopicCache

PLAN = PlanDescription(plan_id="p", duration=1.0)


class Nodes:
    """Estimator, planner and bridge, as far as the view's clients ask them."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(view_tasks, "REST", 0.0)
        monkeypatch.setattr(view_tasks, "SILENT", 0.1)
        self.stopped = []  # nodes, each time that their stop is called
        self.goal, self.stops, self.asked, self.slow, self.begun = {}, {}, [], "", ()
        self.entered, self.go_on = threading.Event(), threading.Event()
        client = SimpleNamespace(
            node=SimpleNamespace(create_client=lambda kind, name: self.stop_of(name)),
            start=lambda enough, known_mass: self.ask("start", (enough, known_mass)),
            stop=lambda: self.ask("stop"),
            save=lambda path: "/runs/one", plan=self.plan, execute=self.execute,
        )  # fmt: skip
        self.tasks = Tasks(client, NodeNames())

    def ask(self, name, begun=()):
        """Answer, a service that is slow only once it is told to go on."""
        self.asked.append(name)
        self.begun = begun
        if name == self.slow:
            self.entered.set()
            assert self.go_on.wait(10.0)

    def execute(self, description, timeout, scale, by, on_feedback, called_off):
        if called_off.is_set():
            raise NotAnsweredError("It was called off.")
        self.asked.append("execute")
        return SimpleNamespace(success=True, message="")

    def plan(self, timeout, on_feedback, called_off, **goal):
        self.goal = goal
        return SimpleNamespace(plan_id="p", summary="a motion")

    def stop_of(self, name):
        """Return a stop service, which answers as `stops` says; None: it does not."""
        node = name.split("/")[0]

        def call(request):
            self.stopped.append(node)
            answer = self.stops[node]
            done = answer is not None
            return SimpleNamespace(done=lambda: done, result=lambda: answer)

        return SimpleNamespace(service_is_ready=lambda: node in self.stops, call_async=call)

    def done(self, task):
        """Wait until a task has ended; return its outcome."""
        end = time.monotonic() + 5.0
        while self.tasks.state.outcome is None or self.tasks.state.outcome.task != task:
            assert time.monotonic() < end
            time.sleep(0.005)
        return self.tasks.state.outcome

    def run(self, enough=(), known_mass=()):
        """Have the plan followed while data are taken."""
        assert self.tasks.begin("run", lambda: self.tasks.run(PLAN, enough, known_mass))


@pytest.fixture
def nodes(monkeypatch):
    return Nodes(monkeypatch)


def test_a_plan_is_for_all_that_the_prior_allows_since_a_run_forgets_the_rest(nodes):
    nodes.tasks.begin("planning", lambda: nodes.tasks.plan(8.0, "careful", None))
    nodes.done("planning")
    assert nodes.goal["intervals"] == ExcitationGoal.INTERVALS_PRIOR
    assert (nodes.goal["limits"], nodes.goal["duration"]) == ("careful", 8.0)
    nodes.tasks.begin("planning", lambda: nodes.tasks.plan(8.0, "", PayloadPrior(2.0, 0.3)))
    nodes.done("planning")
    assert nodes.goal["intervals"] == ExcitationGoal.INTERVALS_GIVEN
    assert nodes.goal["phi_upper"][:2] == [2.0, 0.6] and nodes.goal["phi_lower"][0] == 0.0


def test_what_the_next_run_finds_is_not_saved_by_what_the_last_one_was(nodes):
    nodes.tasks.begin("saving", nodes.tasks.save)
    nodes.done("saving")
    assert nodes.tasks.state.saved == "/runs/one"
    nodes.run()
    nodes.done("run")
    assert not nodes.tasks.state.saved


def test_a_run_asks_for_what_the_page_says_is_enough_and_heaviest(nodes):
    nodes.slow = "start"
    nodes.run((0.0, 0.02, 0.005), (1.0, 1.0))
    assert nodes.entered.wait(10.0)
    assert nodes.begun == ((0.0, 0.02, 0.005), (1.0, 1.0))
    nodes.go_on.set()
    nodes.done("run")


def test_a_stop_counts_from_when_the_motion_was_confirmed(nodes):
    """Before a goal is sent the estimator begins a run."""
    nodes.slow = "start"
    nodes.run()
    assert nodes.entered.wait(10.0)
    nodes.tasks.stop()
    nodes.go_on.set()
    nodes.done("run")
    assert nodes.asked == ["start", "stop"]  # the arm did not move, and the run ends
    assert not nodes.tasks.state.executed


RESTS = SimpleNamespace(success=True, message="The arm comes to rest.")
STILL = SimpleNamespace(success=False, message="Nothing moves.")


def test_the_bridge_is_asked_to_stop_until_what_was_called_off_has_ended(nodes):
    """A planner that hears of it late may have sent another motion meanwhile."""
    answer = SimpleNamespace(success=False, message="Nothing moves.")
    nodes.stops = {"payload_bridge": answer, "payload_planner": answer}
    nodes.slow = "start"
    nodes.run()
    assert nodes.entered.wait(5.0)
    nodes.tasks.stop()
    end = time.monotonic() + 5.0
    while nodes.stopped.count("payload_bridge") < 3:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert nodes.stopped.count("payload_planner") == 1
    nodes.go_on.set()
    nodes.done("run")
    time.sleep(3 * view_tasks.AGAIN)
    ended = len(nodes.stopped)
    time.sleep(3 * view_tasks.AGAIN)
    assert len(nodes.stopped) == ended


def test_a_stop_is_good_if_the_bridge_says_so(nodes):
    for answers, good, words in (
        ({"payload_bridge": RESTS}, True, ""),  # it alone moves the arm
        ({"payload_planner": RESTS}, False, "USE THE EMERGENCY STOP"),
        ({"payload_bridge": None, "payload_planner": RESTS}, False, "USE THE EMERGENCY STOP"),
        ({"payload_bridge": STILL, "payload_planner": STILL}, True, "Nothing moves"),
        ({}, False, "USE THE EMERGENCY STOP"),
    ):
        nodes.stops = answers
        nodes.tasks.say("", True, "")
        nodes.tasks.stop()
        outcome = nodes.done("stop")
        assert outcome.success is good and words in outcome.sentence, answers


def test_a_description_that_no_planner_makes_is_passed_over():
    topics = TopicCache.__new__(TopicCache)
    for names, expected in ((["a"], False), (["a", "b"], True)):
        plan = PlanDescription(joint_names=names, peak_torque_percent=[1.0, 2.0])
        topics._newest = {"plan": (0.0, plan)}
        assert (topics.plan is not None) is expected
