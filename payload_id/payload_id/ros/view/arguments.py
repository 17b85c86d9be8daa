"""Arguments of the view, and names of the nodes that it talks to; nothing here needs ROS."""

from __future__ import annotations

import argparse
from dataclasses import dataclass


@dataclass(frozen=True)
class NodeNames:
    """Full or relative names of the nodes.

    Attributes:
        sampler: Empty: the one whose samples the estimator takes, as its condition tells.
    """

    sampler: str = ""
    estimator: str = "payload_estimator"
    planner: str = "payload_planner"
    bridge: str = "payload_bridge"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the view."""
    parser.add_argument(
        "--robot", default="", metavar="FILE",
        help="robot file, or the name of a shipped one (default: that of the running estimator)",
    )  # fmt: skip
    parser.add_argument("--host", default="127.0.0.1", help="address (default: %(default)s)")
    parser.add_argument(
        "--port", type=int, default=8080, help="0: any that is free (default: %(default)s)"
    )
    parser.add_argument(
        "--allow-motion", action="store_true",
        help="let who has typed the token MOVE THE ARM; each motion is confirmed on the page",
    )  # fmt: skip
    for name, default in vars(NodeNames()).items():
        parser.add_argument(
            f"--{name}", default=default, metavar="NODE",
            help=f"name of the node ({default or 'the one that the estimator listens to'})",
        )  # fmt: skip
