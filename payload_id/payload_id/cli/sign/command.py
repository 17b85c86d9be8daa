"""`payload-id sign`: sign saved certificates of motions, without ROS."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ...files.runs.certificate_file import sign_certificate
from ...files.runs.public_key import PublicKey
from ...files.runs.signing_key import PASSPHRASE, SigningKey
from ..common.arguments import add_verb


def add_parser(verbs: Any) -> None:
    """Add the command and its arguments."""
    text = "sign saved certificates of motions with a private key, without ROS"
    parser = add_verb(verbs, "sign", text)
    parser.add_argument(
        "certificate",
        type=Path,
        nargs="+",
        help="files that the planner saved (.json), to be verified before; an earlier signature is "
        "replaced",
    )
    parser.add_argument(
        "--key",
        type=Path,
        metavar="FILE",
        required=True,
        help="private key (PEM) that 'payload-id new-key' made; an encrypted one is opened with "
        f"the passphrase in the environment variable {PASSPHRASE}",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Sign certificates one by one; return the exit code."""
    key = SigningKey.load(arguments.key)
    for path in arguments.certificate:
        earlier = sign_certificate(path, key)
        before = None if earlier is None else earlier.key
        print(f"{path}: signed by the key {key.public}{_replaced(before, key.public)}")
    return 0


def _replaced(before: PublicKey | None, now: PublicKey) -> str:
    """Return what to say of the signature that was there."""
    if before is None:
        return ""
    return ", as before" if before == now else f", in place of the key {before}"
