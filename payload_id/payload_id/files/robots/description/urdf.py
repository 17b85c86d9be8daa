"""Reading robot descriptions: URDF as it is, xacro through the xacro package."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ....core.arm.description import usable
from ....core.errors import ModelError, UnknownNameError, in_words
from ...configuration.file_kind import instead
from ...configuration.input_path import input_path, not_utf8, others_beside
from ...configuration.package_data import share_folder
from . import expand_xacro
from .expand_xacro import expand

ARGUMENT = re.compile(r"<xacro:arg\s[^>]*?name\s*=\s*[\"']([^\"']+)[\"']")
UNEXPANDED = re.compile(rb"<xacro:|\$\(|\$\{")
PATIENCE = 20.0  # [s] for a xacro file; the shipped arms take less than 0.1 s


def read_urdf(path: str | Path, arguments: Mapping[str, object] | None = None) -> str:
    """Return the URDF text of a robot description.

    Args:
        path: A URDF, read as it is, or xacro, which is expanded.
        arguments: Values of the xacro file's arguments; true and false are written as xacro
            expects them. A URDF takes none.

    Raises:
        ModelError: The file is missing, is not well-formed XML, xacro cannot expand it, or a link
            or joint in it is impossible (`usable`).
        UnknownNameError: The xacro file has no such argument.
    """
    path = input_path(path, "robot description", ModelError)
    urdf = _read(path, arguments)
    try:
        return usable(urdf)
    except ModelError as error:
        raise ModelError(f"{path}: {error}{instead(path, 'robot description')}") from error


def _read(path: Path, arguments: Mapping[str, object] | None) -> str:
    """Return the text of a file, expanded if it is xacro."""
    texts = {  # true and false in small letters, as xacro writes them
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in (arguments or {}).items()
    }
    if not path.is_file():
        raise ModelError(
            f"Robot description {path} does not exist.{others_beside(path, ('.urdf', '.xacro'))}"
        )
    if is_xacro(path):
        return _expand(path, texts)
    if texts:
        raise ModelError(
            f"{path.name} is plain URDF and takes no xacro arguments; found {', '.join(texts)}. "
            "Remove them, or name a .xacro file."
        )
    try:
        return path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError) as error:
        why = f"cannot be read: {in_words(error)}."
        why = not_utf8(error) if isinstance(error, UnicodeDecodeError) else why
        hint = instead(path, "robot description")
        raise ModelError(f"Robot description {path} {why}{hint}") from error


def is_xacro(path: Path) -> bool:
    """Tell whether a file is xacro: by its suffix, or since it holds what only xacro expands."""
    if path.suffix == ".xacro":
        return True
    try:
        return bool(UNEXPANDED.search(path.read_bytes()))
    except OSError:  # which is said where it is read
        return False


def _expand(path: Path, arguments: dict[str, str]) -> str:
    """Return the URDF text that a xacro file makes.

    Those of this package are expanded here, all others by a script that is given `PATIENCE`.
    """
    ours = path.resolve().is_relative_to(share_folder().resolve())
    made = (expand if ours else _expanded_elsewhere)(str(path), arguments)
    if "error" in made:
        raise ModelError(made["error"])
    _check_arguments(path, arguments, map(Path, made["included"]))
    return str(made["urdf"])


def _expanded_elsewhere(path: str, arguments: dict[str, str]) -> dict[str, Any]:
    """Return what the script says of a xacro file."""
    command = [sys.executable, expand_xacro.__file__, path, json.dumps(arguments)]
    failed = {"error": f"xacro cannot expand {path}: its expressions end the process."}
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=PATIENCE, text=True)
        made: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else failed
    except subprocess.TimeoutExpired:
        return {
            "error": f"xacro does not come to an end with {path}: {PATIENCE:g} s are over. Look "
            "for an expression, ${...}, or a macro that never ends."
        }
    except ValueError:  # the file's expressions print, too
        return failed
    return made


def _check_arguments(path: Path, arguments: Mapping[str, str], included: Iterable[Path]) -> None:
    """Raise when an argument is given that neither the file nor one it includes declares."""
    sources = [path, *(p for p in included if p.is_file())]
    declared = {a for p in sources for a in ARGUMENT.findall(p.read_text(encoding="utf-8"))}
    for name in arguments:
        if name not in declared:
            raise UnknownNameError("xacro argument", name, sorted(declared), path.name)
