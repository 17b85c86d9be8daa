"""Signatures of certificates: who vouches for a content, and whether it is still that content.

What is signed is the content's values, in one order and one notation: another indentation or order
of the keys is the same content, any other value, key or type is not. The signature's own entries
but for its value are among what it signs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .public_key import PublicKey
from .signing_key import SigningKey

ENTRY = "signature"  # of a file, beside what is signed
ALGORITHM = "ed25519"
# Stands before what is signed, so that a signature made for another purpose is none here.
PURPOSE = b"payload_id certificate, signature of version 1\n"
KEY_DIGITS, VALUE_DIGITS = 64, 128  # hexadecimal, small letters: one spelling for each value


class SignatureState(Enum):
    """What can be said of a signature."""

    OWN = "own"  # of a trusted key, and of this content
    FOREIGN = "foreign"  # of a key that is not trusted
    CHANGED = "changed"  # not of this content
    UNSIGNED = "unsigned"
    NOT_JUDGED = "not judged"  # of this content, but nobody said whose key is trusted


# What the file has, in a few words, and the beginning of the sentence on it.
WORDS = {
    SignatureState.UNSIGNED: ("none", "The certificate is not signed"),
    SignatureState.CHANGED: (
        "not of this content, by {name}",
        "The certificate was changed after it was signed by {name}, or the signature is that of "
        "another one: {flaw}",
    ),
    SignatureState.FOREIGN: ("of {name}", "The certificate is signed by another key, {key}"),
    SignatureState.NOT_JUDGED: (
        "of {name}", "The certificate is signed by {name}, whoever has that"
    ),
    SignatureState.OWN: ("of {name}", "The certificate is signed by {name}"),
}  # fmt: skip


@dataclass(frozen=True)
class Signature:
    """The signature in a file, held against the file's content.

    Attributes:
        key: Public key that it names; None: none can be read.
        flaw: Why it is not that key's signature of this content; empty: it is.
    """

    key: PublicKey | None
    flaw: str


@dataclass(frozen=True)
class SignatureVerdict:
    """What a signature is worth to who trusts certain keys.

    Attributes:
        state: In one word, or two.
        key: Fingerprint of the key that it names; empty: there is none.
        found: What the file has, in a few words.
        trusted: Keys whose signatures count, in a few words; empty: nobody said.
        sentence: All of it for people.
        holds: Whether it is as asked; None: nobody said whose key is trusted.
    """

    state: SignatureState
    key: str
    found: str
    trusted: str
    sentence: str
    holds: bool | None


def signed(content: Mapping[str, Any], key: SigningKey) -> dict[str, Any]:
    """Return a content with its signature, in place of an earlier one.

    Args:
        content: What JSON has: texts, numbers, lists and dicts; no NaN.
        key: Who vouches for it.
    """
    block = {"algorithm": ALGORITHM, "public_key": key.public.raw.hex()}
    value = key.sign(_message({**content, ENTRY: block}))
    return {**content, ENTRY: {**block, "value": value.hex()}}


def signature_of(content: Mapping[str, Any]) -> Signature | None:
    """Return the signature of a content, checked with the key that it names; None: it has none.

    Args:
        content: As `read_json` returns it.
    """
    if ENTRY not in content:
        return None
    block = content[ENTRY]
    if not isinstance(block, dict):
        return Signature(None, f"it is {type(block).__name__}, not keys and values")
    if block.get("algorithm") != ALGORITHM:
        found = str(block.get("algorithm"))[:20]
        return Signature(None, f"its algorithm is {found!r}, not '{ALGORITHM}'")
    raw, value = (
        _bytes(block.get(name), digits)
        for name, digits in (("public_key", KEY_DIGITS), ("value", VALUE_DIGITS))
    )
    if raw is None:
        return Signature(None, f"its public_key is not {KEY_DIGITS} hexadecimal digits")
    key = PublicKey(raw)
    if value is None:
        return Signature(key, f"its value is not {VALUE_DIGITS} hexadecimal digits")
    if not key.signed(_message(content), value):
        return Signature(key, "it is of another content")
    return Signature(key, "")


def judged(signature: Signature | None, trusted: Sequence[PublicKey]) -> SignatureVerdict:
    """Return what a signature is worth.

    Args:
        signature: That of the file; None: it has none.
        trusted: Keys whose signatures count; empty: nobody said.
    """
    own = next((key for key in trusted if signature and key == signature.key), None)
    if signature is None:
        state = SignatureState.UNSIGNED
    elif signature.flaw:
        state = SignatureState.CHANGED
    elif own is not None:
        state = SignatureState.OWN
    else:
        state = SignatureState.FOREIGN if trusted else SignatureState.NOT_JUDGED
    key = "" if signature is None or signature.key is None else signature.key.fingerprint
    name = f"the key {key}" if key else "a key that cannot be read"
    flaw = "" if signature is None else signature.flaw
    found, sentence = (x.format(name=name, key=key, flaw=flaw) for x in WORDS[state])
    wanted = "no trusted key was named (--key)"
    if trusted:
        wanted = f"a trusted key is {', '.join(map(str, trusted))}"
    if own is not None:
        wanted = f"this is the trusted key {own}"
    holds = False if trusted or state is SignatureState.CHANGED else None
    return SignatureVerdict(
        state=state,
        key=key,
        found=found,
        trusted=", ".join(each.label for each in (trusted if own is None else [own])),
        sentence=f"{sentence}; {wanted}.",
        holds=True if state is SignatureState.OWN else holds,
    )


def _message(content: Mapping[str, Any]) -> bytes:
    """Return what is signed: one text for all notations of the same values.

    Raises:
        ValueError: A number is NaN or infinite.
    """
    block = {name: entry for name, entry in content[ENTRY].items() if name != "value"}
    text = json.dumps(
        {**content, ENTRY: block}, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return PURPOSE + text.encode("ascii")


def _bytes(text: Any, digits: int) -> bytes | None:
    """Return bytes from hexadecimal digits; None: it is something else."""
    if not isinstance(text, str) or not re.fullmatch(f"[0-9a-f]{{{digits}}}", text):
        return None
    return bytes.fromhex(text)
