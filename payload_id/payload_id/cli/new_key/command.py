"""`payload-id new-key`: make a key pair for signing certificates, without ROS."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...files.runs.signing_key import PASSPHRASE, PRIVATE_NAME, PUBLIC_NAME, new_key_pair
from ..common.arguments import add_verb


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "make a key pair for signing certificates, without ROS"
    parser = add_verb(verbs, "new-key", text)
    parser.add_argument(
        "folder",
        type=Path,
        help=f"where {PRIVATE_NAME} (private, encrypted if {PASSPHRASE} is set) and {PUBLIC_NAME} "
        "are put; keys that are there are never replaced",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Make a key pair; return the exit code."""
    key = new_key_pair(arguments.folder)
    kept = f"encrypted: {PASSPHRASE} opens it" if key.encrypted else "not encrypted"
    print(
        f"New key {key.public.fingerprint}\n"
        f"  private: {key.path}, readable by its owner alone, {kept}; for 'payload-id sign --key' "
        "and the planner's parameter signing_key\n"
        f"  public:  {key.path.with_name(PUBLIC_NAME)}, for everybody who runs "
        "'payload-id verify --key'; hand it over in a way that nobody else can write to"
    )
    return 0
