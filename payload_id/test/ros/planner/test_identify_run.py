"""One goal of `~/identify`, arm, planner and estimator made of notes: order and ends."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from payload_id_msgs.action import Identify
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import BeginRun, Save, Validate

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.errors import InputError
from payload_id.ros.execution.stop_reason import Reason
from payload_id.ros.planner import identify_run
from payload_id.ros.planner.bridge_client import Ended
from payload_id.ros.planner.identify_run import IdentifyRun
from payload_id.ros.planner.identifying.estimator_link import EstimatorLostError

Goal, Result = Identify.Goal, Identify.Result
HOME = np.zeros(7)
WIDE = SimpleNamespace(position_lower=HOME - 3.0, position_upper=HOME + 3.0, name="all")
PHI = np.full(10, 1.0)
FOUND = PayloadEstimate(status=PayloadEstimate.GOOD, phi=PHI, lower=PHI - 0.1, upper=PHI + 0.1)


async def nothing():
    """Wait for nothing."""


class World:
    """Arm, bridge, planner and estimator, which note what they are asked in `done`."""

    def __init__(self, **fields):
        self.done, self.reasons, self.lost = [], {}, ()
        self.handle = SimpleNamespace(request=Goal(**fields), is_cancel_requested=False)
        self.estimate, self.recording, self.success = FOUND, "/bag", True
        self.q, self.unwanted, self.following = HOME, "", None
        log = SimpleNamespace(warning=self.done.append)
        self.node = SimpleNamespace(get_logger=lambda: log, is_ending=False)

    def run(self):
        """Carry the goal out; return its result."""
        prior = SimpleNamespace(prior=PayloadPrior(2.0, 0.15))
        context = SimpleNamespace(
            node=self.node, robot=SimpleNamespace(n=7, joints="abcdefg", payload_frame="tool"),
            uncertainty=prior,
            limits="all",
            bridge=SimpleNamespace(absence="", state=None), heard=nothing,
            start=self.start, disagreement="", half_width=lambda: 0.1 * PHI,
            goal_of=lambda message: SimpleNamespace(limits="all"),
            certificates_folder=Path("/c"), new_name=lambda kind: f"{kind}_1",
            arm=SimpleNamespace(
                check_alive=lambda: None, states=self, in_present_turns=lambda pose, limits: pose,
                allowed=lambda limits, q: WIDE, is_seen_at_rest=lambda: self.stands,
            ),
        )  # fmt: skip
        self.the_run = IdentifyRun(context, self, self, self)
        try:
            self.the_run.carry_out().send(None)
        except StopIteration as ended:
            return ended.value
        raise AssertionError("it waits")

    # Context

    known, name, trouble, ceased, stands = True, "estimator", "", "", True
    agrees, held_out = True, 1.0

    def start(self, limits, own):
        if self.lost == "arm":
            raise InputError("The arm moves.")
        return self.q

    # ArmGoal

    async def resumed(self):
        self.done.append("resumed")

    async def follow(self, plan):
        self.done.append(plan.name)
        self.q = plan.ends
        reason, said = self.reasons.pop(plan.name, (Reason.COMPLETED, "Done."))
        return Ended(reason, said, begun=True, at_rest=True)

    # PlanServer

    def plan(self, name, ends):
        trajectory = SimpleNamespace(duration=2.0)
        return SimpleNamespace(
            name=name, certificate_path=f"/c/{name}/motion.json", ends=ends, certificate=None,
            motion=SimpleNamespace(trajectory=trajectory),
            request=SimpleNamespace(start=self.q),
        )  # fmt: skip

    async def made(self, message, unwanted, own):
        if self.lost == "plan":
            raise InputError("Nothing was certified.")
        assert own
        return self.plan("motion", self.q + 1.0)

    async def way(self, message, target, unwanted):
        return self.plan(f"way to {target[0]:g}", target)

    def keep(self, plan):
        pass

    # EstimatorLink

    async def is_heard(self):
        return True

    async def begin(self, known_mass, enough, anew):
        self.done.append(f"begin {list(known_mass)}")
        return BeginRun.Response(
            success=self.success, running=True, recording=self.recording, message="It runs.",
            tared="tare" in self.done,
        )  # fmt: skip

    async def call(self, name):
        if name == self.lost:
            raise EstimatorLostError("It has ended.")
        self.done += [name] * (name != "validate")
        if name == "validate":
            return Validate.Response(
                success=True, agrees=self.agrees, seconds=self.held_out, message="Nothing."
            )
        if name == "save":
            return Save.Response(success=True, path="/bag")
        return SimpleNamespace(success=True, message=f"{name} is done.")

    def end(self):
        self.done.append("end")

    async def newest(self):
        if self.lost == "newest":
            raise EstimatorLostError("The node /estimator is inactive.")
        return self.estimate


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    async def until(node, condition, seconds):
        return condition()

    monkeypatch.setattr(identify_run, "until", until)


def world(**fields):
    """Return a world with a goal of one motion."""
    return World(**{"one_motion": True} | fields)


def test_the_arm_goes_to_the_start_and_excites():
    made = world(start_positions=[0.5] * 7, known_mass=[1.0, 0.2])
    result = made.run()
    assert made.done == ["begin [1.0, 0.2]", "way to 0.5", "motion", "stop", "save"]
    assert result.success and result.saved == "/bag" and result.recording == "/bag"
    assert result.certificates == "/c/motion"
    assert made.the_run.stages.progress()[0] > 0.9


@pytest.mark.parametrize("stage", ["way to 0.5", "motion"])
def test_what_is_cancelled_in_motion_is_solved_and_nothing_moves_any_more(stage):
    made = world(start_positions=[0.5] * 7)
    made.reasons[stage] = (Reason.CANCELLED, "It was cancelled.")
    result = made.run()
    assert made.done[-3:] == [stage, "stop", "save"]
    assert result.error_code == Result.CANCELLED and result.estimate == FOUND
    assert "0.9 and 1.1 kg" in result.message


@pytest.mark.parametrize("stage", ["way to 0.5", "motion"])
def test_after_a_pause_it_plans_anew_and_goes_on(stage):
    made = world(start_positions=[0.5] * 7)
    made.reasons[stage] = (Reason.PAUSED, "It rests.")
    assert made.run().success
    again = made.done[made.done.index("resumed") + 1 :]
    assert made.done[made.done.index("resumed") - 1] == stage
    assert again[-3:] == ["motion", "stop", "save"] and again[0] in (stage, "motion")


@pytest.mark.parametrize("stands", [True, False])
def test_what_is_cancelled_before_it_moves_ends_the_run_and_solves_nothing(stands):
    made = world()
    made.unwanted, made.stands = "The goal was cancelled", stands
    result = made.run()
    assert result.at_rest is stands
    assert made.done == [] and result.error_code == Result.CANCELLED
    made = world()
    made.unwanted = "STOP was asked for (~/stop)"
    assert made.run().message == "STOP was asked for (~/stop)."


@pytest.mark.parametrize(
    ("lost", "code", "done"),
    [
        ("arm", Result.ARM_NOT_READY, []),
        ("plan", Result.NOT_PLANNED, ["begin []", "stop"]),
        ("stop", Result.ESTIMATOR_LOST, ["begin []", "motion"]),
    ],
)
def test_what_is_missing_ends_the_goal_with_its_code(lost, code, done):
    made = world()
    made.lost = lost
    assert made.run().error_code == code and made.done == done


def test_a_tare_is_kept_unless_the_data_prove_a_load():
    only = world(tare=Goal.TARE_ONLY, known_mass=[1.0, 0.2])
    only.estimate = PayloadEstimate(status=PayloadEstimate.SMALL_LOAD, phi=PHI, upper=PHI)
    result = only.run()
    assert only.done == ["begin []", "motion", "tare", "stop"]
    assert result.tared and result.success, result.message
    loaded = world(tare=Goal.TARE_ONLY)
    result = loaded.run()
    assert result.error_code == Result.NOT_TARED and loaded.done == ["begin []", "motion", "stop"]
