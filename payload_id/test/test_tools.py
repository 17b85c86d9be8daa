"""The linters and the type checker find nothing; hooks and workflow run what is run by hand."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOOLS = (
    ("ruff", "check", "--no-cache"),
    ("ruff", "format", "--check", "--no-cache"),
    ("mypy",),
)


@pytest.mark.parametrize("arguments", TOOLS, ids=lambda arguments: " ".join(arguments[:2]))
def test_tool_finds_nothing(arguments):
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_hooks_of_a_commit_are_the_same_tools():
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert repository["repo"] == "local"  # nothing is fetched, so no version can differ
    entries = [hook["entry"] for hook in repository["hooks"]]
    assert entries == [" ".join(("./payload-id python -m", *arguments)) for arguments in TOOLS]


@pytest.mark.parametrize("job", ["ubuntu", "jazzy"])
def test_workflow_runs_the_commands_of_the_readme(job):
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    runs = [step.get("run", "").splitlines()[-1:] for step in workflow["jobs"][job]["steps"]]
    for verb in ("demo", "test"):
        assert [f"./payload-id {verb}"] in runs
        assert f"    ./payload-id {verb} " in (ROOT / "README.md").read_text()
