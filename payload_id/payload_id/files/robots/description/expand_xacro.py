"""Expanding xacro files, which are programs; run as a script, in a process of its own.

The script takes a path and arguments (JSON), and prints what `expand` returns (JSON). It imports
nothing of this package, so that it starts at once. What a file calls $(find NAME) is looked for
beside it first (`package_folder`): files that were downloaded together belong together.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers.expat import ExpatError

MEMORY = 2 << 30  # bytes that the script may need
PACKAGE = "package.xml"
PACKAGE_FOLDERS = (
    f"*/{PACKAGE}",
    f"*/*/{PACKAGE}",
)  # of a folder, or of repositories
UNDEFINED = re.compile(r"Undefined substitution argument (\w+)")
PYTHON_CLASS = re.compile(r"<class '[^']*'>:? ?")  # with which xacro begins some errors


def expand(path: str, arguments: dict[str, str]) -> dict[str, Any]:
    """Return the URDF text that a xacro file makes, without comments around the root.

    Args:
        path: Of the file.
        arguments: Values of its arguments.

    Returns:
        Either `urdf`, and `included`, the files that it includes; or `error`, a sentence.
    """
    import xacro

    try:
        document = xacro.process_file(path, mappings=dict(arguments))
        text = _document_text(document)
    except ExpatError as error:
        return {"error": f"{_current_file(path)} is not well-formed XML: {error}."}
    # xacro evaluates expressions of the file, which may raise anything.
    except Exception as error:
        return {"error": f"xacro cannot expand {_current_file(path)}: {_reason(error)}."}
    return {"urdf": text, "included": list(xacro.all_includes)}


def package_folder(name: str, path: Path) -> Path | None:
    """Return the folder of a package that lies around a file, None where none of that name does.

    Packages are known by their `package.xml`: those above the file come first, then those beside
    the innermost of them, in its own folder of packages or in a workspace of several repositories;
    last a folder above the file that has the package's name.

    Raises:
        LookupError: Several beside it have that name.
    """
    above = [folder for folder in path.parents if (folder / PACKAGE).is_file()]
    for folder in above:
        if _package_name(folder / PACKAGE) == name:
            return folder
    for around in above[0].parents[:2] if above else ():
        found = [
            file.parent
            for x in PACKAGE_FOLDERS
            for file in sorted(around.glob(x))
            if _package_name(file) == name
        ]
        if len(found) > 1:
            raise LookupError(
                f"the package '{name}' is more than once beside it: {found[0]} and {found[1]}; "
                "move one of them away"
            )
        if found:
            return found[0]
    return next((folder for folder in path.parents if folder.name == name), None)


def _package_name(file: Path) -> str:
    """Return what a package calls itself; empty where that cannot be read."""
    try:
        return (ElementTree.parse(file).findtext("name") or "").strip()
    except (OSError, ElementTree.ParseError):
        return ""


def look_beside(path: Path) -> list[str]:
    """Let xacro find packages around a file before it looks for those that are installed.

    Returns:
        missing: Names of those that it does not find, filled as it looks. Files in them, such as
            meshes, are written as `package://`: what needs them says so.
    """
    from ament_index_python import packages

    installed, missing = packages.get_package_share_directory, list[str]()

    def share_folder(package_name: str, print_warning: bool = True) -> str:
        if (folder := package_folder(package_name, path)) is not None:
            return str(folder)
        try:
            return str(installed(package_name, print_warning))
        except (LookupError, OSError, ValueError):
            missing.append(package_name)
            return f"package://{package_name}"

    packages.get_package_share_directory = share_folder
    return missing


def _missing(name: str) -> str:
    """Say what to do about a package that is not found."""
    return (
        f"it finds no package '{name}': no {PACKAGE} above the file or beside its package says "
        "that name, and none is installed in AMENT_PREFIX_PATH; put the package's folder beside "
        "that of this file, or source the workspace that has it"
    )


def _document_text(document: Any) -> str:
    """Return a document as text, which depends on the robot only: comments name folders."""
    for node in [n for n in document.childNodes if n.nodeType == n.COMMENT_NODE]:
        document.removeChild(node)
    return str(document.toprettyxml(indent="  "))


def _reason(error: Exception) -> str:
    """Return the first line of what went wrong, without a full stop."""
    if isinstance(error, RecursionError):
        return "it includes or calls itself without end"
    if MemoryError in (type(error), type(getattr(error, "exc", None))):
        return f"it needs more than {MEMORY >> 30} GB of memory"
    if missing := UNDEFINED.match(str(error)):
        return (
            f"its argument '{missing[1]}' has no value; give it (new-robot: --xacro "
            f"{missing[1]}=VALUE; a robot file: xacro_arguments)"
        )
    lines = PYTHON_CLASS.sub("", str(error)).strip().splitlines()
    first = (lines[0] if lines else type(error).__name__).rstrip(". ")
    half = len(first) // 2
    return first[:half] if first[:half] == first[half + 1 :] else first  # xacro says some twice


def _current_file(path: str) -> str:
    """Return the file in which xacro stopped, and from where it was included."""
    import xacro

    stopped = xacro.filestack[-1] if xacro.filestack else None
    same = not stopped or Path(stopped).resolve() == Path(path).resolve()
    return path if same else f"{stopped} (included by {Path(path).name})"


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    unknown = look_beside(Path(sys.argv[1]).resolve())
    made = expand(sys.argv[1], json.loads(sys.argv[2]))
    for name in unknown:
        if f"package://{name}" in made.get("error", ""):
            made["error"] = f"xacro cannot expand {_current_file(sys.argv[1])}: {_missing(name)}."
    print(json.dumps(made))
