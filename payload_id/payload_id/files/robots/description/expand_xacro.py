"""Expanding xacro files, which are programs; run as a script, in a process of its own.

The script takes a path and arguments (JSON), and prints what `expand` returns (JSON). It imports
nothing of this package, so that it starts at once.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

MEMORY = 2 << 30  # bytes that the script may need
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
    print(json.dumps(expand(sys.argv[1], json.loads(sys.argv[2]))))
