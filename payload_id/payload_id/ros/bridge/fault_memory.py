"""The fault that lets nothing move, on disk: a bridge that is started anew has it still."""

from __future__ import annotations

import json
import os
from datetime import datetime
from urllib.parse import quote

from ...core.errors import ConfigurationError, in_words
from ...files.configuration.atomic_write import atomic_write
from ...files.configuration.input_path import from_home
from ...files.configuration.json_file import parsed_json

DEFAULT = "payload_id"  # folder beside the logs of ROS (ROS_HOME, or ~/.ros)
LATCHED_BEFORE = "It was latched before this start: {path}."


class FaultMemory:
    """A file that is there as long as a fault waits to be acknowledged.

    Attributes:
        path: The file; its name has domain, name of the node and name of the robot, since one
            node may be started for several robots, and one robot file serve several nodes.
    """

    def __init__(self, folder: str, node: str, robot: str) -> None:
        """Look whether the file can be written.

        Args:
            folder: Where it lies; empty: `DEFAULT`.
            node: Full name of the bridge's node.
            robot: Name of the robot.

        Raises:
            ConfigurationError: The folder cannot be made, or nothing be written there.
        """
        home = os.environ.get("ROS_HOME") or "~/.ros"
        place = from_home(folder or f"{home}/{DEFAULT}", "state_folder").resolve()
        domain = os.environ.get("ROS_DOMAIN_ID") or "0"
        # No name of ROS holds a dot or @: /a_b/c and /a/b_c are different files.
        self.path = place / f"fault_{domain}{node.replace('/', '.')}@{quote(robot, safe='')}.json"
        try:
            place.mkdir(parents=True, exist_ok=True)
            trial = place / f"{self.path.name}.{os.getpid()}"
            trial.touch()
            trial.unlink()
        except OSError as error:
            raise ConfigurationError(
                f"A latched fault could not be remembered in {place}: {in_words(error)}. Set the "
                "parameter state_folder to a folder that this user may write to."
            ) from error

    def read(self) -> str:
        """Return the fault that was latched when the bridge ended; empty: there was none."""
        before = LATCHED_BEFORE.format(path=self.path)
        try:
            entries = parsed_json(self.path.read_text(encoding="utf-8"))
            return f"{entries['fault']} {before}"
        except FileNotFoundError:
            return ""
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            return (
                f"Whether there was a fault before this start is not known: {self.path} cannot be "
                f"read ({in_words(error)}). Look at the arm before it moves again."
            )

    def write(self, fault: str) -> None:
        """Remember a fault: the whole file, on the disk with its name, or nothing.

        Raises:
            OSError: The disk fails.
        """
        entries = {"fault": fault, "since": datetime.now().astimezone().isoformat()}
        with atomic_write(self.path) as file:
            file.write(json.dumps(entries).encode())

    def forget(self) -> None:
        """Remember none.

        Raises:
            OSError: The disk fails.
        """
        self.path.unlink(missing_ok=True)
