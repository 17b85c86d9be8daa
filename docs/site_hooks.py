"""What MkDocs does beside its own: pages from outside docs/, the Python page, links to the code.

Links are written for a reader of the repository. On the site, those to pages lead to the site's
pages, and those to code, which the site does not have, become plain words.
"""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
# Pages of the repository outside docs/, and what they are on the site.
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "RELEASE.md": "release.md",
    "SECURITY.md": "security.md",
    "examples/README.md": "examples.md",
    "examples/real_robot/README.md": "real_robot.md",
}
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*)\]\(([^)\s]+)\)")
IMAGE = re.compile(r"(!\[[^\]]*\]\()([^)\s]+)(\))")
PYTHON = "api.md"


def on_config(config: Any) -> Any:
    """Have headings get the anchors that the repository's reader gets."""
    from pymdownx.slugs import slugify

    config.mdx_configs.setdefault("toc", {})["slugify"] = slugify(case="lower")
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages from outside, and the Python page."""
    from mkdocs.structure.files import File

    for source, page in OUTSIDE.items():
        text = linked((ROOT / source).read_text("utf-8"), ROOT / source, page)
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, PYTHON, content=python_page()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn the links of a page of docs/."""
    name = page.file.src_uri
    if name in OUTSIDE.values() or name == PYTHON:
        return markdown
    return linked(markdown, DOCS / name, name)


def linked(text: str, source: Path, page: str) -> str:
    """Return a page with links as the site has them.

    Args:
        text: Markdown.
        source: Its file in the repository.
        page: Its name on the site.
    """

    def link(found: re.Match[str]) -> str:
        words, target = found.groups()
        place = target_on_site(target, source, page)
        return words if place is None else f"[{words}]({place})"

    def image(found: re.Match[str]) -> str:
        place = target_on_site(found[2], source, page)
        return found[0] if place is None else f"{found[1]}{place}{found[3]}"

    return IMAGE.sub(image, LINK.sub(link, text))


def target_on_site(target: str, source: Path, page: str) -> str | None:
    """Return where a link leads on the site; None if the site has no such page."""
    name, hash_sign, anchor = target.partition("#")
    if not name or re.match(r"[a-z]+:", name):
        return target
    path = (source.parent / name).resolve()
    inside = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
    if inside in OUTSIDE:
        place = OUTSIDE[inside]
    elif path.is_relative_to(DOCS) and path.is_file() and path.suffix != ".py":
        place = path.relative_to(DOCS).as_posix()
    else:
        return None
    return os.path.relpath(place, Path(page).parent) + hash_sign + anchor


def python_page() -> str:
    """Return the page of what `import payload_id` offers: each name, from its docstrings."""
    tree = ast.parse((ROOT / "payload_id" / "payload_id" / "__init__.py").read_text("utf-8"))
    listed = next(
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    names = ast.literal_eval(listed)
    parts = "\n\n".join(f"::: payload_id.{name}" for name in names)
    return f"# Python\n\nWhat `import payload_id` offers.\n\n{parts}\n"
