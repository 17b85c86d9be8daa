"""Messages whose fields hold anything that their types allow, from a seed."""

from __future__ import annotations

import importlib
import math
import re
from typing import Any

import numpy as np

NUMBERS = (0.0, 1.0, -1.0, 1e-300, 1e308, -1e308, math.nan, math.inf, -math.inf, 0.02)
TEXTS = ("", "x", "joint_1", "base_link", "../../x", "a\nb", "é" * 40, "/", "~/x", "%s{}", "0")
WHOLE = re.compile(r"(u?)int(\d+)")
SEVERAL = re.compile(
    r"(?:sequence<(?P<of>.+?)(?:, (?P<most>\d+))?>|(?P<each>.+)\[(?P<count>\d+)\])$"
)


def interface(name: str) -> Any:
    """Return the class of an interface such as "std_srvs/srv/Trigger"."""
    package, kind, name = name.split("/")
    module = importlib.import_module(f"{package}.{kind}")
    if kind == "action" and "_" in name:  # a service of an action
        action, service = name.split("_")
        found = getattr(module, action).Impl
        return getattr(found, service, None) or getattr(found, f"{service}Service")
    return getattr(module, name)


def junk(kind: Any, random: np.random.Generator) -> Any:
    """Return a message of a class with anything in its fields."""
    message = kind()
    for field, type_name in kind.get_fields_and_field_types().items():
        setattr(message, field, _value(type_name, random))
    return message


def _value(type_name: str, random: np.random.Generator) -> Any:
    if several := SEVERAL.match(type_name):
        most = several["most"]
        count = int(several["count"] or random.integers(0, min(9, int(most or 9)) + 1))
        return [_value(several["of"] or several["each"], random) for _ in range(count)]
    if type_name == "boolean":
        return bool(random.integers(2))
    if type_name == "octet":
        return bytes([random.integers(256)])
    if type_name in ("float", "double"):
        value = float(random.choice(NUMBERS))
        return value if type_name == "double" or abs(value) < 1e30 else math.copysign(1e30, value)
    if whole := WHOLE.match(type_name):
        bits = int(whole[2]) - (not whole[1])
        lowest = 0 if whole[1] else -(2**bits)
        return (0, 0, 1, 1, 2, lowest, 2**bits - 1)[random.integers(7)]
    if type_name.startswith(("string", "wstring")):
        return str(random.choice(TEXTS))
    package, name = type_name.split("/")
    if "_" in name:  # a part of an action
        action, part = name.split("_")
        return junk(getattr(interface(f"{package}/action/{action}"), part), random)
    return junk(interface(f"{package}/msg/{name}"), random)
