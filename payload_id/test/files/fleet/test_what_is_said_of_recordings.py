"""Which recordings are meant, and what a manifest says of them."""

from datetime import datetime

import pyarrow as pa
import pyarrow.parquet
import pytest

from payload_id.core.errors import ConfigurationError, RecordingError
from payload_id.files.fleet.local_copy import content_digest, local_copy
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


def names(bags, found):
    return [x.removeprefix(f"{bags}/") for x in found]


def test_a_folder_is_looked_through(bags):
    found = recordings_found([str(bags)])
    assert names(bags, found) == ["monday/one", "monday/two.mcap", "tuesday/old.db3"]


def test_of_a_folder_without_bags_the_tables_are_taken(bags, tmp_path):
    folder = tmp_path / "tables"
    (folder / "monday").mkdir(parents=True)
    for name in ("monday/one.csv", "two.CSV", "notes.md"):
        (folder / name).write_text("t,q,tau\n")
    found = recordings_found([str(folder)])
    assert [x.removeprefix(f"{folder}/") for x in found] == ["monday/one.csv", "two.CSV"]


def test_globs_files_and_lists(bags, tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text(f"# mine\n{bags}/table.csv\n\n{bags}/tues*/*\n")
    assert names(bags, recordings_found([f"@{listed}"])) == ["table.csv", "tuesday/old.db3"]
    assert names(bags, recordings_found([f"{bags}/*/*.mcap"])) == ["monday/two.mcap"]
    twice = recordings_found([f"{bags}/monday", f"{bags}/monday/two.mcap"])
    assert names(bags, twice) == ["monday/one", "monday/two.mcap"]


def test_a_name_with_the_letters_of_a_glob_is_a_name(bags):
    (bags / "monday").rename(bags / "m[on]day*")
    assert names(bags, recordings_found([f"{bags}/m[on]day*/two.mcap"])) == ["m[on]day*/two.mcap"]


def test_other_stores_are_looked_through_by_url(bags):
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/fleet/a/metadata.yaml", b"x")
    memory.pipe("/fleet/a/a_0.mcap", b"data")
    assert recordings_found(["memory://fleet"]) == ("memory:///fleet/a",)
    with local_copy("memory://fleet/a") as path:
        assert (path / "a_0.mcap").read_bytes() == b"data"
    assert not path.exists()


@pytest.mark.parametrize("source", ["nowhere", "{bags}/tuesday/notes.pdf", "what://is/this"])
def test_what_holds_no_recording_is_said(bags, source):
    with pytest.raises(RecordingError):
        recordings_found([source.format(bags=bags)])


def test_a_list_that_is_not_there_is_said():
    with pytest.raises(ConfigurationError, match=r"list of recordings nowhere\.txt"):
        recordings_found(["@nowhere.txt"])


def test_content_names_a_recording_wherever_it_lies(bags, tmp_path):
    one = content_digest(bags / "monday" / "one")
    (bags / "monday" / "one").rename(tmp_path / "moved")
    assert content_digest(tmp_path / "moved") == one
    (tmp_path / "moved" / "one_0.mcap").write_text("other")
    assert content_digest(tmp_path / "moved") != one
    with pytest.raises(RecordingError, match="There is no recording"):
        content_digest(tmp_path / "nowhere")


TABLE = "bag,robot,arm,payload,tare,known_mass,temperature\n"


def test_texts_of_a_manifest_that_are_no_utf_8_are_told(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    text = pa.array([b"run\xe31"])
    file = tmp_path / "fleet.parquet"
    bags = pa.StringArray.from_buffers(1, text.buffers()[1], text.buffers()[2])
    pa.parquet.write_table(pa.table({"bag": bags}), file)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_manifest(str(file))


def test_a_manifest_says_what_is_known(tmp_path):
    file = tmp_path / "fleet.csv"
    file.write_text(
        TABLE + "one,kinova_gen3,left,box,bare_1; bare_2,1.5,21\n/far/two,mine.yaml,,,,,\n"
    )
    one, two = read_manifest(str(file))
    assert one == Entry(
        f"{tmp_path}/one", "kinova_gen3", "left", "box",
        (f"{tmp_path}/bare_1", f"{tmp_path}/bare_2"), 1.5, 21.0,
    )  # fmt: skip
    assert two == Entry("/far/two", f"{tmp_path}/mine.yaml")


def test_a_manifest_as_parquet_says_the_same(tmp_path):
    table = pa.table({"bag": ["one", "two"], "known_mass": [0.0, None], "payload": [None, "7"]})
    pa.parquet.write_table(table, tmp_path / "fleet.parquet")
    one, two = read_manifest(str(tmp_path / "fleet.parquet"))
    assert (one.known_mass, one.payload, two.known_mass, two.payload) == (0.0, "", None, "7")


@pytest.mark.parametrize(
    "texts",
    [pa.array(["a", "b"]).dictionary_encode(), pa.array(["a", "b"]).cast(pa.string_view())],
    ids=["categories", "views"],
)
@pytest.mark.parametrize("kind", [pa.float32(), pa.decimal128(6, 2)])
def test_texts_and_numbers_count_however_parquet_stores_them(tmp_path, texts, kind):
    masses = pa.array([1.5, None], pa.float64()).cast(kind)
    table = pa.table({"bag": ["one", "two"], "arm": texts, "known_mass": masses})
    pa.parquet.write_table(table, tmp_path / "fleet.parquet")
    entries = read_manifest(str(tmp_path / "fleet.parquet"))
    assert [x.arm for x in entries] == ["a", "b"]
    assert [x.known_mass for x in entries] == [1.5, None]


def test_a_number_that_is_none_states_nothing(tmp_path):
    table = pa.table({"bag": ["one"], "temperature": [float("nan")]})
    pa.parquet.write_table(table, tmp_path / "fleet.parquet")
    assert read_manifest(str(tmp_path / "fleet.parquet"))[0].temperature is None


def test_a_manifest_in_another_encoding_is_refused(tmp_path):
    file = tmp_path / "fleet.csv"
    file.write_bytes("bag,größe\na,1\n".encode("latin-1"))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_manifest(str(file))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("robot,payload\na,b\n", "must have the column bag"),
        ("bag,colour\na,red\n", "found bag, colour"),
        ("bag,known_mass\na,heavy\n", "entry 1: known_mass must be a number"),
        ("bag,known_mass\na,1\nb,-2\n", "entry 2: known_mass must be from 0 to"),
        ("bag,known_mass\na,1e300\n", "known_mass must be from 0 to"),
        ("bag,temperature\na,-400\n", "temperature must be from -273.15"),
        ("bag,bag\na,b\n", "each once; found bag, bag"),
        (f"bag,arm\na,{'x' * 400}\n", "names a folder"),
        (f"bag,arm\na,{'ä' * 70}\n", "names a folder"),
        ("bag,temperature\na,nan\n", "temperature must be a number"),
        ("bag,payload\n,b\n", "names no recording"),
        ("bag,robot\na,one.yaml\nb,one.yaml\na,two.yaml\n", "says two things of .*entries 1 and 3"),
        ("bag,payload\na,b,c\n", "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_a_manifest_that_is_wrong_is_refused_with_its_line(tmp_path, text, says):
    file = tmp_path / "fleet.csv"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=says):
        read_manifest(str(file))


def test_what_is_named_and_what_is_in_the_manifest_are_taken_together(tmp_path):
    entries = (Entry("/b", payload="box"), Entry("/a"))
    found = matched(entries, ["/b", "/c"])
    assert [each.bag for each in found] == ["/b", "/a", "/c"]
    assert found[0].payload == "box"


def test_errors_of_the_work_on_a_copy_stay_what_they_are(bags):
    fsspec = pytest.importorskip("fsspec")
    fsspec.filesystem("memory").pipe("/work/metadata.yaml", b"x")
    for place in (str(bags), "memory://work"):
        with pytest.raises(ValueError, match="^of the work$"), local_copy(place):
            raise ValueError("of the work")


@pytest.mark.parametrize("place", ["/dev/zero", "what://is/this"])
def test_what_is_no_recording_is_said(place):
    with pytest.raises(RecordingError, match=place), local_copy(place):
        pass


@pytest.mark.parametrize(
    "column",
    [
        pa.array([datetime(2026, 1, 5)], pa.timestamp("ns")),
        pa.array([2**60], pa.int64()).cast(pa.date64(), safe=False),
        pa.array([[1.3]]), pa.array([{"kg": 1.3}]), pa.array([True]), pa.array([b"1.3"]),
    ],
    ids=lambda column: str(column.type),
)  # fmt: skip
@pytest.mark.parametrize("name", ["bag", "known_mass"])
def test_columns_of_a_manifest_hold_texts_or_numbers(tmp_path, column, name):
    columns = {"bag": pa.array(["a.mcap"])} | {name: column}
    pa.parquet.write_table(pa.table(columns), tmp_path / "fleet.parquet")
    with pytest.raises(ConfigurationError, match=f"{name} holds neither texts nor numbers"):
        read_manifest(str(tmp_path / "fleet.parquet"))


@pytest.mark.parametrize("name", ["fleet.parquet", "fleet.csv"])
def test_a_damaged_manifest_is_said_without_words_of_the_library(tmp_path, name):
    pa.parquet.write_table(pa.table({"bag": ["a"] * 50}), tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / name).write_bytes(content[:40] + content[60:])
    with pytest.raises(ConfigurationError, match="damaged, or not what its name says"):
        read_manifest(str(tmp_path / name))
