"""`payload-id certificate`: check certificates of motions anew, and sign them, without ROS."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from ...core.errors import InputError
from ..common.options import Figure, Json, Robot, Seed, argument, count, file, option

MOST_SAMPLES = 1_000_000  # states, which are all kept in memory


def verify(
    certificate: Annotated[
        Path,
        argument(parser=Path, metavar="FILE", help="that the planner saved (.json)"),
    ],
    key: Annotated[
        list[Path],
        file(
            "public key (PEM), or a folder of them: only a certificate that one of these keys has "
            "signed, and that was not changed since, is verified; may be repeated (default: "
            "signatures are shown, and nobody's counts)",
        ),
    ] = [],  # noqa: B006  # is not changed
    robot: Robot = None,
    cell: Annotated[
        str | None,
        option(
            "cell file, or 'none, REASON' (default: what the certificate names)", metavar="FILE"
        ),
    ] = None,
    samples: Annotated[int, count("states to sample (default: 2000)")] = 2000,
    seed: Seed = 0,
    figure: Figure = None,
    json: Json = False,
) -> int:
    """Check a certificate of a motion anew; exit code 1: something differs."""
    import json as texts

    from ...planning.verify import verify as verified
    from ..common.figure import Drawn, drawn, figure_place
    from ..common.presentation import console
    from ..common.progress import progress
    from .verified import draw, show

    if not 1 <= samples <= MOST_SAMPLES:
        raise InputError(f"--samples must be from 1 to {MOST_SAMPLES}; found {samples}.")
    place = figure_place(figure)
    with progress("verifying"):
        checked = verified(certificate, robot, cell, key, samples, seed or 0)
    picture = Drawn()
    if checked.same_joints:
        picture = drawn(place, partial(draw, checked.saved, checked.model))
    if json:
        print(texts.dumps(checked.to_dict(), indent=1))
    else:
        show(checked)
        if picture.path:
            console().print(f"figure: {picture.path}", soft_wrap=True, markup=False)
    picture.settle()
    return 0 if checked.verified else 1


def sign(
    certificates: Annotated[
        list[Path],
        argument(
            parser=Path,
            metavar="FILE",
            help="that the planner saved (.json), to be verified before; an earlier signature is "
            "replaced",
        ),
    ],
    key: Annotated[
        Path,
        file(
            "private key (PEM) that 'certificate new-key' made; an encrypted one is opened with "
            "the passphrase in the environment variable PAYLOAD_ID_KEY_PASSPHRASE"
        ),
    ],
) -> int:
    """Sign certificates of motions with a private key."""
    from ...files.runs.certificate_file import sign_certificate
    from ...files.runs.signing_key import SigningKey

    signing = SigningKey.load(key)
    for path in certificates:
        earlier, now = sign_certificate(path, signing), signing.public
        before = None if earlier is None else earlier.key
        again = ", as before" if before == now else f", in place of the key {before}"
        print(f"{path}: signed by the key {now}{again if before else ''}")
    return 0


def new_key(
    folder: Annotated[
        Path,
        argument(
            parser=Path,
            metavar="FOLDER",
            help="where the private key (encrypted if PAYLOAD_ID_KEY_PASSPHRASE is set) and the "
            "public one are put; keys that are there are never replaced",
        ),
    ],
) -> int:
    """Make a key pair for signing certificates."""
    from ...files.runs.signing_key import PASSPHRASE, PUBLIC_NAME, new_key_pair

    key = new_key_pair(folder)
    kept = f"encrypted: {PASSPHRASE} opens it" if key.encrypted else "not encrypted"
    print(
        f"New key {key.public.fingerprint}\n"
        f"  private: {key.path}, readable by its owner alone, {kept}\n"
        f"  public:  {key.path.with_name(PUBLIC_NAME)}, for everybody who verifies; hand it over "
        "in a way that nobody else can write to\n"
        f"next: ./payload-id certificate sign MOTION.json --key {key.path}, and the planner's "
        "parameter signing_key; ./payload-id certificate verify MOTION.json --key PUBLIC"
    )
    return 0
