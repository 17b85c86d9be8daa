"""Archives of arrays: what was written comes back bit for bit, anything else is refused."""

import io
import struct
import zipfile

import numpy as np
import pytest

from payload_id.files.configuration import array_archive
from payload_id.files.configuration.array_archive import read_arrays

ARRAYS = {
    "a": np.random.default_rng(1).normal(size=(7, 3)),
    "b": np.arange(5),
    "text": np.array("a text"),
    "none": np.zeros((0, 10)),
}
LZMA, BZIP2 = 14, 12  # methods of compression that NumPy does not write


def packed(**others):
    """Return the bytes of an archive, with other members in place of some."""
    plain = io.BytesIO()
    np.savez_compressed(plain, **ARRAYS)
    with zipfile.ZipFile(plain) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (members | others).items():
            archive.writestr(name, content)
    return whole.getvalue()


def with_heads(change):
    """Return an archive with both heads of every member changed: data, place of the method."""
    data = bytearray(packed())
    for signature, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = data.find(signature)
        while place >= 0:
            change(data, place + method)
            place = data.find(signature, place + 4)
    return bytes(data)


def method(number):
    """Return an archive that says another method of compression."""
    code = struct.pack("<H", number)
    return with_heads(lambda data, at: data.__setitem__(slice(at, at + 2), code))


def head(shape):
    """Return the head of an array in NumPy's format."""
    file = io.BytesIO()
    entries = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, entries)
    return file.getvalue()


def member(content):
    """Return an archive one of whose members has this content."""
    return packed(**{"a.npy": content})


def array(value):
    """Return an array in NumPy's format."""
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(value), allow_pickle=True)
    return file.getvalue()


ELSE = {
    "nothing": b"",
    "no archive": b"PK but no more",
    "an array alone": array([1.0]),
    "lzma": method(LZMA),
    "bzip2": method(BZIP2),
    "an unknown method": method(99),
    "encrypted": with_heads(lambda data, at: data.__setitem__(at - 2, data[at - 2] | 1)),
    "no array": member(b"abc"),
    "text": member(array("1.0")),
    "complex numbers": member(array(1j)),
    "fields": member(array(np.zeros(2, [("a", "f8")]))),
    "objects": member(array(np.array([{}], dtype=object))),
    "huge": member(head((10**12,))),
    "below zero": member(head((-3,))),
    "too short": member(head((4,)) + bytes(31)),
    "too long": member(head((4,)) + bytes(33)),
    "another format": member(b"\x93NUMPY\x09\x00" + head((0,))[8:]),
    "no head": member(b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8',"),
    "another file": packed(**{"a.txt": b"abc"}),
}


@pytest.fixture
def read(tmp_path):
    """Return a function that reads an archive of some bytes."""

    def read_content(content):
        (tmp_path / "some.npz").write_bytes(content)
        return read_arrays(tmp_path / "some.npz", "test", ("text",))

    return read_content


def test_anything_else_is_refused(read, tmp_path, monkeypatch):
    whole = packed()
    contents = ELSE | {f"cut at {size}": whole[:size] for size in range(0, len(whole), 37)}
    for kind, content in contents.items():
        try:
            read(content)
        except ValueError as error:
            assert str(error), kind
        else:
            pytest.fail(kind)
    with pytest.raises(ValueError, match="no such file"):
        read_arrays(tmp_path, "test")
    monkeypatch.setattr(array_archive, "LARGEST", 100)  # before it is read
    with pytest.raises(ValueError, match="at most 100"):
        read(whole)
