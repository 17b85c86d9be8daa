"""A ROS domain in which nobody on this machine takes part, for a demonstration of its own."""

from __future__ import annotations

import os
import random
import socket
from contextlib import closing

DOMAINS = range(1, 101)  # beyond, ports of DDS are among those that Linux hands out


def own_domain() -> None:
    """Let no robot on this machine hear the demonstration, nor any other machine."""
    os.environ["ROS_DOMAIN_ID"] = str(free_domain())
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


def free_domain() -> int:
    """Return one that is drawn; if all are taken, any."""
    domains = random.SystemRandom().sample(DOMAINS, len(DOMAINS))
    return next(filter(_is_free, domains), domains[0])


def _is_free(domain: int) -> bool:
    """Whether nobody has the first participant's port, by the rule of DDS (RTPS 2.2, 9.6.1.1)."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.bind(("", 7400 + 250 * domain + 10))
        except OSError:
            return False
    return True
