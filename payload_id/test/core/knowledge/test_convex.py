"""Constraints of CVXPY become statements, and what cannot be proven is refused with a sentence."""

import cvxpy as cp
import numpy as np
import pytest

from payload_id.core.body.payload_prior import PayloadPrior
from payload_id.core.bounds.before_data import BeforeData
from payload_id.core.bounds.interval import Interval
from payload_id.core.errors import InputError
from payload_id.core.knowledge.catalogue import CentreNearPoint, knowledge_of
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


@pytest.mark.parametrize(
    "constraints, said",
    [
        (lambda phi: [phi[0] >= 1, cp.Constant(1) <= 0], "'constraint 2: .*' can never hold"),
        (lambda phi: [0 * phi[0] >= 1], "'constraint 1: .*' can never hold"),
        (lambda phi: [0 * phi[0] == 1e-6], "can never hold"),
        (lambda phi: [cp.norm(np.ones(3)) <= 1 + 0 * phi[0]], "can never hold"),
        (lambda phi: [cp.SOC(1 + 0 * phi[0], 0 * phi[:3] + 1)], "can never hold"),
        (lambda phi: [cp.multiply([0, 1], phi[:2]) >= [1, 0]], "can never hold.*false by 1[.]"),
        (lambda phi: [np.diag([1, -1]) + 0 * phi[0] * np.eye(2) >> 0], "can never hold"),
        (lambda phi: [phi[0] >= 1e30], "numbers up to 1e[+]30"),
        (lambda phi: [cp.norm(phi[1:4] - 1e300) <= 1], "numbers up to 1e[+]300"),
    ],
)
def test_what_is_false_of_every_body_is_refused_by_name(constraints, said):
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


@pytest.mark.parametrize("coefficient", [1e-14, 1e-31, 1e-200])
def test_contradictions_are_found_however_small_a_coefficient(coefficient):
    with pytest.raises(InputError, match="constraint 1.*prior.mass_max"):
        BeforeData.of(stated(lambda phi: [coefficient * phi[0] >= 1]), BOX, PRIOR.shape())


def test_constraints_must_involve_phi():
    other = cp.Variable(10)
    for foreign in ([other >= 0, other <= 1], [0 * other[0] <= 1], [other[:4] == 1]):
        with pytest.raises(InputError, match="constraint 2.* does not involve phi"):
            stated(lambda phi, foreign=foreign: [phi[0] >= 1, *foreign])
    with pytest.raises(InputError, match="constraint 1.* does not involve phi"):
        stated(lambda phi: [0 * phi[0] + other[0] <= 1, other[0] >= 0])
    linked = stated(lambda phi: [other >= 0, other <= 1, phi == other])
    assert len(linked.names) == 1


@pytest.mark.filterwarnings("ignore:.*objective contains too many subexpressions")
def test_wrong_shape_is_refused():
    with pytest.raises((InputError, ValueError)):
        stated(lambda phi: [phi >= np.zeros(9)])


@pytest.mark.slow
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


def test_more_statements_than_an_update_can_carry_are_refused():
    many = {f"n{k}": CentreNearPoint([0.0, 0.0, 0.1], 0.05) for k in range(201)}
    with pytest.raises(InputError, match="at most 200"):
        knowledge_of(many)
