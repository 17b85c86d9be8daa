"""The search for a motion: within limits, better than chance, certified, in time, repeatable."""

from __future__ import annotations

import numpy as np

from arms import arm, joint_torques
from payload_id.core.excitation.search.planning import Budget, NoPlan, Plan, plan
from payload_id.core.excitation.search.verdict import Verdict
from planning_scene import ACCEPT, HANDOVER, LIMITS, REFUSE, Clock, some, task


def accept(motion: object) -> Verdict:
    return ACCEPT


def test_sampled_torques_hold_for_every_corner_of_the_box():
    made, x = task(), some(2)
    usage = made.usage(x)[:, :-3]
    motion = made.family.motion(x, made.usage.instants)
    rng, model = np.random.default_rng(0), arm("gen3")
    for _ in range(20):
        phi = np.where(rng.random(10) < 0.5, made.box.payload_lower, made.box.payload_upper)
        links = np.where(rng.random((7, 10)) < 0.5, made.box.links_lower, made.box.links_upper)
        for c in range(2):
            states = motion.q[c], motion.dq[c], motion.ddq[c]
            torque = np.abs(joint_torques(model, links, phi, *states)) / LIMITS.torque
            torque[made.usage.instants >= HANDOVER] /= 0.93
            # The links' share is that of typical motions, not of these ones.
            assert (torque <= usage[c] + 0.02).all()


def test_slopes_of_limits_are_those_of_finite_differences_the_next_piece_included():
    made = task(family="wave", seed=1)
    x, direction = 0.5 * some(2, 1, made.family.size)
    for h, rows in ((1e-4, slice(0, -3)), (1e-6, slice(-3, None))):
        ahead, behind = (made.usage(x[None] + sign * h * direction)[0] for sign in (1.0, -1.0))
        numeric = ((ahead - behind) / (2 * h))[rows]
        found = (made.usage.gradient(x) @ direction).reshape(ahead.shape)[rows]
        # |torque| has a kink at 0, extrema over time jump, and some joints have no limit.
        smooth = np.isfinite(numeric) & (np.abs(made.usage(x[None])[0][rows]) > 0.01)
        assert np.quantile(np.abs(found - numeric)[smooth], 0.9) < 1e-3


def test_the_plan_is_better_than_chance_keeps_the_limits_and_is_the_seed_s():
    made = task()
    one, again, other = (plan(made, accept, Budget(evaluations=300), k, Clock()) for k in (7, 7, 8))
    assert isinstance(one, Plan) and one.certificate == "certificate"
    random = np.random.default_rng(5).uniform(-1.0, 1.0, (50, 7))
    feasible = random[made.usage(random).max(axis=(1, 2)) <= 1.0]
    assert one.value < made.value(feasible).min()
    assert made.usage(one.parameters[None]).max() <= 1.0
    assert np.array_equal(one.parameters, again.parameters) and one.value == again.value
    assert not np.array_equal(one.parameters, other.parameters)


def test_only_what_the_certifier_accepts_is_returned_best_first():
    made, asked = task(), []

    def fourth(motion: object) -> Verdict:
        asked.append(motion)
        return Verdict(len(asked) >= 4, f"answer {len(asked)}", "not this one")

    found = plan(made, fourth, Budget(evaluations=300), 1, Clock())
    assert isinstance(found, Plan) and found.asked == len(asked) >= 4
    accepted = int(found.certificate.split()[1])
    assert accepted >= 4 and found.trajectory is asked[accepted - 1]


def test_a_hopeless_task_is_a_refusal_with_the_reason_of_the_calmest():
    calls = []

    def certify(motion: object) -> Verdict:
        calls.append(motion)
        return Verdict(False, f"refusal {len(calls)}", f"reason {len(calls)}")

    found = plan(task(), certify, Budget(evaluations=200), 1, Clock())
    assert isinstance(found, NoPlan) and found.asked == len(calls) <= 20
    assert f"reason {len(calls)}" in found.reason and found.answer == f"refusal {len(calls)}"
    first, last = (np.ptp(x.at(np.linspace(0, 3, 99)).q, axis=0) for x in (calls[0], calls[-1]))
    assert (last < 0.2 * first.max()).all()


def test_no_answer_is_later_than_the_budget_and_a_plan_is_never_worse_for_more_time():
    """A slow certifier is asked only while its answer comes in time."""
    for answer, asked in ((REFUSE, 2), (ACCEPT, 1)):
        clock = Clock(1e-3)

        def slow(motion: object, clock: Clock = clock, answer: Verdict = answer) -> Verdict:
            clock.now += 0.5
            return answer

        found = plan(task(), slow, Budget(seconds=1.5), 1, clock)
        assert isinstance(found, Plan) is answer.accepted
        assert found.seconds <= 1.5 and found.asked == asked
    rushed = plan(task(), accept, Budget(seconds=-1.0), 1, Clock(1e-2))
    assert isinstance(rushed, NoPlan) and rushed.answer is None and "before any" in rushed.reason
    asked = []

    def once(motion: object) -> Verdict:
        asked.append(motion)
        return ACCEPT if len(asked) == 1 else REFUSE

    budget = Budget(seconds=0.2, evaluations=np.inf)
    first, better = (plan(task("half_widths"), answer, budget, 1, Clock(2e-3))
                     for answer in (once, accept))  # fmt: skip
    assert first.trajectory is asked[0] and better.value <= first.value
    assert max(first.seconds, better.seconds) <= budget.seconds
