"""Constraints of CVXPY as statements: the library reduces them to cones [Agrawal2018].

CVXPY is asked for the cones that Clarabel takes; nothing is solved here. It is imported only where
somebody states constraints of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from ..errors import InputError, brief
from .knowledge import Knowledge
from .statement import Statement

Constraints = Callable[[Any], Sequence[Any]]  # of a CVXPY variable of shape (10,)
LONGEST_NAME = 80  # characters of a constraint that messages show
WHAT = "constraints: a function of the ten parameters phi that returns a list of CVXPY constraints"


def stated(constraints: Constraints) -> Knowledge:
    """Return constraints as statements, one for each of them.

    Those that share variables of the user's own make one statement together.

    Args:
        constraints: Takes a CVXPY variable phi of shape (10,), in the payload frame, SI units;
            returns constraints.

    Raises:
        InputError: CVXPY is missing; what is returned are no constraints, or not convex ones, or
            none that linear, second-order and semidefinite cones express.
    """
    if not callable(constraints):
        raise InputError(f"{WHAT}; found {brief(constraints)}.")
    try:
        import cvxpy
    except ImportError as error:
        raise InputError(
            "Constraints of your own need CVXPY, which is not installed: pip install cvxpy. What "
            "is in the catalogue of knowledge does without."
        ) from error
    phi = cvxpy.Variable(10, name="phi")
    found = constraints(phi)
    if not isinstance(found, (list, tuple)):
        raise InputError(f"{WHAT}; it returned {type(found).__name__}.")
    for k, constraint in enumerate(found):
        _check(cvxpy, constraint, k)
    statements = (_statement(cvxpy, phi, group) for group in _groups(phi, found))
    return Knowledge(tuple(each for each in statements if each is not None))


def _check(cvxpy: Any, constraint: Any, k: int) -> None:
    """Raise unless something is a convex constraint with known numbers."""
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
    groups: list[tuple[set[int], list[tuple[int, Any]]]] = []
    for k, constraint in enumerate(constraints):
        own = {variable.id for variable in constraint.variables()} - {phi.id}
        joined = [group for group in groups if group[0] & own]
        members = [entry for group in joined for entry in group[1]] + [(k, constraint)]
        groups = [group for group in groups if not group[0] & own]
        groups.append((own.union(*(group[0] for group in joined)), members))
    return sorted((members for _, members in groups), key=lambda members: members[0][0])


def _statement(cvxpy: Any, phi: Any, group: list[tuple[int, Any]]) -> Statement | None:
    """Return a group of constraints as one statement; None if it holds for every phi."""
    texts = "; ".join(str(constraint) for _, constraint in group)
    shown = texts if len(texts) <= LONGEST_NAME else texts[: LONGEST_NAME - 3] + "..."
    name = f"constraint {', '.join(str(k + 1) for k, _ in group)}: {shown}"
    objective = cvxpy.Minimize(cvxpy.sum(phi))  # so that all of phi is in the program
    problem = cvxpy.Problem(objective, [constraint for _, constraint in group])
    try:
        data = problem.get_problem_data(cvxpy.CLARABEL)[0]
    except cvxpy.error.SolverError as error:
        raise InputError(f"{name} cannot be written with cones: {error}") from error
    dims = data["dims"]
    if dims.exp or list(dims.p3d) or list(getattr(dims, "pnd", [])):
        raise InputError(
            f"{name} needs exponential or power cones; only linear, second-order (norms, squares) "
            "and semidefinite constraints can be proven here. Bound it by such ones."
        )
    first = data["param_prob"].var_id_to_col[phi.id]
    # s = b - A x in K
    A, b = np.asarray(data["A"].todense(), dtype=float), np.asarray(data["b"], dtype=float)
    A, b, bounded = _with_column_bounds(A, b, data, int(dims.zero))
    mine = np.arange(A.shape[1])
    inner = (mine >= first) & (mine < first + 10)
    none = np.full(int((~inner).sum()), np.inf)
    found = Statement(
        name, -A[:, inner], b, -A[:, ~inner], -none, none,
        int(dims.zero), int(dims.nonneg) + bounded, tuple(map(int, dims.soc)),
        tuple(map(int, dims.psd)),
    ).without_constants()  # fmt: skip
    if found.F.any():
        return found
    _decide(phi, group, found)
    return None


def _decide(phi: Any, group: list[tuple[int, Any]], found: Statement) -> None:
    """Raise unless constraints in which phi has no part are true."""
    if any(v.id != phi.id for _, constraint in group for v in constraint.variables()):
        raise InputError(
            f"{found.name} does not involve phi, so that it says nothing of the payload. Constrain "
            "the variable that your function is given; others may stand beside it in the same "
            "constraints."
        )
    phi.value = np.zeros(10)  # any value: its coefficients are zero
    if len(found.g) and not all(constraint.value() for _, constraint in group):
        raise InputError(f"'{found.name}' can never hold: it has no variable, and is false.")


def _with_column_bounds(
    A: Array, b: Array, data: dict[str, Any], zero: int
) -> tuple[Array, Array, int]:
    """Return the program with bounds that CVXPY keeps beside it as rows after the equalities."""
    rows, right = [], []
    for key, sign in (("lower_bounds", -1.0), ("upper_bounds", 1.0)):
        bound = data.get(key)
        if bound is None:
            continue
        known = np.flatnonzero(np.isfinite(bound))
        rows.append(sign * np.eye(A.shape[1])[known])
        right.append(sign * np.asarray(bound, dtype=float)[known])
    if not rows:
        return A, b, 0
    added, values = np.vstack(rows), np.concatenate(right)
    whole = np.vstack([A[:zero], added, A[zero:]])
    return whole, np.concatenate([b[:zero], values, b[zero:]]), len(values)
