"""YAML that no person writes: refused in a sentence, soon, whatever it is."""

import errno
from pathlib import Path

import pytest

from payload_id.core.errors import ConfigurationError
from payload_id.files.configuration.input_path import input_path, sibling
from payload_id.files.configuration.yaml_file import read_yaml

LAUGHS = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{b}: &{b} [{','.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
REFUSED = {
    "a list as a key": "? [a, b]\n: 1\n",
    "a section as a key": "{a: 1}: 2\n",
    "an impossible date": "a: 2024-13-45\n",
    "an impossible time": "a: 2024-01-01 25:61:61\n",
    "no timestamp": "a: !!timestamp x\n",
    "no number": "a: !!float x\n",
    "too many digits": f"a: {'9' * 5000}\n",
    "brackets": "a: " + "[" * 2000 + "]" * 2000,
    "braces": "{a: " * 3000,
    "indentation": "".join(" " * k + "a:\n" for k in range(1500)),
    "aliases that grow": LAUGHS,
    "an alias that holds itself": "a: &a [*a]\n",
    "a tag": "a: !!python/object/apply:os.system [x]\n",
    "no flag": "a: !!bool x\n",
    "a list for a section": "a: !!map [1]\n",
    "NUL": 'a: "\0"\n',
    "binary": "a: !!binary xxx\n",
    "letters without end": "a: " + "x" * 4_000_000,
}


def test_yaml_that_no_person_writes_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "x.yaml"
    for text in REFUSED.values():
        path.write_text(text)
        with pytest.raises(ConfigurationError, match=str(path)) as error:
            read_yaml(path)
        assert len(str(error.value)) < 500
    path.write_text("a: &limits [1, 2]\nb: *limits\n")
    assert read_yaml(path) == {"a": [1, 2], "b": [1, 2]}


def test_what_is_no_path_or_may_not_be_looked_at_is_refused(monkeypatch):
    for path in (None, 3, [], b"x\xff", "a\0b", "x" * 5000, "/" * 3 + "y" * 300):
        with pytest.raises(ConfigurationError):
            read_yaml(path)
    for device in ("/dev/zero", "/dev/null", "/dev/full", "/dev/random"):
        with pytest.raises(ConfigurationError, match=f"{device} is a device"):
            input_path(device, "file")
    for path in ("", "nothing", "a/b", "~", "~nobody/x", "é"):  # it need not exist
        assert str(input_path(path, "table")) == (path or ".")

    def refuse(path, **_):
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(ConfigurationError, match="No folder can be at"):
        input_path("/secret/x", "folder")


def test_a_file_beside_another_one_is_a_name_alone(tmp_path):
    for name in ("", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "a\0", 3, None, ["a"]):
        with pytest.raises(ConfigurationError, match="name alone"):
            sibling(tmp_path / "run.yaml", name)
    assert sibling(tmp_path / "run.yaml", "robot.urdf") == tmp_path / "robot.urdf"
