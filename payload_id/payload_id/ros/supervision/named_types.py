"""Message and service types by their names, where their packages are here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...core.errors import ConfigurationError


class MissingPackageError(ConfigurationError):
    """A package of messages that is not here."""


def named_type(name: str) -> Any:
    """Return the class of a type such as 'std_msgs/msg/Bool' or 'std_srvs/srv/Trigger'.

    Raises:
        MissingPackageError: Its package is not here.
        ConfigurationError: The package has no such type, or it is no name of a type.
    """
    package, kind, own = (*name.split("/"), "", "")[:3]
    if name.count("/") != 2 or kind not in ("msg", "srv") or not package.isidentifier():
        raise ConfigurationError(
            f"{name!r} is no name of a type; one is written as std_msgs/msg/Bool."
        )
    try:
        found = getattr(import_module(f"{package}.{kind}"), own, None)
    except ImportError as error:
        raise MissingPackageError(
            f"The package '{package}' of {name} is not here: install it, or source the workspace "
            "that has it, and start again."
        ) from error
    if found is None:
        raise ConfigurationError(f"The package '{package}' that is here has no {name}.")
    return found
