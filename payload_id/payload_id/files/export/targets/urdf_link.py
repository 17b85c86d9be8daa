"""A link for a robot description: URDF to be pasted, or a xacro macro."""

from __future__ import annotations

from typing import ClassVar
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from .target import ALL, INERTIA_NAMES, Export, Target, numbers, remarks


class UrdfLink(Target):
    """A link with inertia and the fixed joint that carries it, to be pasted into a description."""

    name: ClassVar[str] = "urdf"
    text: ClassVar[str] = "a robot description (URDF)"
    needs: ClassVar[int] = ALL
    whole: ClassVar[bool] = False
    commands: ClassVar[bool] = False

    def content(self, export: Export) -> str:
        """Return link and joint."""
        body = _elements(export, "payload", quoteattr(export.load.frame))
        return _comment(remarks(export, self)) + body


class XacroLink(Target):
    """The same as a macro with the names of payload and link."""

    name: ClassVar[str] = "xacro"
    text: ClassVar[str] = "a robot description (xacro)"
    needs: ClassVar[int] = ALL
    whole: ClassVar[bool] = False
    commands: ClassVar[bool] = False

    def content(self, export: Export) -> str:
        """Return the file with the macro 'payload'."""
        body = _elements(export, "${name}", '"${parent}"').replace("\n", "\n    ").rstrip()
        parent = escape(export.load.frame)
        return (
            '<?xml version="1.0"?>\n'
            + _comment(remarks(export, self))
            + '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
            + f'  <xacro:macro name="payload" params="name:=payload parent:={parent}">\n'
            + f"    {body}\n  </xacro:macro>\n</robot>\n"
        )


def _elements(export: Export, name: str, parent: str) -> str:
    """Return the two elements."""
    load = export.load
    place = " ".join(f"{x!r}" for x in numbers(load.com))
    upper = numbers(load.inertia[np.triu_indices(3)])
    inertia = " ".join(f'{k}="{x!r}"' for k, x in zip(INERTIA_NAMES, upper, strict=True))
    return (
        f'<link name="{name}">\n'
        "  <inertial>\n"
        f'    <origin xyz="{place}" rpy="0 0 0"/>\n'
        f'    <mass value="{load.mass!r}"/>\n'
        f"    <inertia {inertia}/>\n"
        "  </inertial>\n"
        "</link>\n"
        f'<joint name="{name}_joint" type="fixed">\n'
        f"  <parent link={parent}/>\n"
        f'  <child link="{name}"/>\n'
        '  <origin xyz="0 0 0" rpy="0 0 0"/>\n'
        "</joint>\n"
    )


def _comment(lines: list[str]) -> str:
    """Return an XML comment, in which two dashes may not follow each other."""
    text = "\n  ".join(lines)
    while "--" in text:
        text = text.replace("--", "- -")
    return f"<!--\n  {text}\n-->\n"
