"""The table of hazards in docs/safety.md: every sentence of it has a test that exists."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "safety.md").read_text("utf-8")
NAMED = re.compile(r"`(\w+)::(\w+)`")  # of test_a.py and test_b, without the prefixes


def rows(header: str) -> list[list[str]]:
    """Return the cells of the table whose header begins in some way."""
    (table,) = re.findall(rf"^\| {re.escape(header)}.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [[cell.strip() for cell in row[1:-1].split("|")] for row in table.splitlines()]


HAZARDS = rows("hazard | what the software does")
EVIDENCE = rows("hazard | tests")


def sentences(cell: str) -> list[str]:
    """Return the sentences of a cell."""
    return re.split(r"(?<=\.) ", cell)


def named(cells: list[str]) -> set[tuple[str, str]]:
    """Return file and function of the tests that cells name."""
    return {(f"test_{a}", f"test_{b}") for cell in cells for a, b in NAMED.findall(cell)}


def every_test() -> set[tuple[str, str]]:
    """Return file and function of every test."""
    return {
        (path.stem, node.name)
        for path in (ROOT / "payload_id" / "test").rglob("test_*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_hazard_has_its_evidence_and_no_evidence_is_left_over():
    hazards = [row[0] for row in HAZARDS]
    assert len(set(hazards)) == len(hazards) > 15
    assert [row[0] for row in EVIDENCE] == hazards


def test_every_sentence_of_what_the_software_does_has_a_test():
    for (hazard, does, assumes, must), (_, shown) in zip(HAZARDS, EVIDENCE, strict=True):
        assert assumes and must, hazard
        assert all(x.endswith(".") and len(x.split()) <= 30 for x in sentences(does)), hazard
        parts = [part for part in shown.split("<br>") if not part.startswith("said: ")]
        assert len(parts) == len(sentences(does)), hazard
        for number, part in enumerate(parts, 1):
            assert part.startswith(f"{number}. ") and named([part]), (hazard, part)


def test_every_test_that_is_named_exists():
    cells = [shown for _, shown in EVIDENCE]
    stems = [path.stem for path in (ROOT / "payload_id" / "test").rglob("test_*.py")]
    assert {stem for stem, _ in named(cells) if stems.count(stem) != 1} == set()
    assert named(cells) - every_test() == set()
    rest = {re.sub(r"<br>|\d\. |said: |, ", "", NAMED.sub("", cell)) for cell in cells}
    assert rest == {""}  # nothing else that could be taken for a test
