"""The promises know the package by its public doors alone."""

import ast
import re
from pathlib import Path

import pytest

import payload_id

FILES = sorted(Path(__file__).parent.glob("*.py"))
PRIVATE = re.compile(r"payload_id\.(core|files|planning|ros|cli|fleet)\b")


@pytest.mark.parametrize("public", [payload_id.__all__])
def test_no_promise_looks_behind_a_door(public):
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            where = f"{file.name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("payload_id"):
                if node.module.split(".")[0] == "payload_id":
                    assert node.module == "payload_id", where
                    assert {x.name for x in node.names} <= {*public, "__version__"}, where
            elif isinstance(node, ast.Import):
                assert not any(x.name.startswith("payload_id.") for x in node.names), where
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert file == Path(__file__) or not PRIVATE.search(node.value), where
            elif isinstance(node, ast.Attribute) and not node.attr.startswith("__"):
                own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                assert own or not node.attr.startswith("_"), where
