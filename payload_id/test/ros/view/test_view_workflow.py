"""The run as steps: what comes next, and why something cannot be done."""

from dataclasses import replace
from itertools import product

from payload_id.core.identification.status import Status
from payload_id.ros.view.session.workflow import (
    NODES,
    NodeSeen,
    Seen,
    identify_hindrance,
    next_step,
    steps,
)
from view_estimates import estimate_at

WELL = {name: NodeSeen(True, "ok", "as it should be") for name in NODES}
READY = Seen(nodes=WELL, idle=True, in_control=True, holder="Ada", may_move=True)


def named(seen):
    return {step.name: step for step in steps(seen)}


def test_the_steps_come_in_their_order():
    seen = READY
    assert next_step(steps(seen)).name == "plan"
    seen = replace(seen, plan="plan 1")
    assert next_step(steps(seen)).name == "preview"
    seen = replace(seen, previewed="plan 1")
    assert next_step(steps(seen)).name == "run"
    seen = replace(
        seen, executed="plan 1", running=True, estimate=estimate_at(status=Status.TOO_WIDE)
    )
    assert next_step(steps(seen)).name == "verdict"
    seen = replace(seen, running=False, estimate=estimate_at(status=Status.GOOD))
    assert next_step(steps(seen)).name == "save"
    seen = replace(seen, saved="runs/1")
    assert next_step(steps(seen)).name == "export"
    assert next_step(steps(replace(seen, exported="runs/1"))) is None
    assert next_step(steps(replace(seen, exported="runs/0"))).name == "export"


def test_a_plan_that_begins_elsewhere_has_to_be_made_anew():
    """As after a stop on its way: the estimator is not to forget a verdict for a refused motion."""
    seen = replace(READY, plan="p", previewed="p", at_start=False)
    found = named(seen)
    assert next_step(steps(seen)).name == "plan"
    assert all("plan again" in found[name].hindrance for name in ("run", "dry_run"))
    followed = replace(seen, executed="p")  # it may end elsewhere
    assert next_step(steps(followed)).name != "plan"


def test_a_newer_plan_has_to_be_looked_at_again():
    seen = replace(READY, plan="plan 2", previewed="plan 1", executed="plan 1")
    found = named(seen)
    assert not found["preview"].done and not found["run"].done
    assert "Preview" in found["run"].hindrance and "Preview" in found["dry_run"].hindrance


def test_nothing_moves_unless_everything_is_as_it_should_be():
    for change, words in (
        ({"in_control": False, "holder": "Bob"}, "Bob has control"),
        ({"may_move": False}, "--allow-motion"),
        ({"fault": "the tube was left"}, "the tube was left"),
        ({"idle": False}, "busy"),
        ({"doing": "planning"}, "planning"),
        ({"nodes": WELL | {"bridge": NodeSeen()}}, "bridge is not heard"),
    ):
        seen = replace(READY, plan="p", previewed="p", **change)
        moving = [step.hindrance for step in steps(seen) if step.moves]
        assert len(moving) == 3
        assert all(words in hindrance for hindrance in [*moving, identify_hindrance(seen)])


def test_in_no_state_does_a_step_move_the_arm_that_must_not():
    choices = product((False, True), repeat=5)
    for may_move, in_control, idle, fault, there in choices:
        seen = Seen(
            nodes=WELL if there else {}, plan="p", previewed="p", may_move=may_move,
            in_control=in_control, idle=idle, fault="a fault" if fault else "",
        )  # fmt: skip
        free = [step for step in steps(seen) if step.moves and not step.hindrance]
        allowed = may_move and in_control and idle and not fault and there
        assert bool(free) is allowed
        assert (not identify_hindrance(seen)) is allowed
