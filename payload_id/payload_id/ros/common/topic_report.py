"""Who publishes what: the sentence for a node that waits for a topic in vain."""

from __future__ import annotations

import difflib

from rclpy.node import Node
from rclpy.qos import ReliabilityPolicy

NO_MEASUREMENT = "/payload_wrench"  # what the estimator publishes of a type that is measured


UNNAMED = "_NODE_NAME_UNKNOWN"  # begins a name while discovery knows the endpoint, not its node


def publisher_names(node: Node, topic: str) -> list[str]:
    """Return the full names of the nodes that publish a topic, of those that are known yet."""
    found = node.get_publishers_info_by_topic(topic)
    known = (x for x in found if not x.node_name.startswith(UNNAMED))
    return sorted({f"{x.node_namespace.rstrip('/')}/{x.node_name}" for x in known})


def is_unnamed(node: Node, *topics: str) -> bool:
    """Whether any of some topics has a publisher of which the node is not known yet.

    That says nothing of who it is, this very node among others: ask again.
    """
    found = (x for topic in topics for x in node.get_publishers_info_by_topic(topic))
    return any(x.node_name.startswith(UNNAMED) for x in found)


def silence_report(
    node: Node,
    topic: str,
    type_name: str,
    seconds: float,
    rate: float,
    setting: str = "--ros-args -r joint_states:=",
    source: str = "robot",
) -> str:
    """Say that nothing arrives, and what the graph tells of the cause.

    Args:
        node: The node that waits.
        topic: Full name of the topic.
        type_name: Type of its messages, such as "sensor_msgs/msg/JointState".
        seconds: How long nothing has arrived [s].
        rate: Expected rate [Hz].
        setting: What names another topic, the name behind it.
        source: Whose driver publishes it.
    """
    wanted = f"No {type_name} on {topic} for {seconds:.1f} s; expected at {rate:g} Hz."
    if node.count_publishers(topic):
        named = ", ".join(publisher_names(node, topic)) or "a node whose name is not known yet"
        return f"{wanted} Published by {named}, {_why_silent(node, topic)}."
    others = _other_topics(node, topic, type_name)
    if not others:
        return (
            f"{wanted} Nobody publishes it, nor any other topic of that type. Start the {source}'s "
            "driver; on another machine, check ROS_DOMAIN_ID and the discovery range."
        )
    near = difflib.get_close_matches(topic, others, n=1, cutoff=0.0)[0]
    return (
        f"{wanted} Nobody publishes it. Topics of that type that are published: "
        f"{', '.join(others)}. Name the right one, such as {setting}{near}"
    )


def _why_silent(node: Node, topic: str) -> str:
    """Say why messages of a published topic may not arrive."""
    offered = {x.qos_profile.reliability for x in node.get_publishers_info_by_topic(topic)}
    asked = {x.qos_profile.reliability for x in node.get_subscriptions_info_by_topic(topic)
             if x.node_name == node.get_name()}  # fmt: skip
    if asked == {ReliabilityPolicy.RELIABLE} and ReliabilityPolicy.RELIABLE not in offered:
        return "as best effort only, but this node asks for reliable: set reliability:=best_effort"
    return "which sends nothing: check that the driver runs and that the clock (/clock) advances"


def _other_topics(node: Node, topic: str, type_name: str) -> list[str]:
    """Return the other topics of a type that somebody publishes."""
    return sorted(
        name
        for name, types in node.get_topic_names_and_types()
        if type_name in types
        and name != topic
        and not name.endswith(NO_MEASUREMENT)
        and node.count_publishers(name)
    )
