"""Permissions as DDS enforces them [OMG DDS-Security 1.1, 9.4.1.3], from the same rules.

ROS 2 writes a topic /a as rt/a, and a service /b as rq/bRequest and rr/bReply; an action is three
services and two topics. `ros2 security create_permission` makes the same of a policy.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from xml.etree import ElementTree

from .policy import Enclave, Rule, xml_text

GRAPH = "ros_discovery_info"  # in which every process says what nodes it has
GOAL_SERVICES, GOAL_TOPICS = ("send_goal", "cancel_goal", "get_result"), ("feedback", "status")
OTHER_SIDE = {"reply": "request", "execute": "call"}


def dds_topics(rule: Rule) -> tuple[set[str], set[str]]:
    """Return the names of the DDS topics that a rule lets publish, and subscribe to."""
    if rule.kind == "topic":
        publishes = {f"rt{rule.name}"}
        return (publishes, set()) if rule.verb == "publish" else (set(), publishes)
    if rule.verb in OTHER_SIDE:
        publishes, subscribes = dds_topics(Rule(rule.kind, OTHER_SIDE[rule.verb], rule.name))
        return subscribes, publishes
    if rule.kind == "service":
        return {f"rq{rule.name}Request"}, {f"rr{rule.name}Reply"}
    inside = f"{rule.name}/_action"
    return (
        {f"rq{inside}/{x}Request" for x in GOAL_SERVICES},
        {f"rr{inside}/{x}Reply" for x in GOAL_SERVICES} | {f"rt{inside}/{x}" for x in GOAL_TOPICS},
    )


def permissions_xml(enclave: Enclave, domain: int, begin: datetime, end: datetime) -> str:
    """Return what an enclave's participants may do; all else is denied.

    Args:
        enclave: The enclave; its path is the subject's common name.
        domain: The ROS_DOMAIN_ID.
        begin: From when on it holds (UTC).
        end: Until when.
    """
    pairs = [({GRAPH}, {GRAPH}), *map(dds_topics, enclave.rules)]
    root = ElementTree.Element("dds")
    grant = _add(_add(root, "permissions"), "grant", name=enclave.path)
    _add(grant, "subject_name").text = f"CN={enclave.path}"
    validity = _add(grant, "validity")
    _add(validity, "not_before").text = f"{begin:%Y-%m-%dT%H:%M:%S}"
    _add(validity, "not_after").text = f"{end:%Y-%m-%dT%H:%M:%S}"
    allowed = _add(grant, "allow_rule")
    _add(_add(allowed, "domains"), "id").text = str(domain)
    for verb, topics in zip(("publish", "subscribe"), zip(*pairs, strict=True), strict=True):
        _add_topics(_add(_add(allowed, verb), "topics"), set().union(*topics))
    _add(grant, "default").text = "DENY"
    return xml_text(root)


def _add(parent: ElementTree.Element, tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, attributes)


def _add_topics(parent: ElementTree.Element, names: Iterable[str]) -> None:
    """Add names in their order."""
    for name in sorted(names):
        _add(parent, "topic").text = name
