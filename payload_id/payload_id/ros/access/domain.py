"""What the environment says of the network, refused where DDS would end the process."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping

from ...core.errors import ConfigurationError

MOST_DOMAIN = 232  # of ROS_DOMAIN_ID: ports of higher ones do not exist
DOMAIN, PEERS = "ROS_DOMAIN_ID", "ROS_STATIC_PEERS"


def ros_domain(variables: Mapping[str, str] = os.environ) -> int:
    """Return the domain that ROS would use here.

    Raises:
        ConfigurationError: ROS_DOMAIN_ID is no such number.
    """
    text = variables.get(DOMAIN, "") or "0"
    if not text.isascii() or not text.isdigit() or int(text) > MOST_DOMAIN:
        raise ConfigurationError(
            f"{DOMAIN} must be a whole number from 0 to {MOST_DOMAIN}; found {text!r}."
        )
    return int(text)


def check_peers(variables: Mapping[str, str] = os.environ) -> None:
    """Check that the hosts which ROS would look for by name have addresses.

    Raises:
        ConfigurationError: One of ROS_STATIC_PEERS has none.
    """
    for peer in filter(None, variables.get(PEERS, "").split(";")):
        try:
            socket.getaddrinfo(peer, None)
        except (OSError, UnicodeError) as error:
            raise ConfigurationError(
                f"{PEERS} names the host {peer!r}, whose address is not known here. Correct it, or "
                "leave it out; hosts are separated by semicolons."
            ) from error
