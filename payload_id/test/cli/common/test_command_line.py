"""Help, errors, completion and progress of all commands."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from command_line import run_here
from described_arms import ROBOT, described, table
from payload_id.cli.main import COMMAND, FORMER, main, place
from payload_id.core.errors import InputError, printable
from payload_id.core.rows.joint_torque.uncertainty import LISTS, Uncertainty

VERBS, NONE = COMMAND.commands, (np.nan, np.inf, -1.0, 1e308)
ELEVEN = (
    "demo", "new-robot", "check", "identify", "report", "load", "calibrate", "certificate", "live",
    "view", "policy",
)  # fmt: skip
COLUMNS = """joints: [shoulder, elbow]
stamp: {column: t, unit: s}
position: q{j}
velocity: v{j}
effort: e{j}
"""
WRENCH = """wrench: {stamp: {column: t, unit: s}, columns: [q1, q2, v1, v2, e1, e2]}
orientation: {quaternion: [x, y, z, w]}
uncertainty: {force_error: 0.05, torque_error: 0.01, prior: {mass_max: 3.0, com_max: 0.3}}
"""
REPLAY = "identify t.csv --robot r.yaml --columns c.yaml --intervals least_squares_image"
SENSOR = "identify w.csv --columns w.yaml"


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Return what runs a command among small files, which is refused, and returns its sentence."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_bytes(table())
    (tmp_path / "r.yaml").write_bytes(ROBOT)
    (tmp_path / "arm.urdf").write_text(described())
    (tmp_path / "c.yaml").write_text(COLUMNS)
    (tmp_path / "w.yaml").write_text(WRENCH)
    lines = table().decode().splitlines()
    rest = [f"{line},0,0,0,1" for line in lines[1:]]
    (tmp_path / "w.csv").write_text("\n".join([f"{lines[0]},x,y,z,w", *rest, ""]))

    def refused(line):
        done = run_here(capsys, *(shlex.split(line) if isinstance(line, str) else line))
        assert done.returncode == 2 and done.stdout == "", (line, done.stderr)
        sentence = done.stderr.strip().splitlines()[-1]  # progress may be shown before it
        assert sentence.startswith("payload-id") and "Traceback" not in done.stderr
        assert not set(sentence) & {"\0", "\x1b"}
        return sentence

    return refused


def test_the_help_of_each_verb_has_examples_that_it_takes(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run_here(capsys, "--version").stdout.startswith("payload_id ")
    said = run_here(capsys, "--help").stdout
    assert {*VERBS} - {"test", "docs", "python"} == set(ELEVEN) and all(x in said for x in VERBS)
    for verb in ELEVEN:
        for inner in getattr(VERBS[verb], "commands", {"": None}):
            done = run_here(capsys, verb, *filter(None, [inner]), "--help")
            examples = re.findall(r"^ *\./payload-id (.*?)\s*$", done.stdout, re.MULTILINE)
            assert done.returncode == 0 and examples, (verb, inner)
            for example in examples:
                assert place(shlex.split(example)).split()[1:] == [verb, *filter(None, [inner])]


def test_a_former_name_answers_with_what_does_it_now(capsys):
    for former, now in FORMER.items():
        done = run_here(capsys, former, "x", "--json")
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and not done.stdout
        assert f"'{former}' is now ./payload-id {now}." in done.stderr
        assert run_here(capsys, *place(now.split()).split()[1:], "--help").returncode == 0


# What is wrong, and what a refusal names.
REFUSED = {
    "": "command", "identfy x": "'identify'", "identify": "one recording", "live strat": "'start'",
    "demo --sed 3": "'--seed'", "demo --seed x": "--seed", "load x": "command",
    "demo --seed=-1": "--seed", "certificate verify c.json --seed=1e9": "--seed",
    "certificate verify none.json": "none.json", "certificate sign c.json": "--key",
    f"certificate verify c.json --seed={'9' * 40}": "--seed", "check --static": "--static",
    "check --topic /x": "--robot",
    "certificate sign c.json --key k": "key k", "load send x --to urr": "'ur'",
    "identify t.csv": "--robot", "identify t.csv --columns c.yaml": "--robot",
    "identify nothing --robot r.yaml": "nothing",
    "identify t.csv --robot kinova_gen33": "kinova_gen3",
    "identify t.csv --columns c.yaml --robot xarm7": "joint",
    "identify t.csv t.csv": "--out", "identify t.csv --segments 3s": "--segments",
    "identify t.csv --out x --static": "--static", "identify x --workers 0": "--workers",
    "check t.csv --seconds 1": "--seconds", "identify t.csv --truth 1": "--compare",
    f"{REPLAY} --payload-frame flunge": "tool", f"{REPLAY} --payload none.yaml": "none.yaml",
    f"{REPLAY} --estimator lmii": "'lmi'", f"{REPLAY} --save t.csv": "t.csv",
    f"{REPLAY} --uncertainty torque_relativ=0.1": "torque_relative",
    f"{REPLAY} --uncertainty torque_relative=2.5": "torque_relative",
    f"{REPLAY} --uncertainty torque_relative=x": "torque_relative",
    f"{REPLAY} --window=0": "window", f"{REPLAY} --window=1e-300": "window",
    f"{REPLAY} --window=1e300": "window", f"{REPLAY} --window=inf": "window",
    f"{REPLAY} --scales=-1": "scale", f"{REPLAY} --level=2": "level", f"{REPLAY} --from=1": "0.590",
    f"{REPLAY} --from=inf": "from", f"{REPLAY} --to=-1": "to", f"{REPLAY} --enough 1,2": "three",
    f"{REPLAY} --from=0.4 --to=0.2": "--from", f"{REPLAY} --from=0.001 --to=0.009": "samples",
    f"{REPLAY} --intervals calibrated": "calibrated", f"{REPLAY} --also t.csv": "twice",
    f"{REPLAY} --tare ./t.csv": "twice", f"{REPLAY} --estimator point_masses": "shape",
    f"{REPLAY} --figure x.xyz": "png",
    **{f"{REPLAY} --{x}=nan": f"--{x}" for x in ("window", "scales", "level", "from", "to")},
    **{f"identify x --from {text}": "--from" for text in ("1_0", "٣", "1e4_0", "𝟙")},
    "identify w.csv --wrench-topic /ft": "--columns", "identify w.csv --static": "--wrench-topic",
    f"{SENSOR} --uncertainty=forse=1": "forse", f"{SENSOR} --static": "rests",
    f"{SENSOR} --tare t.csv": "--tare", f"{SENSOR} --also t.csv": "--also",
    f"{SENSOR} --estimator=point_masses": "shape",
    f"{SENSOR} --static --save x": "--save",
    "identify t.csv --also t.csv": "--also", "identify t.csv --compare --estimator lmi,lmy": "lmi",
    "identify t.csv --compare --intervals hul": "hull", "identify x --compare --save y": "--save",
    "identify t.csv --compare --estimator point_masses": "shape",
    "identify t.csv --compare --truth=1,2,3": "--truth",
    "identify t.csv --compare --truth=none.json": "none.json",
    "identify t.csv --compare --payload none.yaml": "none.yaml",
    "calibrate noise t.csv --payload 1,2": "ten numbers",
    "calibrate noise t.csv --lengths 50": "50 s", "calibrate bounds t.csv --out x.txt": ".yaml",
    "calibrate bounds t.csv": "--out", "calibrate bounds absent --out x.yaml": "absent",
    "calibrate bounds t.csv --out x.yaml --payload 1,2": "ten",
    "calibrate bounds t.csv --out x.yaml --payload heavy": "--payload",
    "calibrate bounds t.csv --out x.yaml --uncertainty=torque_noise=1": "torque_noise",
    "calibrate bounds t.csv --out x.yaml --window -1": "window",
    "calibrate bounds t.csv --out x.yaml --prior quadratics": "'quadratic'",
    "calibrate bounds t.csv --out x.yaml --margin 3 --stated-noise": "--margin",
    "calibrate record heavy --out x": "'heavy'",
    "calibrate record --out x -- -1": "0 kg", "calibrate record inf --out x": "0 kg",
    "live execute --yes --speed-scale 0": "--speed-scale", "new-robot no.urdf": "no.urdf",
    "live execute --speed-scale nan": "--speed-scale", "live identify --tare onl": "'only'",
    "live identify --known-mass 1": "two numbers",
}  # fmt: skip
OWN_ARM = ("identify t.csv --compare", "calibrate noise", "calibrate bounds")  # and so these get it


def test_a_command_that_cannot_be_is_told_in_one_line_that_names_what(said):
    for line, named in REFUSED.items():
        known = " --robot r.yaml --columns c.yaml" if line.startswith(OWN_ARM) else ""
        assert named in said(line + known), line


def test_a_bound_takes_one_number_or_one_for_each_joint(said, capsys):
    for bound in ("torque_absolute=1.07", "torque_absolute=1.07,2", "prior.mass_max=3"):
        assert main([*shlex.split(REPLAY), f"--uncertainty={bound}"]) == 0
    capsys.readouterr()
    bounds = {x.name: x.type for x in fields(Uncertainty)}
    single = [name for name, kind in bounds.items() if kind == "float"]
    for name in (*single, "tool", "prior.mass_max", "prior.com_max", *LISTS):
        sentence = said(f"{REPLAY} --uncertainty={name}=0.1,0.2,0.3")
        assert name.removesuffix("_window").split(".")[-1] in sentence
    for name, given in product(bounds.keys() - {"prior"}, (*NONE, *([x] * 10 for x in NONE))):
        with pytest.raises(InputError, match=name):
            Uncertainty(**{name: given})


def test_what_steers_a_terminal_does_not_reach_it(said, tmp_path):
    (tmp_path / "c.yaml").write_text(COLUMNS + '"x\\0\\e[2Jy": 1\n')
    assert said(REPLAY)
    for given in ("--\x1b[31m=1", "--seed=\x1b[2J", "x\0y"):
        assert said(["certificate", "verify", "c.json", given])
    assert printable("a\x1b[31m\0é\nb\u202e") == "a\\x1b[31m\\x00é\nb\\u202e"


def test_a_shell_completes_verbs_and_options(monkeypatch, capsys):
    for typed, offered in (
        ("ne", {"new-robot"}), ("live exe", {"execute"}), ("identify x --als", {"--also"})
    ):  # fmt: skip
        words = ["payload-id", *typed.split()]
        monkeypatch.setenv("_PAYLOAD_ID_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", " ".join(words))
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        assert set(run_here(capsys).stdout.split()) == offered
