"""A report set as HTML, Markdown or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from ...core import codec
from ...core.errors import ConfigurationError
from ...core.number_format import short
from ..figures.interval_figure import BAND, LINE, TRUTH, UNKNOWN_LINE
from .pictures import pictures
from .report import Report

COLOURS = {"band": BAND, "line": LINE, "wrong": TRUTH, "dim": UNKNOWN_LINE}


def as_html(report: Report) -> str:
    """Return one page that needs no other file: two sheets of A4 for a run by itself."""
    return _set("report.html.j2", report, pictures=pictures(report))


def as_markdown(report: Report) -> str:
    """Return the same in Markdown, without figures."""
    return _set("report.md.j2", report)


def as_json(report: Report) -> str:
    """Return the same for programs."""
    return json.dumps(codec.as_json(report.to_dict()), indent=1, ensure_ascii=False) + "\n"


# By the suffix of the file.
SETTINGS: dict[str, Callable[[Report], str]] = {
    ".html": as_html, ".md": as_markdown, ".json": as_json,
}  # fmt: skip


def setting_of(path: Path) -> Callable[[Report], str]:
    """Return how a report is set in a file, by its suffix.

    Raises:
        ConfigurationError: No report is set like that.
    """
    try:
        return SETTINGS[path.suffix.lower()]
    except KeyError as error:
        raise ConfigurationError(
            f"A report is written as {', '.join(SETTINGS)}; found '{path.name}'. Let its name end "
            "in .html."
        ) from error


def _set(template: str, report: Report, **more: Any) -> str:
    """Fill in a template of this folder."""
    environment = page_environment(Path(__file__).parent)
    if template.endswith(".md.j2"):
        environment.finalize = without_tags
    return environment.get_template(template).render(report=report, colours=COLOURS, **more) + "\n"


def page_environment(*folders: Path) -> Environment:
    """Return what fills in templates of some folders, with the filters that pages use."""
    environment = Environment(
        loader=FileSystemLoader(folders),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["short"] = lambda value, digits=3: short(value, digits)
    environment.filters["cell"] = cell
    environment.filters["sentence"] = sentence
    return environment


def sentence(text: str) -> str:
    """Return a text that stands alone where it went on from the line above (`...`)."""
    return text.removeprefix("... ")


def without_tags(value: Any) -> Any:
    """Return a text in which nothing is taken for HTML, which Markdown lets through."""
    return value.replace("<", "&lt;") if isinstance(value, str) else value


def cell(text: object) -> str:
    """Return a text that stands in one cell of a Markdown table."""
    return " ".join(str(text).split()).replace("|", "\\|")
