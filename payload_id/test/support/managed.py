"""Transitions of managed nodes, asked for by an observer."""

from __future__ import annotations

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState

from harness import Observer


def change(observer: Observer, node: str, label: str) -> bool:
    """Ask for a transition; return whether it was made."""
    wanted = Transition(label=label)
    return observer.call(ChangeState, f"/{node}/change_state", transition=wanted).success


def state(observer: Observer, node: str) -> str:
    """Return the name of a node's state."""
    return observer.call(GetState, f"/{node}/get_state").current_state.label
