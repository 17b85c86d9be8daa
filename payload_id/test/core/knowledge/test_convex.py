"""Constraints of CVXPY become statements, and what cannot be proven is refused with a sentence."""

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


def test_constraints_that_share_a_variable_make_one_statement():
    def constraints(phi):
        t = cp.Variable()
        return [phi[0] <= 2, cp.abs(phi[1]) <= t, phi[0] >= 1, cp.norm(phi[2:4]) <= t, t <= 0.1]

    names = stated(constraints).names
    assert [name.split(":")[0] for name in names] == [
        "constraint 1",
        "constraint 2, 4, 5",
        "constraint 3",
    ]


def test_nothing_stated_is_nothing():
    assert stated(lambda phi: []) == NOTHING


@pytest.mark.parametrize(
    "constraints, said",
    [
        (lambda phi: [cp.norm(phi[1:4]) >= 0.1], "Constraint 1, .* not convex"),
        (lambda phi: [phi[0] >= 1, phi[0] * phi[1] <= 1], "Constraint 2, .* not convex"),
        (lambda phi: [True], "entry 1 is True"),
        (lambda phi: phi[0] >= 1, "returned"),
        (lambda phi: None, "returned NoneType"),
        (lambda phi: [cp.exp(phi[0]) <= 3], "exponential"),
        (lambda phi: [phi[0] <= cp.Parameter()], "without values"),
        (lambda phi: [phi[0] == cp.Variable(integer=True)], "whole numbers"),
        (lambda phi: [phi[0] == cp.Variable(boolean=True)], "whole numbers"),
        (lambda phi: [phi[0] <= np.inf], "finite"),
    ],
)
def test_what_is_no_convex_set_is_refused_with_its_number(constraints, said):
    with pytest.raises(InputError, match=said):
        stated(constraints)


@pytest.mark.filterwarnings("ignore:.*objective contains too many subexpressions")
def test_wrong_shape_is_refused():
    with pytest.raises((InputError, ValueError)):
        stated(lambda phi: [phi >= np.zeros(9)])


@pytest.mark.parametrize(
    "constraints, said",
    [
        (lambda phi: [phi[0] >= 2, phi[0] <= 1], "constraint 1.*constraint 2"),
        (lambda phi: [phi[0] >= 2, phi[1] <= 0.1, phi[0] <= 1], "constraint 1.*constraint 3"),
        (lambda phi: [phi[0] >= 11], "constraint 1.*prior.mass_max"),
        (lambda phi: [phi[0] >= 5, phi[4] <= 1e-9, phi[3] >= 1.0], "constraint 2.*constraint 3"),
        (lambda phi: [cp.norm(phi[1:4]) <= cp.Variable() - 1, phi[0] == 1], "constraint 1.*bounds"),
    ],
)
def test_statements_that_contradict_each_other_are_named(constraints, said):
    with pytest.raises(InputError, match=said) as caught:
        BeforeData.of(stated(constraints), BOX, PRIOR.shape())
    if "constraint 3" in said and "constraint 2" not in said:
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
