"""Where the package's own data files are: in the source tree, or installed."""

from __future__ import annotations

import os
from pathlib import Path

from ...core.errors import ConfigurationError, brief, in_words

PACKAGE = "payload_id"


def share_folder() -> Path:
    """Return the folder that holds `config/`, `urdf/` and `launch/` of this package.

    The folder that belongs to the running code wins, so that an older installation elsewhere in
    the environment is never mixed in: the source tree, then the prefix that the code was installed
    into, then the ament index.

    Raises:
        ConfigurationError: The data files are not there: the package is not fully installed.
    """
    here = Path(__file__).resolve()
    source_tree = here.parents[3]
    prefixes = [folder / "share" / PACKAGE for folder in here.parents[3:]]
    for folder in (source_tree, *prefixes):
        if (folder / "config" / "robots").is_dir():
            return folder
    return package_share_folder(PACKAGE)


def shipped(kind: str) -> dict[str, Path]:
    """Return the files of a kind that this package ships, such as "robots", by their names."""
    paths = sorted((share_folder() / "config" / kind).glob("*.yaml"))
    return {path.stem: path for path in paths}


def package_share_folder(package: str) -> Path:
    """Return the share folder of any ROS package, from the ament index.

    Raises:
        ConfigurationError: No ROS environment is sourced, or it has no such package.
    """
    try:
        from ament_index_python.packages import get_package_share_directory

        return Path(get_package_share_directory(package))
    except (ImportError, OSError) as error:  # OSError: AMENT_PREFIX_PATH is not set
        raise ConfigurationError(
            f"The folder of package '{package}' is not known because ROS is not installed or not "
            "sourced. Source its setup file, or give a path to the file instead."
        ) from error
    except (LookupError, ValueError) as error:  # ValueError: what can be no package's name
        raise ConfigurationError(
            f"Package '{package}' is not in the sourced ROS environment. Build and source it, or "
            "give a path to the file instead."
        ) from error


def _package_folder(package: str) -> Path:
    """Return a package's folder: of its name in those of ROS_PACKAGE_PATH, or its share folder."""
    around = filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep))
    named = (Path(folder) / package for folder in around)
    return next(filter(Path.is_dir, named), None) or package_share_folder(package)


def resolve(reference: str, folder: Path) -> Path:
    """Return the path that a configuration file means.

    Args:
        reference: An absolute path, a path relative to `folder`, or `package://name/path` in a
            package's folder.
        folder: Folder of the file that holds the reference.

    Raises:
        ConfigurationError: No file can be there, or the package is not known.
    """
    try:
        if not reference.startswith("package://"):
            return (folder / Path(reference).expanduser()).resolve()
        package, _, rest = reference.removeprefix("package://").partition("/")
        root = share_folder() if package == PACKAGE else _package_folder(package)
        return (root / rest).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: a loop of links, no home
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(
            f"No file can be at {brief(reference)}: {in_words(error)}."
        ) from error
