"""Reading robot descriptions: URDF as it is, xacro through the xacro package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.parsers.expat import ExpatError

from ...core.arm.description import check_description, tidied
from ...core.errors import ModelError, UnknownNameError, in_words
from ..configuration.file_kind import instead
from ..configuration.input_path import input_path, not_utf8

ARGUMENT = re.compile(r"<xacro:arg\s[^>]*?name\s*=\s*[\"']([^\"']+)[\"']")

PYTHON_CLASS = re.compile(r"<class '[^']*'>:? ?")  # with which xacro begins some errors


def read_urdf(path: str | Path, arguments: Mapping[str, object] | None = None) -> str:
    """Return the URDF text of a robot description.

    Args:
        path: A `.urdf` file, read as it is, or a `.xacro` file, which is expanded.
        arguments: Values of the xacro file's arguments; true and false are written as xacro
            expects them. A `.urdf` file takes none.

    Raises:
        ModelError: The file is missing, is not well-formed XML, xacro cannot expand it, or a link
            or joint in it is impossible (`check_description`).
        UnknownNameError: The xacro file has no such argument.
    """
    path = input_path(path, "robot description", ModelError)
    urdf = _read(path, arguments)
    try:
        check_description(urdf)
    except ModelError as error:
        raise ModelError(f"{path}: {error}{instead(path, 'robot description')}") from error
    return tidied(urdf)


def _read(path: Path, arguments: Mapping[str, object] | None) -> str:
    """Return the text of a file, expanded if it is xacro."""
    texts = {name: _as_text(value) for name, value in (arguments or {}).items()}
    if not path.is_file():
        raise ModelError(f"Robot description {path} does not exist.{_present(path.parent)}")
    if path.suffix == ".xacro":
        return _expand(path, texts)
    if texts:
        raise ModelError(
            f"{path.name} is plain URDF and takes no xacro arguments; found {', '.join(texts)}. "
            "Remove them, or name a .xacro file."
        )
    return _read_plain(path)


def _as_text(value: object) -> str:
    """Return a value as xacro writes it: true and false in small letters."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _present(folder: Path) -> str:
    """Return a sentence with the robot descriptions of a folder, for messages."""
    if not folder.is_dir():
        return f" The folder {folder} does not exist either."
    names = sorted(p.name for p in folder.iterdir() if p.suffix in (".urdf", ".xacro"))
    return f" In that folder: {', '.join(names) or 'no .urdf or .xacro file'}."


def _read_plain(path: Path) -> str:
    """Return a URDF file's text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        what = f"Robot description {path} {not_utf8(error)}"
        raise ModelError(f"{what}{instead(path, 'robot description')}") from error
    except OSError as error:
        hint = instead(path, "robot description")
        raise ModelError(
            f"Robot description {path} cannot be read: {in_words(error)}.{hint}"
        ) from error


def _expand(path: Path, arguments: dict[str, str]) -> str:
    """Return the URDF text that a xacro file makes, without comments around the root."""
    import xacro

    try:
        document = xacro.process_file(str(path), mappings=dict(arguments))
    except ExpatError as error:
        raise ModelError(f"{_current_file(path)} is not well-formed XML: {error}.") from error
    # xacro evaluates expressions of the file, which may raise anything.
    except Exception as error:
        raise ModelError(f"xacro cannot expand {_current_file(path)}: {_reason(error)}.") from error
    _check_arguments(path, arguments, map(Path, xacro.all_includes))
    # The comments name this machine's paths; without them the text depends on the robot only.
    for node in [n for n in document.childNodes if n.nodeType == n.COMMENT_NODE]:
        document.removeChild(node)
    return str(document.toprettyxml(indent="  "))


def _reason(error: Exception) -> str:
    """Return the first line of what went wrong, without a full stop."""
    if isinstance(error, RecursionError):
        return "it includes or calls itself without end"
    lines = PYTHON_CLASS.sub("", str(error)).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(". ")


def _current_file(path: Path) -> str:
    """Return the file in which xacro stopped, and from where it was included."""
    import xacro

    stopped = xacro.filestack[-1] if xacro.filestack else None
    same = not stopped or Path(stopped).resolve() == path.resolve()
    return str(path) if same else f"{stopped} (included by {path.name})"


def _check_arguments(path: Path, arguments: Mapping[str, str], included: Iterable[Path]) -> None:
    """Raise when an argument is given that neither the file nor one it includes declares."""
    sources = [path, *(p for p in included if p.is_file())]
    declared = {a for p in sources for a in ARGUMENT.findall(p.read_text(encoding="utf-8"))}
    for name in arguments:
        if name not in declared:
            raise UnknownNameError("xacro argument", name, sorted(declared), path.name)
