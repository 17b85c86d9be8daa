"""Completion of commands and options in a shell, as a script made from the parsers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

SHELLS = ("bash", "zsh")


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return what a shell has to read.

    Args:
        parser: Of all commands.
        shell: One of `SHELLS`.
    """
    cases = "\n".join(
        f'        "{place}") words="{" ".join(words)}" ;;' for place, words in choices(parser)
    )
    zsh = "autoload -U +X bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return f"""\
# Completion of payload-id; in ~/.bashrc or ~/.zshrc: eval "$(./payload-id completion {shell})"
{zsh}_payload_id() {{
    local here="${{COMP_WORDS[COMP_CWORD]}}" place="" words="" word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$word" in -*) ;; *) case "$place $word" in
{_places(parser)}
        esac ;; esac
    done
    case "$place" in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$here") $(compgen -f -- "$here"))
}}
complete -o filenames -F _payload_id payload-id ./payload-id
"""


def choices(
    parser: argparse.ArgumentParser, place: str = ""
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Give each place in the command line with the words that may follow there."""
    verbs = _verbs(parser)
    options = [word for action in parser._actions for word in action.option_strings]
    yield place, (*verbs, *options)
    for verb, sub in verbs.items():
        yield from choices(sub, f"{place} {verb}")


def _verbs(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """Return the commands below a parser."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _places(parser: argparse.ArgumentParser) -> str:
    """Return the cases that lead from one place to the next."""
    names = [place for place, _ in choices(parser) if place]
    return "\n".join(f'            "{name}") place="{name}" ;;' for name in names)
