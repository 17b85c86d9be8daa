"""Constraints of CVXPY become statements, and what cannot be proven is refused by its number."""

import cvxpy as cp
import numpy as np
import pytest

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds.before_data import BeforeData
from payload_id.core.bounds.interval import Interval
from payload_id.core.errors import InputError
from payload_id.core.knowledge.convex import stated
from payload_id.core.knowledge.knowledge import NOTHING, Knowledge

PRIOR = PayloadPrior(10.0, 0.5)
BOX = Interval(*PRIOR.box())
FOREIGN = cp.Variable(10)
NO_CONVEX_SET = (
    (lambda phi: [cp.norm(phi[1:4]) >= 0.1], "Constraint 1"),
    (lambda phi: [phi[0] >= 1, phi[0] * phi[1] <= 1], "Constraint 2"),
    (lambda phi: [True], "entry 1"),
    (lambda phi: phi[0] >= 1, "returned"),
    (lambda phi: None, "NoneType"),
    (lambda phi: [cp.exp(phi[0]) <= 3], "exponential"),
    (lambda phi: [phi[0] <= cp.Parameter()], "without values"),
    (lambda phi: [phi[0] == cp.Variable(integer=True)], "whole numbers"),
    (lambda phi: [phi[0] <= np.inf], "finite"),
    (lambda phi: [phi[0] >= 1e30], "1e[+]30"),
)
FALSE_OF_EVERY_BODY = (
    (lambda phi: [phi[0] >= 1, cp.Constant(1) <= 0], "constraint 2: "),
    (lambda phi: [0 * phi[0] >= 1], "constraint 1: "),
    (lambda phi: [0 * phi[0] == 1e-6], "constraint 1: "),
    (lambda phi: [cp.norm(np.ones(3)) <= 1 + 0 * phi[0]], "constraint 1: "),
    (lambda phi: [cp.SOC(1 + 0 * phi[0], 0 * phi[:3] + 1)], "constraint 1: "),
    (lambda phi: [cp.multiply([0, 1], phi[:2]) >= [1, 0]], "by 1[.]"),
    (lambda phi: [np.diag([1, -1]) + 0 * phi[0] * np.eye(2) >> 0], "constraint 1: "),
)
NOT_OF_PHI = (
    (lambda phi: [phi[0] >= 1, FOREIGN >= 0, FOREIGN <= 1], "constraint 2"),
    (lambda phi: [phi[0] >= 1, 0 * FOREIGN[0] <= 1], "constraint 2"),
    (lambda phi: [0 * phi[0] + FOREIGN[0] <= 1, FOREIGN[0] >= 0], "constraint 1"),
)
CONTRADICTIONS = (
    (lambda phi: [phi[0] >= 2, phi[1] <= 0.1, phi[0] <= 1], "constraint 1.*constraint 3"),
    (lambda phi: [phi[0] >= 11], "constraint 1.*prior.mass_max"),
    (lambda phi: [1e-200 * phi[0] >= 1], "constraint 1.*prior.mass_max"),
    (lambda phi: [phi[0] >= 5, phi[4] <= 1e-9, phi[3] >= 1.0], "constraint 2.*constraint 3"),
    (lambda phi: [cp.norm(phi[1:4]) <= cp.Variable() - 1, phi[0] == 1], "constraint 1.*bounds"),
)


def test_constraints_that_share_a_variable_make_one_statement():
    def constraints(phi):
        t = cp.Variable()
        return [phi[0] <= 2, cp.abs(phi[1]) <= t, phi[0] >= 1, cp.norm(phi[2:4]) <= t, t <= 0.1]

    names = [name.split(":")[0] for name in stated(constraints).names]
    assert names == ["constraint 1", "constraint 2, 4, 5", "constraint 3"]
    assert stated(lambda phi: []) == NOTHING
    assert len(stated(lambda phi: [FOREIGN >= 0, FOREIGN <= 1, phi == FOREIGN]).names) == 1


@pytest.mark.parametrize("refused", [NO_CONVEX_SET, FALSE_OF_EVERY_BODY, NOT_OF_PHI])
def test_what_cannot_be_stated_is_refused_with_its_number(refused):
    for constraints, said in refused:
        with pytest.raises(InputError, match=said):
            stated(constraints)


def test_what_is_true_of_every_body_is_left_out():
    def constraints(phi):
        return [
            cp.Constant(1) >= 0,
            0 * phi[0] <= 1,
            phi[0] - phi[0] == 0,
            0 * phi[0] + 0.3 >= 0.1 + 0.2,  # false by a rounding
            cp.norm(np.ones(3)) <= 2 + 0 * phi[0],
            np.eye(2) + 0 * phi[0] * np.eye(2) >> 0,
            cp.multiply([0, 1], phi[:2]) <= [1, 0.1],
        ]

    found = stated(constraints)
    assert [name.split(":")[0] for name in found.names] == ["constraint 7"]
    assert found.statements[0].g == pytest.approx([0.1])


def test_statements_that_contradict_each_other_are_named_and_no_others():
    for constraints, said in CONTRADICTIONS:
        with pytest.raises(InputError, match=said) as caught:
            BeforeData.of(stated(constraints), BOX, PRIOR.shape())
        if said == "constraint 1.*constraint 3":
            assert "constraint 2" not in str(caught.value)


def test_two_statements_of_one_name_are_refused():
    one = stated(lambda phi: [phi[0] >= 1])
    with pytest.raises(InputError, match="another name"):
        Knowledge((*one.statements, *one.statements))


def test_bounds_of_own_variables_count():
    """CVXPY may keep a variable's own bounds beside the constraints."""

    def constraints(phi):
        t = cp.Variable(bounds=[0.0, 0.03])
        return [cp.norm(phi[1:4]) <= t]

    found = BeforeData.of(stated(constraints), BOX, PRIOR.shape()).interval
    assert found.upper[1:4] == pytest.approx(0.03, rel=1e-4)
    assert found.lower[1:4] == pytest.approx(-0.03, rel=1e-4)
