"""NumPy archives (.npz) that anybody may have changed: bytes, numbers and shapes are checked.

`numpy.load` reads an array's own bytes and no further, which leaves the checksum behind them
unread, and takes memory for whatever a member says of its size.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .input_path import input_path

LARGEST = 500_000_000  # bytes of all arrays together
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # of compression, that NumPy writes
SUFFIX = ".npy"
NUMBERS, TEXT = "biuf", "U"  # kinds of arrays, as NumPy names them
Arrays = dict[str, NDArray[Any]]


def read_arrays(
    path: Path | str, what: str, texts: Collection[str] = (), unbounded: tuple[str, ...] = ()
) -> Arrays:
    """Return the arrays of an archive by their names.

    Args:
        path: The file.
        what: What it holds, for the message, such as "tare".
        texts: Names of those that are texts; all others are real numbers.
        unbounded: How the names begin of those that may hold NaN and infinities.

    Raises:
        ConfigurationError: No file can be at such a path.
        ValueError: It is no archive of arrays, is damaged, holds more than `LARGEST`, or numbers
            that are not finite.
    """
    path = input_path(path, what)
    if not path.is_file():
        raise ValueError("there is no such file")
    try:
        with zipfile.ZipFile(path) as archive:
            members = {x.filename.removesuffix(SUFFIX): x for x in _members(archive)}
            arrays = {
                name: _array(name, archive.read(member), TEXT if name in texts else NUMBERS)
                for name, member in members.items()
            }
    except Exception as error:  # whatever damaged bytes make readers of ZIP, zlib and NumPy raise
        raise ValueError(" ".join(str(error).split()) or type(error).__name__) from error
    for name, array in arrays.items():
        if not (name in texts or name.startswith(unbounded) or np.isfinite(array).all()):
            raise ValueError(f"{name} holds numbers that are not finite")
    return arrays


def check_shapes(arrays: Mapping[str, NDArray[Any]], shapes: Mapping[str, str]) -> dict[str, int]:
    """Return the sizes that letters stand for, such as m of `{"A": "m 10", "b": "m"}`.

    Args:
        arrays: By name; one without a shape is not looked at.
        shapes: Sizes in order, numbers or letters; one letter is the same size wherever it stands.

    Raises:
        KeyError: An array is missing.
        ValueError: One has another shape; says which.
    """
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        found, wanted = arrays[name].shape, shape.split()
        if len(found) == len(wanted):
            for letter, size in zip(wanted, found, strict=True):
                sizes.setdefault(letter, int(letter) if letter.isdigit() else size)
        if found != tuple(sizes.get(letter) for letter in wanted):
            told = ", ".join(
                f"{x} = {sizes[x]}" if x in sizes and not x.isdigit() else x for x in wanted
            )
            raise ValueError(f"{name} has shape {found}, not ({told})")
    return sizes


def check_at_least(arrays: Mapping[str, NDArray[Any]], least: Mapping[str, float]) -> None:
    """Raise unless no number of the named arrays is below a bound.

    Raises:
        ValueError: One is; says where.
    """
    for name, bound in least.items():
        if name in arrays and arrays[name].size and not arrays[name].min() >= bound:
            raise ValueError(f"{name} holds {arrays[name].min():g}; at least {bound:g} is possible")


def _members(archive: zipfile.ZipFile) -> Iterator[zipfile.ZipInfo]:
    """Yield the members of an archive once it is known that all of them can be read.

    Raises:
        ValueError: They are too large, of another kind, or two have one name.
    """
    members = archive.infolist()
    total = sum(member.file_size for member in members)
    if total > LARGEST:
        raise ValueError(f"its arrays have {total} bytes; at most {LARGEST} are read")
    names = {member.filename for member in members}
    if len(names) < len(members):
        raise ValueError("two of its arrays have the same name")
    for member in members:
        if not member.filename.endswith(SUFFIX) or member.compress_type not in METHODS:
            raise ValueError(f"{member.filename!r} in it is nothing that NumPy writes")
        yield member


def _array(name: str, content: bytes, kinds: str) -> NDArray[Any]:
    """Return an array of one of some kinds from its bytes, which are all used.

    Raises:
        ValueError: They are those of something else.
    """
    file = io.BytesIO(content)
    try:
        major, minor = np.lib.format.read_magic(file)
    except ValueError as error:
        raise ValueError(f"{name} is cut off, or no array") from error
    if (major, minor) != (1, 0):
        raise ValueError(f"{name} has format {major}.{minor}, not 1.0")
    shape, _, kind = np.lib.format.read_array_header_1_0(file)
    if kind.kind not in kinds:
        raise ValueError(f"{name} is of {kind}, not {'text' if kinds == TEXT else 'numbers'}")
    size = kind.itemsize * int(np.prod([float(k) for k in shape]))
    if size != len(content) - file.tell():
        raise ValueError(f"{name} of shape {shape} has {len(content)} bytes")
    file.seek(0)
    array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array
