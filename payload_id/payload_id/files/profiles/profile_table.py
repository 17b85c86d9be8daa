"""Profiles beside each other, as a Markdown table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...core.arrays import Array
from ..robots.robot_keys import RobotProfile

UNKNOWN = "unknown"


def profile_table(profiles: Sequence[RobotProfile]) -> str:
    """Return a table with a row for each fact and a column for each profile."""
    heads = ["", *(f"`{profile.name}`" for profile in profiles)]
    rows = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for title, shown in _ROWS:
        cells = [title, *(shown(profile) or UNKNOWN for profile in profiles)]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def _code(value: str | None) -> str:
    """Return a name as code, empty if it is unknown."""
    return f"`{value}`" if value else ""


def _codes(values: Sequence[str]) -> str:
    """Return names as code."""
    return ", ".join(map(_code, values))


def _number(value: float | None, unit: str) -> str:
    """Return a number with its unit, empty if it is unknown."""
    return "" if value is None else f"{value:g} {unit}"


def _joint_numbers(values: Array | None, unit: str) -> str:
    """Return one number for all joints, or one for each."""
    if values is None:
        return ""
    return ", ".join(f"{x:g}" for x in dict.fromkeys(values.tolist())) + f" {unit}"


def _effort(profile: RobotProfile) -> str:
    """Return what joint states' effort means."""
    effort = profile.effort
    if effort.source == "none":
        return "nothing useful"
    return f"{effort.source}, sign {_joint_numbers(effort.sign, '').strip()}"


def _ignored(profile: RobotProfile) -> str:
    """Return the commands that are accepted and ignored."""
    driver = profile.driver
    return (_codes(driver.ignored) or "none") if driver.exported and driver.executed else ""


def _tolerances(profile: RobotProfile) -> str:
    """Return the tolerances of a goal."""
    goal = profile.driver.goal
    parts = (
        ("path", _joint_numbers(goal.path, "rad")),
        ("end", _joint_numbers(goal.end, "rad")),
        ("time", _number(goal.time, "s")),
    )
    return ", ".join(f"{name} {value}" for name, value in parts if value)


def _follows(profile: RobotProfile) -> str:
    """Return the conditions under which the arm follows."""
    return "; ".join(
        f"`{x.topic}` {x.field} is {' or '.join(f'{value:g}' for value in x.allowed)}"
        for x in profile.driver.follows_while.values()
    )


def _payload(profile: RobotProfile) -> str:
    """Return how the controller is told of its load."""
    payload = profile.driver.payload
    if not payload.target:
        return ""
    through = _code(payload.service) or "no service: by hand"
    return f"`--as {payload.target}`, {through}, in the frame of {_code(payload.frame) or UNKNOWN}"


_ROWS: tuple[tuple[str, Callable[[RobotProfile], str]], ...] = (
    ("robot description", lambda x: "shipped" if x.urdf else "to be given"),
    ("joints", lambda x: _codes(x.joints)),
    ("read in", lambda x: x.driver.software or ""),
    ("joint states", lambda x: f"`{x.joint_states.topic}`, {x.joint_states.rate:g} Hz"),
    ("positions of endless joints", lambda x: x.joint_states.turns if x.urdf else ""),
    ("their age at the stamp", lambda x: _number(x.driver.state_delay, "s")),
    ("effort", _effort),
    ("controller manager", lambda x: _code(x.driver.controller_manager)),
    ("its rate", lambda x: _number(x.driver.update_rate, "Hz")),
    ("controller", lambda x: _code(x.driver.controller.name)),
    ("its type", lambda x: _code(x.driver.controller.type)),
    ("it commands", lambda x: _codes(x.driver.controller.command_interfaces)),
    ("commands that reach the arm", lambda x: _codes(x.driver.executed)),
    ("accepted and ignored", _ignored),
    ("ways to move it", lambda x: _codes(x.driver.back_ends)),
    ("tolerances of a goal", _tolerances),
    ("speed slider", lambda x: _code(x.driver.speed_scaling_topic)),
    ("follows while", _follows),
    ("reset", lambda x: ", then ".join(_code(step.service) for step in x.driver.reset.values())),
    ("told of its load", _payload),
    ("rated payload", lambda x: _number(x.driver.payload.rated_mass, "kg")),
)
