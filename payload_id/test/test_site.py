"""The site of the documentation: every page has a place, and every link leads to one of them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def load(name: str):
    """Import a file of docs/."""
    specification = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


HOOKS = load("site_hooks")
SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
PAGES = {path.relative_to(ROOT / "docs").as_posix(): path for path in ROOT.glob("docs/**/*.md")}
OUTSIDE = {page: ROOT / source for source, page in HOOKS.OUTSIDE.items()}


def listed(entry) -> list[str]:
    """Return the pages of a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    values = entry if isinstance(entry, list) else entry.values()
    return [page for value in values for page in listed(value)]


def test_every_page_has_one_place_in_the_navigation():
    assert sorted(listed(SETTINGS["nav"])) == sorted([*PAGES, *OUTSIDE, HOOKS.PYTHON])


def test_links_lead_to_pages_of_the_site():
    for page, source in (PAGES | OUTSIDE).items():
        text = HOOKS.linked(source.read_text("utf-8"), source, page)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            name = target.partition("#")[0]
            place = (Path("/") / Path(page).parent / name).resolve().relative_to("/").as_posix()
            known = place in PAGES or place in OUTSIDE or (ROOT / "docs" / place).is_file()
            assert not name or re.match(r"[a-z]+:", name) or known, f"{page} links to {target}"


def test_the_python_page_names_what_the_package_offers():
    import payload_id

    for name in payload_id.__all__:
        assert f"::: payload_id.{name}\n" in HOOKS.python_page()
