"""Policies for SROS 2 (schema 0.2.0): for each node what it does, for each role what it may do.

An enclave belongs to a process: each node has one of its own name, each role of clients one of the
role's. What no profile allows is denied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby
from string import Formatter
from xml.etree import ElementTree

from ...core.errors import ConfigurationError, UnknownNameError
from .interfaces import INTERFACES, NAMES, OF_ROS, SEVERAL, TOGETHER, Role, Way, all_of

ROOT = "/payload_id"  # of the enclaves' paths
CLIENT = "payload_client"  # node of `PayloadClient`, which every command uses

# Attribute of an element for what a node does, and of that for what its user does.
DOES = {
    Way.OUT: ("topic", "publish"),
    Way.IN: ("topic", "subscribe"),
    Way.SERVICE: ("service", "reply"),
    Way.ACTION: ("action", "execute"),
    Way.CALL: ("service", "request"),
    Way.GOAL: ("action", "call"),
}
MAY = {
    Way.OUT: ("topic", "subscribe"),
    Way.IN: ("topic", "publish"),
    Way.SERVICE: ("service", "request"),
    Way.ACTION: ("action", "call"),
}


@dataclass(frozen=True, order=True)
class Rule:
    """One thing that is allowed.

    Attributes:
        kind: "topic", "service" or "action".
        verb: "publish", "subscribe", "reply", "request", "execute" or "call".
        name: Full name of what it is done to.
    """

    kind: str
    verb: str
    name: str


@dataclass(frozen=True)
class Profile:
    """What a node may do.

    Attributes:
        namespace: Of the node.
        node: Its name.
        rules: All that it may do, in order.
    """

    namespace: str
    node: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Enclave:
    """What the nodes of a process may do.

    Attributes:
        path: Its name, such as "/payload_id/payload_planner".
        profiles: One for each of its nodes.
    """

    path: str
    profiles: tuple[Profile, ...]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All that it may do, in order."""
        return tuple(sorted({rule for profile in self.profiles for rule in profile.rules}))


def enclaves(names: Mapping[str, str], namespace: str = "/") -> tuple[Enclave, ...]:
    """Return the enclaves of all nodes and of all roles.

    Args:
        names: Replace entries of `NAMES`; an empty one leaves out what it names.
        namespace: Of the nodes.

    Raises:
        UnknownNameError: There is no such entry.
        ConfigurationError: A name, or the namespace, cannot be one of ROS.
    """
    space = _checked(namespace if namespace.startswith("/") else f"/{namespace}", "namespace")
    known = {**NAMES, **_checked_names(names)}
    processes = {**{node: (node,) for node in INTERFACES}, **TOGETHER}
    path = f"{ROOT}{space}".rstrip("/")
    found = []
    for name, nodes in processes.items():
        profiles = (Profile(space, x, _ordered(_rules(x, DOES, known, space))) for x in nodes)
        found.append(Enclave(f"{path}/{name}", tuple(profiles)))
    own = [Rule(*DOES[entry.way], _full(entry.name, "/", CLIENT)) for entry in OF_ROS]
    for role in Role:
        uses = (_rules(node, MAY, known, space, role) for node in INTERFACES)
        client = Profile("/", CLIENT, _ordered(chain(own, *uses)))
        found.append(Enclave(f"{path}/{role.value}", (client,)))
    return tuple(found)


def _checked_names(names: Mapping[str, str]) -> Mapping[str, str]:
    """Return names that replace entries of `NAMES`."""
    for key, value in names.items():
        if key not in NAMES:
            raise UnknownNameError("name in a policy", key, NAMES)
        for part in value.split() if key in SEVERAL else filter(None, [value]):
            _checked(part, key)
    return names


def _rules(
    node: str,
    ways: Mapping[Way, tuple[str, str]],
    known: Mapping[str, str],
    space: str,
    role: Role | None = None,
) -> Iterator[Rule]:
    """Yield what a node does, or what those of a role may do with it."""
    for entry in all_of(node):
        if entry.way not in ways or not (role is None or _includes(role, entry.role)):
            continue
        if not all(known[x] for _, x, _, _ in Formatter().parse(entry.name) if x):
            continue
        for part in entry.name.format(**known).split():
            yield Rule(*ways[entry.way], _full(part, space, node))


def policy_xml(found: Iterable[Enclave]) -> str:
    """Return a policy as `ros2 security` reads it."""
    root = ElementTree.Element("policy", version="0.2.0")
    everything = ElementTree.SubElement(root, "enclaves")
    for enclave in found:
        element = ElementTree.SubElement(everything, "enclave", path=enclave.path)
        profiles = ElementTree.SubElement(element, "profiles")
        for entry in enclave.profiles:
            profile = ElementTree.SubElement(
                profiles, "profile", ns=entry.namespace, node=entry.node
            )
            for (kind, verb), rules in groupby(entry.rules, lambda rule: (rule.kind, rule.verb)):
                allowed = ElementTree.SubElement(profile, f"{kind}s", {verb: "ALLOW"})
                for rule in rules:
                    ElementTree.SubElement(allowed, kind).text = rule.name
    return xml_text(root)


def xml_text(root: ElementTree.Element) -> str:
    """Return a document as text."""
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def _ordered(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(set(rules)))


def _includes(role: Role, least: Role | None) -> bool:
    """Tell whether a role may do what is allowed from another one on."""
    order = list(Role)
    return least is not None and order.index(least) <= order.index(role)


def _full(name: str, space: str, node: str) -> str:
    """Return a name as ROS resolves it."""
    if name.startswith("/"):
        return name
    space = space.rstrip("/")
    return f"{space}/{node}{name[1:]}" if name.startswith("~") else f"{space}/{name}"


def _checked(name: str, what: str) -> str:
    """Return a name that ROS could have."""
    if name != "/" and not re.fullmatch(r"/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*", name, re.ASCII):
        raise ConfigurationError(
            f"The {what} {name!r} is no name of ROS: letters, digits, '_' and '/', no part of it "
            "beginning with a digit."
        )
    return name
