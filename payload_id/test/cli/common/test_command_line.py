"""Help, errors, completion and progress of all commands."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from io import StringIO

import pytest
from rich.console import Console

from payload_id.cli.common import completion, progress
from payload_id.cli.common.arguments import EXAMPLES
from payload_id.cli.main import main, parser

VERBS = parser()._subparsers._group_actions[0].choices


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("test", "docs", "python")])
def test_the_help_of_each_command_ends_with_two_examples_that_it_takes(verb, capsys):
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    examples = re.findall(
        r"^  \./payload-id (.*)$", capsys.readouterr().out.split("examples:")[1], re.M
    )
    assert len(examples) == 2
    for example in examples:
        assert parser().parse_args(shlex.split(example)).verb == verb
    assert len(EXAMPLES[verb]) == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("replya x", ("replya", "Did you mean 'replay'?", "./payload-id --help")),
        ("replay", ("recording", "./payload-id replay --help")),
        ("replay a --estimator lmii", ("lmii", "Did you mean 'lmi'?")),
        ("demo --sed 3", ("--sed", "Did you mean '--seed'?", "./payload-id demo --help")),
        ("live strat", ("strat", "Did you mean 'start'?", "./payload-id live --help")),
        ("demo --seed x", ("--seed", "'x'", "./payload-id demo --help")),
        ("", ("VERB", "./payload-id --help")),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line_with_a_hint(line, words, capsys):
    with pytest.raises(SystemExit) as left:
        main(shlex.split(line))
    said = capsys.readouterr().err
    assert left.value.code == 2 and said.count("\n") == 1
    assert all(word in said for word in words)


def options():
    """Return every option that takes a value, with its verb."""
    return [
        (verb, option)
        for verb, command in VERBS.items()
        for action in command._actions
        for option in action.option_strings
        if option.startswith("--") and action.nargs != 0
    ]


@pytest.mark.parametrize(("verb", "option"), options())
def test_two_dashes_are_no_value_of_an_option(verb, option, capsys):
    with pytest.raises(SystemExit) as left:
        main([verb, "x", f"{option}=--"])
    said = capsys.readouterr().err
    assert left.value.code == 2 and said.count("\n") == 1 and option in said


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("ne", {"new-robot", "new-key"}), ("live exe", {"execute"}), ("replay x --als", {"--also"})],
)
def test_a_shell_completes_commands_and_options(typed, offered, tmp_path):
    (tmp_path / "script").write_text(completion.script(parser(), "bash"))
    words = " ".join(shlex.quote(word) for word in ["payload-id", *typed.split()])
    ask = (
        f"source ./script; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _payload_id"
    )
    done = subprocess.run(
        ["bash", "-c", f'{ask}; printf "%s\\n" "${{COMPREPLY[@]}}"'],
        capture_output=True, text=True, cwd=tmp_path, timeout=20,
    )  # fmt: skip
    assert set(done.stdout.split()) == offered and done.stderr == ""


def test_progress_is_shown_after_a_while_and_on_a_terminal_only(monkeypatch):
    monkeypatch.setattr(progress, "AFTER", 0.1)

    def shown(terminal, seconds):
        stream = StringIO()
        where = Console(file=stream, force_terminal=terminal, width=80)
        with progress.progress("thinking", where) as tell:
            tell(0.5)
            time.sleep(seconds)
        return stream.getvalue()

    assert "thinking" in shown(True, 0.5)
    assert "thinking" not in shown(False, 0.5)
    assert "thinking" not in shown(True, 0.0)
