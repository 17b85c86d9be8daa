"""The run as steps: what comes next, and why something cannot be done."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from payload_id_msgs.msg import (
    BridgeState,
    GraspFrame,
    GravityShare,
    PlanDescription,
    TeamEstimate,
    TeamFinding,
    TeamMember,
)

from payload_id.core.identification.headline import PROOF, Headline
from payload_id.core.identification.status import Status
from payload_id.ros.view.controls import MOVES
from payload_id.ros.view.team_page import team_html
from payload_id.ros.view.view_model import SET, texts, verdict_html
from payload_id.ros.view.workflow import (
    NODES,
    NodeHeard,
    Outcome,
    Progress,
    Snapshot,
    TaskState,
    identify_hindrance,
    next_step,
    steps,
)
from view_estimates import estimate_at

IDLE = BridgeState(state=BridgeState.IDLE)
WELL = {name: NodeHeard(True, "ok", "as it should be") for name in NODES}
RUNS = WELL | {"estimator": NodeHeard(True, "ok", "", {"running": "True"})}
READY = Snapshot(nodes=WELL, bridge=IDLE, may_move=True)
PLAN = PlanDescription(plan_id="plan 1")


def named(seen):
    return {step.name: step for step in steps(seen)}


def done(seen, **changes):
    """Return what is seen once more was done here."""
    return replace(seen, tasks=replace(seen.tasks, **changes))


def test_the_steps_come_in_their_order():
    seen = READY
    assert next_step(steps(seen)) == "plan"
    seen = replace(seen, plan=PLAN)
    assert next_step(steps(seen)) == "preview"
    seen = replace(seen, previewed="plan 1")
    assert next_step(steps(seen)) == "run"
    seen = replace(seen, nodes=RUNS, estimate=estimate_at(status=Status.TOO_WIDE))
    seen = done(seen, executed="plan 1")
    assert next_step(steps(seen)) == "verdict"
    seen = replace(seen, nodes=WELL, estimate=estimate_at(status=Status.GOOD))
    assert next_step(steps(seen)) == "save"
    seen = done(seen, saved="runs/1")
    assert next_step(steps(seen)) == "export"
    assert next_step(steps(done(seen, exported="runs/1"))) == ""
    assert next_step(steps(done(seen, exported="runs/0"))) == "export"


def test_a_plan_that_begins_elsewhere_has_to_be_made_anew():
    """As after a stop on its way: the estimator is not to forget a verdict for a refused motion."""
    seen = replace(READY, plan=PLAN, previewed="plan 1", at_start=False)
    found = named(seen)
    assert next_step(steps(seen)) == "plan"
    assert all("plan again" in found[name].hindrance for name in ("run", "dry_run"))
    assert next_step(steps(done(seen, executed="plan 1"))) != "plan"  # it may end elsewhere


def test_a_newer_plan_has_to_be_looked_at_again():
    seen = done(replace(READY, plan=PLAN, previewed="plan 0"), executed="plan 0")
    found = named(seen)
    assert not found["preview"].done and not found["run"].done
    assert "Preview" in found["run"].hindrance and "Preview" in found["dry_run"].hindrance


def test_nothing_moves_unless_everything_is_as_it_should_be():
    fault = BridgeState(state=BridgeState.FAULT, fault="the tube was left")
    for change, words in (
        ({"may_move": False}, "--allow-motion"),
        ({"bridge": fault}, "Acknowledge the fault"),
        ({"bridge": BridgeState(state=BridgeState.MOVING)}, "busy"),
        ({"tasks": TaskState(Progress("planning"))}, "planning"),
        ({"nodes": WELL | {"bridge": NodeHeard()}}, "bridge is not heard"),
    ):
        seen = replace(READY, plan=PLAN, previewed="plan 1", **change)
        moving = [step.hindrance for step in steps(seen) if step.name in MOVES]
        assert len(moving) == 3
        assert all(words in hindrance for hindrance in [*moving, identify_hindrance(seen)])


def test_in_no_state_does_a_step_move_the_arm_that_must_not():
    choices = product((False, True), (0, 1, 2, 3), ("", "a fault"), (False, True))
    for may_move, state, fault, there in choices:
        seen = Snapshot(
            nodes=WELL if there else {}, plan=PLAN, previewed="plan 1", may_move=may_move,
            bridge=BridgeState(state=state, fault=fault),
        )  # fmt: skip
        free = [step for step in steps(seen) if step.name in MOVES and not step.hindrance]
        allowed = may_move and state == IDLE.state and not fault and there
        assert bool(free) is allowed
        assert (not identify_hindrance(seen)) is allowed


def test_a_fault_is_told_once_and_the_check_says_what_the_nodes_say():
    words = "The arm left its tube."
    fault = f"TUBE_LEFT: {words}"
    nodes = WELL | {"bridge": NodeHeard(True, "error", f"In fault: {fault}")}
    seen = replace(
        READY, nodes=nodes, bridge=BridgeState(state=BridgeState.FAULT, fault=fault),
        tasks=TaskState(outcome=Outcome("run", False, f"It was stopped. {words}")),
    )  # fmt: skip
    shown = texts(seen)
    assert repr((shown, steps(seen))).count(words) == 1 and fault in shown["fault"]
    assert named(seen)["check"].said == "bridge: see Nodes." and not named(seen)["check"].done
    warned = replace(READY, nodes=WELL | {"planner": NodeHeard(True, "warning", "slow")})
    assert "planner" in named(warned)["check"].said and "▲ <b>planner" in texts(warned)["Nodes"]


@pytest.mark.parametrize("status", Status)
def test_the_verdict_comes_first_and_what_it_rests_on_as_a_table(status):
    rests = ("the links (doubtful from 1 % more, false from 2 %, noticed from 3 %)",)
    number = Headline(PROOF, *(np.full(4, x) for x in (1.0, 0.9, 1.1)))
    estimate = replace(estimate_at(status=status), headline=number)
    said = f"Because. The mass rests on: {rests[0]}."
    shown = verdict_html(replace(estimate, message=said), rests)
    assert shown.index(status.words) < shown.index("Because.")
    assert shown.count("the links") == 1
    assert "<td>1 % more</td><td>2 %</td><td>3 %</td>" in shown
    known = status in (Status.GOOD, Status.TOO_WIDE, Status.SMALL_LOAD)
    assert ("1.00 kg (0.90 to 1.10; proof)" in shown) is known


def test_sentences_of_nodes_cannot_become_markup():
    said = str(SET.list(['<img src=x onerror=alert(1)> & "q" \x1b[31m\n# e']))
    shown = said.strip().removeprefix("<ul><li>").removesuffix("</li></ul>")
    assert "onerror" in shown and not set('<>"\n\x1b') & set(shown)


def test_a_team_is_told_with_its_grasps_and_what_is_wrong():
    ends = [np.full(10, x) for x in (2.0, 1.9, 2.1)]
    far = GraspFrame(robot="two", known=True)
    far.transform.translation.x = 0.5
    said = TeamEstimate(
        status=TeamEstimate.INCONSISTENT, phi=ends[0], lower=ends[1], upper=ends[2],
        members=[TeamMember(robot="one", holds=True), TeamMember(robot="two", age=np.inf)],
        frames=[GraspFrame(robot="one"), far],
        shares=[GravityShare(share=0.3, valid=True), GravityShare()],
        findings=[TeamFinding(sentence="<b>two</b> slipped")],
    )  # fmt: skip
    said.centre.position.x = 1.0
    shown = team_html(said)
    assert shown.index(Status.INCONSISTENT.words) < shown.index("2.00 [1.90, 2.10] kg")
    assert "<td>one</td><td>not known</td><td>30%</td><td>holds</td>" in shown
    assert "<td>two</td><td>0.500, 0.000, 0.000</td><td>-</td><td>not heard</td>" in shown
    assert "x 1000 (905 to 1105) mm" in shown and "&lt;b&gt;two" in shown
    nothing = TeamEstimate(phi=np.full(10, np.nan))
    assert Status.WAITING.words in team_html(nothing) and "kg</b>" not in team_html(nothing)
