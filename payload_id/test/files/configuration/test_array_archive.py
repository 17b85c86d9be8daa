"""Archives of arrays: what was written comes back bit for bit, anything else is refused."""

import io
import random
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


def packed(change=lambda members: None):
    """Return the bytes of an archive, its members changed before they are packed."""
    plain = io.BytesIO()
    np.savez_compressed(plain, **ARRAYS)
    with zipfile.ZipFile(plain) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
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


def head(shape, kind="<f8"):
    """Return the head of an array in NumPy's format."""
    file = io.BytesIO()
    entries = {"descr": kind, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, entries)
    return file.getvalue()


def member(content):
    """Return an archive one of whose members has this content."""
    return packed(lambda members: members.__setitem__("a.npy", content))


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
    "another file": packed(lambda members: members.__setitem__("a.txt", b"abc")),
}


def test_arrays_come_back(tmp_path):
    path = tmp_path / "some.npz"
    path.write_bytes(packed())
    found = read_arrays(path, "test", ("text",))
    assert found.keys() == ARRAYS.keys()
    for name, wanted in ARRAYS.items():
        assert found[name].dtype == wanted.dtype
        np.testing.assert_array_equal(found[name], wanted)


@pytest.mark.parametrize("content", ELSE.values(), ids=ELSE.keys())
def test_anything_else_is_refused(tmp_path, content):
    path = tmp_path / "some.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"\w"):
        read_arrays(path, "test", ("text",))


def test_no_changed_bit_changes_a_number(tmp_path):
    whole, path = packed(), tmp_path / "some.npz"
    random_ = random.Random(3)
    for _ in range(400):
        changed = bytearray(whole)
        changed[random_.randrange(len(whole))] ^= 1 << random_.randrange(8)
        path.write_bytes(changed)
        try:
            found = read_arrays(path, "test", ("text",))
        except ValueError:
            continue
        # Names may change, which whoever asks for them notices; and what says nothing of numbers.
        for name in found.keys() & ARRAYS.keys():
            np.testing.assert_array_equal(found[name], ARRAYS[name])


def test_an_archive_that_was_cut_is_refused(tmp_path):
    whole, path = packed(), tmp_path / "some.npz"
    for size in range(0, len(whole), 37):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"\w"):
            read_arrays(path, "test", ("text",))


def test_more_than_memory_allows_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "some.npz"
    path.write_bytes(packed())
    monkeypatch.setattr(array_archive, "LARGEST", 100)
    with pytest.raises(ValueError, match="at most 100"):
        read_arrays(path, "test", ("text",))


def test_a_folder_is_no_archive(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        read_arrays(tmp_path, "test")
