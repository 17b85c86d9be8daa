"""Options with values that cannot be: exit code 2 and a sentence, before anything is computed."""

from pathlib import Path

import pytest

from described_arms import described
from made_up_input import ROBOT, table
from payload_id.cli.main import main
from payload_id.core.errors import InputError, printable
from payload_id.core.rows.joint_torque.uncertainty import LISTS, Uncertainty

COLUMNS = """joints: [shoulder, elbow]
stamp: {column: t, unit: s}
position: q{j}
velocity: v{j}
effort: e{j}
"""
SINGLE = [name for name, x in Uncertainty.__dataclass_fields__.items() if x.type == "float"]


@pytest.fixture
def replay(tmp_path, monkeypatch, capsys):
    """Return what replays a small table with options; it returns exit code and sentence."""
    monkeypatch.chdir(tmp_path)
    for name, content in (("t.csv", table()), ("r.yaml", ROBOT), ("c.yaml", COLUMNS.encode())):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "arm.urdf").write_text(described())

    def run(*options, columns=""):
        (tmp_path / "c.yaml").write_text(COLUMNS + columns)
        usual = ("t.csv", "--robot", "r.yaml", "--columns", "c.yaml", "--json")
        code = main(["replay", *usual, "--intervals", "least_squares_image", *options])
        return code, capsys.readouterr().err

    return run


def refused(found):
    """Return the sentence with which a call ended."""
    code, sentence = found
    sentence = sentence.strip().splitlines()[-1]  # progress may be shown before it
    assert code == 2, sentence
    assert sentence.startswith("payload-id replay: ")
    return sentence


def test_a_bound_takes_one_number_or_one_for_each_joint(replay):
    assert replay("--uncertainty=torque_absolute=1.07")[0] == 0
    assert replay("--uncertainty=torque_absolute=1.07,2")[0] == 0
    assert replay("--uncertainty=prior.mass_max=3")[0] == 0
    for name in SINGLE:
        assert name in refused(replay(f"--uncertainty={name}=0.1,0.2,0.3"))
    for name in ("tool", "prior.mass_max", "prior.com_max", *LISTS):
        assert name.removesuffix("_window") in refused(replay(f"--uncertainty={name}=0.1,0.2,0.3"))


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "1e308", "1e400"])
def test_no_bound_takes_a_number_that_is_none(value):
    for name in Uncertainty.__dataclass_fields__:
        if name != "prior":
            with pytest.raises(InputError, match=name):
                Uncertainty(**{name: float(value)})
            with pytest.raises(InputError, match=name):
                Uncertainty(**{name: [float(value)] * 10})


@pytest.mark.parametrize(
    "option",
    ["--window=0", "--window=1e-300", "--window=1e300", "--window=inf", "--scales=-1", "--level=2",
     "--from=1", "--from=inf", "--to=-1"],
)  # fmt: skip
def test_times_and_probabilities_are_checked_before_anything_is_computed(replay, option):
    assert refused(replay(*option.split()))


@pytest.mark.parametrize("option", ["window", "scales", "level", "from", "to"])
def test_what_is_no_number_is_refused_by_its_option(replay, option, capsys):
    with pytest.raises(SystemExit) as end:
        replay(f"--{option}=nan")
    assert end.value.code == 2
    assert f"--{option}" in capsys.readouterr().err


def test_from_after_to_and_an_empty_stretch_say_so(replay):
    assert "--from must not be after --to" in refused(replay("--from=0.4", "--to=0.2"))
    assert "runs from 0 to 0.590 s" in refused(replay("--from=50"))
    assert "no samples" in refused(replay("--from=0.001", "--to=0.009"))


@pytest.mark.parametrize("flag", ["yes", "no", "[yes, 1]", "1+2j", ".nan", ".inf", "[[1]]", "{}"])
@pytest.mark.parametrize("key", ["effort_offset", "effort_sign"])
def test_a_flag_in_a_tables_description_is_no_number(replay, key, flag):
    assert key in refused(replay(columns=f"{key}: {flag}\n"))


@pytest.mark.parametrize("seed", ["-1", "1e9", "x", "9" * 40])
def test_seeds_are_whole_numbers_not_below_zero(seed, capsys):
    for verb in (["verify", "c.json"], ["demo"]):
        with pytest.raises(SystemExit) as end:
            main([*verb, f"--seed={seed}"])
        assert end.value.code == 2
        assert "--seed" in capsys.readouterr().err


def test_what_steers_a_terminal_does_not_reach_it(replay):
    sentence = refused(replay(columns='velocity_: "a"\n"x\\0\\e[2Jy": 1\n'))
    assert not set(sentence) & {"\0", "\x1b"}
    assert printable("a\x1b[31m\0é\nb\u202e") == "a\\x1b[31m\\x00é\nb\\u202e"


@pytest.mark.parametrize("given", ["--\x1b[31m=1", "--seed=\x1b[2J", "x\0y"])
def test_nor_does_it_from_the_command_line_itself(given, capsys):
    with pytest.raises(SystemExit) as end:
        main(["verify", "c.json", given])
    assert end.value.code == 2
    assert not set(capsys.readouterr().err) & {"\0", "\x1b"}


def test_a_recording_that_is_named_twice_does_not_count_as_two(replay):
    assert "named twice" in refused(replay("--also", "t.csv"))
    assert "named twice" in refused(replay("--tare", "t.csv"))
    assert "No recording can be at" in refused(replay("--also", "t.csv\0"))
    assert "named twice" in refused(replay("--also", "../" * 30 + str(Path("t.csv").resolve())[1:]))
