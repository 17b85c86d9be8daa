"""Which recordings are meant, and what a manifest says of them."""

import fsspec
import pyarrow as pa
import pyarrow.parquet
import pytest

from payload_id.core.errors import ConfigurationError, RecordingError
from payload_id.files.fleet.local_copy import local_copy
from payload_id.files.fleet.manifest import Entry, matched, read_manifest
from payload_id.files.fleet.recordings_found import recordings_found


@pytest.fixture
def bags(tmp_path):
    """Make files with the names that recordings have."""
    for name in ("monday/one/metadata.yaml", "monday/one/one_0.mcap", "monday/two.mcap",
                 "tuesday/old.db3", "tuesday/notes.pdf", "table.csv"):  # fmt: skip
        path = tmp_path / "bags" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "bags"


def test_folders_patterns_files_and_lists_name_recordings(bags, tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text(f"# mine\n{bags}/table.csv\n\n{bags}/tues*/*\n")
    for given, wanted in (
        ([bags], ["monday/one", "monday/two.mcap", "tuesday/old.db3"]),
        ([f"@{listed}"], ["table.csv", "tuesday/old.db3"]),
        ([f"{bags}/*/*.mcap"], ["monday/two.mcap"]),
        ([f"{bags}/monday", f"{bags}/monday/two.mcap"], ["monday/one", "monday/two.mcap"]),
    ):
        found = recordings_found([str(x) for x in given])
        assert [x.removeprefix(f"{bags}/") for x in found] == wanted
    (bags / "monday").rename(bags / "m[on]day*")
    assert len(recordings_found([f"{bags}/m[on]day*/two.mcap"])) == 1
    tables = tmp_path / "tables"
    tables.mkdir()
    for name in ("one.csv", "two.CSV", "notes.md"):
        (tables / name).write_text("t,q,tau\n")
    assert recordings_found([str(tables)]) == (f"{tables}/one.csv", f"{tables}/two.CSV")


def test_other_stores_are_looked_through_by_url_and_copied_for_a_while(bags):
    fsspec.filesystem("memory").pipe({"/fleet/a/metadata.yaml": b"x", "/fleet/a/a.mcap": b"data"})
    assert recordings_found(["memory://fleet"]) == ("memory:///fleet/a",)
    with local_copy("memory://fleet/a") as path:
        assert (path / "a.mcap").read_bytes() == b"data"
    assert not path.exists()
    for place in (str(bags), "memory://fleet/a"):
        with pytest.raises(ValueError, match="^of the work$"), local_copy(place):
            raise ValueError("of the work")


def test_what_holds_no_recording_is_named(bags):
    for source in ("nowhere", f"{bags}/tuesday/notes.pdf", "what://is/this"):
        with pytest.raises(RecordingError, match=source):
            recordings_found([source])
    for place in ("/dev/zero", "what://is/this"):
        with pytest.raises(RecordingError, match=place), local_copy(place):
            pass
    with pytest.raises(ConfigurationError, match=r"nowhere\.txt"):
        recordings_found(["@nowhere.txt"])


@pytest.fixture
def manifest(tmp_path):
    """Return a function that reads a manifest of a text, of bytes or of Parquet's columns."""

    def read(content):
        path = tmp_path / ("fleet.parquet" if isinstance(content, dict) else "fleet.csv")
        if isinstance(content, dict):
            pa.parquet.write_table(pa.table(content), path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_manifest(str(path))

    return read


def test_a_manifest_says_what_is_known(manifest, tmp_path):
    head = "bag,robot,arm,payload,tare,known_mass,temperature\n"
    one, two = manifest(
        f"{head}one,kinova_gen3,left,box,bare_1; bare_2,1.5,21\n/far/two,mine.yaml,,,,,\n"
    )
    tares = (f"{tmp_path}/bare_1", f"{tmp_path}/bare_2")
    assert one == Entry(f"{tmp_path}/one", "kinova_gen3", "left", "box", tares, 1.5, 21.0)
    assert two == Entry("/far/two", f"{tmp_path}/mine.yaml")
    found = matched((Entry("/b", payload="box"), Entry("/a")), ["/b", "/c"])
    assert [(each.bag, each.payload) for each in found] == [("/b", "box"), ("/a", ""), ("/c", "")]


def test_texts_and_numbers_count_however_parquet_stores_them(manifest):
    names = pa.array(["a", "b"])
    for texts in (names, names.dictionary_encode(), names.cast(pa.string_view())):
        for kind in (pa.float64(), pa.float32(), pa.decimal128(6, 2)):
            masses = pa.array([1.5, None], pa.float64()).cast(kind)
            entries = manifest({"bag": ["one", "two"], "arm": texts, "known_mass": masses})
            assert [(x.arm, x.known_mass) for x in entries] == [("a", 1.5), ("b", None)]
    (none,) = manifest({"bag": ["one"], "temperature": [float("nan")]})
    assert none.temperature is None


NO_UTF_8 = pa.StringArray.from_buffers(1, *pa.array([b"run\xe31"]).buffers()[1:])
WRONG = {
    "robot,payload\na,b\n": "bag", "bag,colour\na,red\n": "colour",
    "bag,known_mass\na,heavy\n": "entry 1: known_mass", "bag,known_mass\na,1e300\n": "known_mass",
    "bag,known_mass\na,1\nb,-2\n": "entry 2: known_mass",
    "bag,temperature\na,-400\n": "temperature",
    "bag,bag\na,b\n": "bag, bag", f"bag,arm\na,{'x' * 400}\n": "arm",
    f"bag,arm\na,{'ä' * 70}\n": "arm", "bag,temperature\na,nan\n": "temperature",
    "bag,payload\n,b\n": "recording", "bag,payload\na,b,c\n": "fleet.csv", "": "fleet.csv",
    "bag,robot\na,one.yaml\nb,one.yaml\na,two.yaml\n": "entries 1 and 3",
    "bag,größe\na,1\n".encode("latin-1"): "fleet.csv",
}  # fmt: skip


def test_a_manifest_that_is_wrong_is_refused_with_its_line(manifest, tmp_path):
    for content, named in WRONG.items():
        with pytest.raises(ConfigurationError, match=named):
            manifest(content)
    for column in ([[1.3]], [{"kg": 1.3}], [True], [b"1.3"]):
        for name in ("bag", "known_mass"):
            with pytest.raises(ConfigurationError, match=name):
                manifest({"bag": ["a.mcap"]} | {name: pa.array(column)})
    with pytest.raises(ConfigurationError, match="cannot be read"):
        manifest({"bag": NO_UTF_8})
    manifest({"bag": ["a"] * 50})
    content = (tmp_path / "fleet.parquet").read_bytes()
    (tmp_path / "fleet.parquet").write_bytes(content[:40] + content[60:])
    with pytest.raises(ConfigurationError, match=r"fleet\.parquet.*damaged"):
        read_manifest(str(tmp_path / "fleet.parquet"))
