"""Constraints of CVXPY as statements: the library reduces them to cones [Agrawal2018].

CVXPY is asked for the cones that Clarabel takes; nothing is solved here. It is imported only where
somebody states something: it takes a second or two, and programs that run live need none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from ..body.inertial import PSEUDO_INERTIA_BASIS
from ..errors import InputError, brief, shortened
from .knowledge import Knowledge
from .statement import Statement

Constraints = Callable[[Any], Sequence[Any]]  # of a CVXPY variable of shape (10,)
WHAT = "constraints: a function of the ten parameters phi that returns a list of CVXPY constraints"


def pseudo_inertia_of(phi: Any) -> Any:
    """Return J(phi) of an expression of shape (10,), shape (4, 4)."""
    import cvxpy

    return cvxpy.reshape(PSEUDO_INERTIA_BASIS.reshape(10, 16).T @ phi, (4, 4), order="C")


def within(vector: Any, bound: Any, size: float) -> Any:
    """Return the constraint |vector| <= bound; that it is zero where the bound's size is zero."""
    import cvxpy

    vector = cvxpy.hstack(vector) if isinstance(vector, list) else vector
    return cvxpy.SOC(bound, vector) if size else vector == 0


def statement_of(name: str, constraints: Constraints) -> Statement:
    """Return convex constraints on phi as one statement.

    Raises:
        InputError: One of them cannot hold, or has a number that is out of range.
    """
    import cvxpy

    phi = cvxpy.Variable(10, name="phi")
    try:
        given = constraints(phi)
    except InputError as error:
        raise InputError(f"'{name}': {error}") from error
    return _statement(name, phi, given)


def stated(constraints: Constraints) -> Knowledge:
    """Return constraints as statements, one for each of them.

    Those that share variables of the user's own make one statement together.

    Args:
        constraints: Takes a CVXPY variable phi of shape (10,), in the payload frame, SI units;
            returns constraints.

    Raises:
        InputError: What is returned are no constraints, or not convex ones, or none that linear,
            second-order and semidefinite cones express.
    """
    import cvxpy

    if not callable(constraints):
        raise InputError(f"{WHAT}; found {brief(constraints)}.")
    phi = cvxpy.Variable(10, name="phi")
    given = constraints(phi)
    if not isinstance(given, (list, tuple)):
        raise InputError(f"{WHAT}; it returned {type(given).__name__}.")
    for k, constraint in enumerate(given):
        _check(constraint, k)
    found = []
    for group in _groups(phi, given):
        members = [constraint for _, constraint in group]
        shown = shortened("; ".join(map(str, members)))
        name = f"constraint {', '.join(str(k + 1) for k, _ in group)}: {shown}"
        statement = _statement(name, phi, members)
        if statement.F.any():
            found.append(statement)
        else:
            _decide(phi, members, statement)
    return Knowledge(tuple(found))


def _check(constraint: Any, k: int) -> None:
    """Raise unless something is a convex constraint with known numbers."""
    import cvxpy

    if not isinstance(constraint, cvxpy.constraints.constraint.Constraint):
        raise InputError(
            f"{WHAT}; entry {k + 1} is {constraint!r}. A comparison of numbers, not of phi, gives "
            "true or false: leave it out."
        )
    if not constraint.is_dcp():
        raise InputError(
            f"Constraint {k + 1}, {constraint}, is not convex by CVXPY's rules (DCP), so that no "
            "interval could rest on it. Write it as a convex one, such as ||h - m p|| <= r m for a "
            "distance r of the centre of mass from p; see https://dcp.dcp.expert/ for the rules."
        )
    unknown = [parameter for parameter in constraint.parameters() if parameter.value is None]
    if unknown:
        raise InputError(f"Constraint {k + 1}, {constraint}, has parameters without values.")
    if any(v.attributes["integer"] or v.attributes["boolean"] for v in constraint.variables()):
        raise InputError(f"Constraint {k + 1}, {constraint}, has whole numbers: it is not convex.")


def _groups(phi: Any, constraints: Sequence[Any]) -> list[list[tuple[int, Any]]]:
    """Return numbered constraints in groups that share no variable but phi."""
    own = [{variable.id for variable in x.variables()} - {phi.id} for x in constraints]
    shared = np.array([[bool(one & other) for other in own] for one in own], dtype=bool)
    numbered = list(enumerate(constraints))
    count, group = connected_components(shared.reshape(len(own), len(own)), directed=False)
    return [[numbered[k] for k in np.flatnonzero(group == g)] for g in range(count)]


def _statement(name: str, phi: Any, constraints: Sequence[Any]) -> Statement:
    """Return constraints as one statement."""
    import cvxpy

    objective = cvxpy.Minimize(cvxpy.sum(phi))  # so that all of phi is in the program
    problem = cvxpy.Problem(objective, list(constraints))
    try:
        data = problem.get_problem_data(cvxpy.CLARABEL)[0]
    except cvxpy.error.SolverError as error:
        raise InputError(f"'{name}' cannot be written with cones: {error}") from error
    dims = data["dims"]
    if dims.exp or list(dims.p3d) or list(getattr(dims, "pnd", [])):
        raise InputError(
            f"'{name}' needs exponential or power cones; only linear, second-order (norms, "
            "squares) and semidefinite constraints can be proven here. Bound it by such ones."
        )
    first = data["param_prob"].var_id_to_col[phi.id]
    # right - A x in the cones; of x phi and auxiliary variables z, which may have bounds of their
    # own beside the rows
    A, right = np.asarray(data["A"].todense(), dtype=float), np.asarray(data["b"], dtype=float)
    own = np.ones(A.shape[1], dtype=bool)
    own[first : first + 10] = False
    unbounded = np.full(A.shape[1], np.inf)
    lower, upper = data.get("lower_bounds"), data.get("upper_bounds")
    return Statement(
        name, -A[:, ~own], right, -A[:, own],
        np.asarray(-unbounded if lower is None else lower, dtype=float)[own],
        np.asarray(unbounded if upper is None else upper, dtype=float)[own],
        int(dims.zero), int(dims.nonneg), tuple(map(int, dims.soc)), tuple(map(int, dims.psd)),
    ).reduced()  # fmt: skip


def _decide(phi: Any, constraints: Sequence[Any], found: Statement) -> None:
    """Raise unless constraints in which phi has no part are true."""
    if any(v.id != phi.id for constraint in constraints for v in constraint.variables()):
        raise InputError(
            f"{found.name} does not involve phi, so that it says nothing of the payload. Constrain "
            "the variable that your function is given; others may stand beside it in the same "
            "constraints."
        )
    phi.value = np.zeros(10)  # any value: its coefficients are zero
    if len(found.g) and not all(constraint.value() for constraint in constraints):
        raise InputError(f"'{found.name}' can never hold: it has no variable, and is false.")
