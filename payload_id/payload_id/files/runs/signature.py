"""Signatures of certificates: who vouches for a content, and whether it is still that content.

What is signed is the content's values, in one order and one notation: another indentation or order
of the keys is the same content, any other value, key or type is not. The signature's own entries
but for its value are among what it signs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal

from msgspec import Meta

from ...core.codec import built
from ...core.errors import shortened
from .public_key import PublicKey
from .signing_key import SigningKey

ENTRY = "signature"  # of a file, beside what is signed
# Stands before what is signed, so that a signature made for another purpose is none here.
PURPOSE = b"payload_id certificate, signature of version 1\n"


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
class SignatureBlock:
    """A signature as it stands in a file.

    Attributes:
        algorithm: Of the signature.
        public_key: Of who signed, hexadecimal.
        value: The signature, hexadecimal.
    """

    algorithm: Literal["ed25519"]
    public_key: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]  # one spelling for each value
    value: Annotated[str, Meta(pattern=r"^[0-9a-f]{128}\Z")]


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
    block = {"algorithm": "ed25519", "public_key": key.public.raw.hex()}
    value = key.sign(_message({**content, ENTRY: block}))
    return {**content, ENTRY: {**block, "value": value.hex()}}


def signature_of(content: Mapping[str, Any]) -> Signature | None:
    """Return the signature of a content, checked with the key that it names; None: it has none.

    Args:
        content: As `read_json` returns it.
    """
    if ENTRY not in content:
        return None
    try:
        block = built(SignatureBlock, content[ENTRY])
    except ValueError as error:
        return Signature(None, f"it is not readable: {shortened(str(error))}")
    key = PublicKey(bytes.fromhex(block.public_key))
    whole = key.signed(_message(content), bytes.fromhex(block.value))
    return Signature(key, "" if whole else "it is of another content")


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
    counting = trusted if own is None else [own]
    listed = ", ".join(map(str, counting))
    wanted = f"trusted is {listed}" if listed else "no trusted key was named (--key)"
    labels = ", ".join(each.label for each in counting)
    unsure = None if not trusted and state is not SignatureState.CHANGED else False
    holds = True if state is SignatureState.OWN else unsure
    return SignatureVerdict(state, key, found, labels, f"{sentence}; {wanted}.", holds)


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
