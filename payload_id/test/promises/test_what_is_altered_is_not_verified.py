"""A certificate is verified as it was given, for the owner's robot and cell; altered it is not."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from payload_id import (
    Certificate,
    CheckedCertificate,
    ConvexBody,
    PayloadIdError,
    PayloadPrior,
    RobotFile,
    SpeedLimits,
    Uncertainty,
    certify,
    load_certificate,
    motion_through,
    verify,
)

from .arms import Arm
from .command_line import is_one_sentence, payload_id
from .files import digest
from .worst import Worst

HOME = np.array([0.0, 0.26, 3.14, -2.27, 0.0, 0.96, 1.57])
MOTION = motion_through([HOME, HOME + [0.3, 0.2, -0.2, 0.2, 0.3, -0.2, 0.3]], 1.6)
LIGHT = PayloadPrior(0.8, 0.1)
CRATE = ConvexBody.primitive("box", (0.3, 0.3, 0.3), translation=(0.6, 0.5, 0.2), name="crate")
SPEEDS = SpeedLimits(3.0, 3.0, 3.0, 100.0)
CELL = {
    "name": "bench", "floor": -0.3, "clearance": 0.01, "base_tilt": 0.01, "joint_margin": 0.01,
    "bodies": {"post": {"shape": "cylinder", "size": [0.05, 1.0], "position": [0.1, -0.6, 0.5]}},
}  # fmt: skip
ROBOT = {
    "extends": "package://payload_id/config/robots/kinova_gen3.yaml", "name": "ours",
    "limits": {"use": "safety_warning"},
}  # fmt: skip
FEW = 40  # states to sample where the answer does not rest on them


@pytest.fixture(scope="module")
def place(tmp_path_factory: Any) -> Path:
    """A folder with robot, cell, keys, and a certificate that is signed, `motion.json`."""
    folder = tmp_path_factory.mktemp("cell")
    (folder / "robot.yaml").write_text(json.dumps(ROBOT))
    (folder / "cell.yaml").write_text(json.dumps(CELL))
    outcome = certified(folder, save_as=folder / "motion.json")
    assert isinstance(outcome, Certificate), outcome
    return folder


def certified(folder: Path, robot: Path | None = None, **stated: Any) -> Any:
    """Certify the motion in a cell."""
    given = {"cell": folder / "cell.yaml", "prior": LIGHT, "speeds": SPEEDS, "obstacles": [CRATE],
             "payload_box": (0.1, 0.1, 0.1), "payload_box_centre": (0.0, 0.0, 0.07)}  # fmt: skip
    return certify(robot or folder / "robot.yaml", MOTION, **{**given, **stated})


@pytest.fixture(scope="module")
def keys(place: Path) -> tuple[Path, Path]:
    """Folders of two pairs of keys; the first has signed `signed.json`."""
    import contextlib
    import io

    from .command_line import call

    with contextlib.redirect_stdout(io.StringIO()):
        for name in ("own", "foreign"):
            assert call("certificate", "new-key", place / name) == 0
        (place / "signed.json").write_bytes((place / "motion.json").read_bytes())
        assert (
            call(
                "certificate", "sign", place / "signed.json", "--key", place / "own/signing_key.pem"
            )
            == 0
        )
    return place / "own/public_key.pem", place / "foreign/public_key.pem"


def content(path: Path) -> dict[str, Any]:
    """Return what a certificate's file says."""
    return json.loads(path.read_text())


def written(folder: Path, entries: Any) -> Path:
    """Return a file beside the others that says so."""
    path = folder / "altered.json"
    path.write_text(json.dumps(entries))
    return path


def forged(folder: Path, change: Callable[[dict[str, Any]], None], name: str = "motion") -> Path:
    """Return a file that somebody has changed who knows how its digests are made."""
    entries = content(folder / f"{name}.json")
    signature = entries.pop("signature", None)
    change(entries)
    entries.pop("digest", None)
    stated = entries["certificate"]["digests"]
    stated["trajectory"] = digest(entries["trajectory"])
    stated["tube"] = digest(entries["tube"])
    stated["obstacles"] = digest(entries["obstacles"])
    stated["required_clearance"] = digest(entries["clearance"])
    stated["speeds"] = digest(
        {k: v if v is None else float(v) for k, v in entries["speeds"].items()}
    )
    stated["limits"] = digest({"name": entries["certificate"]["limits"], **entries["limits"]})
    entries["digest"] = digest(entries)
    return written(folder, entries | ({"signature": signature} if signature else {}))


def leaves(entries: Any, path: tuple = ()) -> Iterator[tuple]:
    """Yield the path to one value of each kind: of lists the last entry stands for all."""
    items: Any = entries.items() if isinstance(entries, dict) else ()
    if isinstance(entries, list) and entries:
        items = ((len(entries) - 1, entries[-1]),)
    found = False
    for key, value in items:
        found = True
        yield from leaves(value, (*path, key))
    if not found:
        yield path


def put(entries: Any, path: tuple, value: Any) -> None:
    """Put a value somewhere."""
    for key in path[:-1]:
        entries = entries[key]
    entries[path[-1]] = value


def at(entries: Any, path: tuple) -> Any:
    """Return a value."""
    for key in path:
        entries = entries[key]
    return entries


def other(value: Any) -> list[Any]:
    """Return values that are not quite this one."""
    if isinstance(value, bool):
        return [not value, None]
    if isinstance(value, (int, float)):
        return [value + 1e-6, -value - 1.0]
    if isinstance(value, str):
        return [value + " "]
    return [1.0] if value is None else [["x"]] if isinstance(value, list) else [{"x": 1}]


def refuses(path: Path, *sayings: str, **given: Any) -> None:
    """See that a file is not verified, and that a difference says so in these words."""
    checked = verify(path, samples=FEW, **given)
    assert not checked.verified
    said = " ".join(checked.differences)
    assert said and all(words in said for words in sayings), (sayings, said)


# What a person reads of what the certificate of `place` rests on, for the Gen3's own bounds.
FIGURES = {
    "payload": "mass 0 to 0.8 kg, first moments within 0.08 kg m",
    "links' parameters": "within 0.05 of",
    "rotor inertia": "0 to 0.05 kg m2", "Coulomb friction": "0 to 3 N m",
    "viscous friction": "0 to 3 N m s/rad", "gravity": "at most 0.0981 m/s2",
    "speed below which friction may have either sign": "0.01 rad/s",
    "tracking error of the position": "0.02 rad", "clearance": "0.01 m",
    "limits of speeds in space": "tool 3 m/s, payload 3 m/s, elbow 3 m/s, energy 100 J",
    "volume of payload and tool": "payload (box 100 x 100 x 100 mm)",
    "links' bodies and exceptions": "9 bodies", "surroundings": "post, crate",
}  # fmt: skip


def test_what_was_given_is_verified_and_its_numbers_are_those_of_the_worst(place):
    checked = verify(place / "motion.json", samples=1500, seed=1)
    assert checked.verified and checked.differences == ()
    robot, tilt = Arm(str(place / "robot.yaml")), 9.81 * np.sin(CELL["base_tilt"])
    post = ConvexBody.primitive("cylinder", (0.05, 1.0), translation=(0.1, -0.6, 0.5), name="post")
    around = (CRATE, post, ConvexBody.ground(-0.3))
    worst = Worst(robot, LIGHT, "", (0.1, 0.1, 0.1), (0, 0, 0.07), around, SPEEDS, tilt)
    found = worst.of(MOTION)
    told = checked.to_dict()
    names = {m.constraint for m in checked.saved.certificate.margins}
    assert (
        names == found.keys() == told["margins"].keys() == told["proved_with_denser_slices"].keys()
    )
    assert names == told["sampled"].keys() and told["samples"] == 1500
    for name in names - {"position"}:
        beyond = (
            CELL["clearance"] if name in ("self-collision", "obstacles", "payload volume") else 0
        )
        near = 0.08 if "torque" in name else 0.02
        own, sampled = found[name].left - beyond, told["sampled"][name]
        proved = told["proved_with_denser_slices"][name]
        assert told["margins"][name] == checked.saved.certificate.margin(name).left
        assert told["margins"][name] - 1e-9 <= sampled and own - 2e-3 <= sampled <= own + near, name
        assert own + 1e-6 >= proved >= told["margins"][name] - 0.03, name
    stated = {premise["subject"]: premise["holds"] for premise in told["premises"]}
    assert {x for x, y in stated.items() if y is None} == {
        "payload", "limits of speeds in space", "volume of payload and tool",
    }  # fmt: skip
    assert all(y is not False for y in stated.values()) and len(stated) > 15
    said = {premise["subject"]: premise["certified"] for premise in told["premises"]}
    for subject, words in FIGURES.items():
        assert words in said[subject], (subject, said[subject])
    assert told["assumptions"] == list(checked.saved.certificate.assumptions)
    assert told["signature"]["state"] == "unsigned"


def test_another_order_or_indentation_is_no_change(place, keys):
    entries = content(place / "signed.json")
    path = place / "altered.json"
    path.write_text(json.dumps(dict(reversed(entries.items())), indent=3))
    assert verify(path, key=keys[0], samples=FEW).verified


def damaged(entries: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield files in which one value is another, or one entry too few or too many."""
    values = [path for path in leaves(entries) if path]
    assert len(values) >= 80
    for path in values:
        for value in other(at(entries, path)):
            changed = deepcopy(entries)
            put(changed, path, value)
            yield f"{path}: {value}", changed
    every = sorted({x[:k] for x in values for k in range(1, len(x) + 1)}, key=str)
    for place in every:
        fewer, more = deepcopy(entries), deepcopy(entries)
        del at(fewer, place[:-1])[place[-1]]
        yield f"{place} left out", fewer
        whole = at(more, place[:-1])
        whole.append(whole[-1]) if isinstance(whole, list) else whole.update(further=1)
        yield f"added at {place}", more


def test_nothing_can_be_changed_by_mistake(place):
    for k, (what, changed) in enumerate(damaged(content(place / "motion.json"))):
        path = written(place, changed)
        try:
            saved = load_certificate(path)
        except PayloadIdError as error:
            assert "\n" not in str(error), what
            continue
        assert not saved.intact, what
        if k % 12 == 0:
            try:
                refuses(path, "changed after it was saved")
            except PayloadIdError as error:  # a value that no case can have
                assert "\n" not in str(error), what


def test_who_makes_the_digests_anew_cannot_make_margins_larger(place):
    assert verify(forged(place, lambda entries: None), samples=FEW).verified
    names = [m["constraint"] for m in content(place / "motion.json")["certificate"]["margins"]]
    lengths = ("self-collision", "obstacles", "payload volume")
    for key in ("value", "used", "start", "end", "where"):

        def change(entries: dict[str, Any], key: str = key) -> None:
            for margin in entries["certificate"]["margins"]:
                if margin[key] is not None:
                    margin[key] = [*margin[key], "x"] if key == "where" else margin[key] + 1e-6

        told = " ".join(verify(forged(place, change), samples=FEW).differences)
        for name in names:
            assert (f"margin of {name} is" in told) or (key == "used" and name in lengths), (
                key,
                told,
            )
    told = verify(
        forged(place, lambda x: x["certificate"]["margins"].clear()), samples=FEW
    ).differences
    assert all(f"margin of {name} is missing or too much" in " ".join(told) for name in names), told

    def twice(entries: dict[str, Any]) -> None:
        entries["certificate"]["margins"].append(entries["certificate"]["margins"][0])

    refuses(forged(place, twice), "2 margins")


# What somebody changes who wants more than is allowed, and what the difference names.
WISHES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "velocity": (lambda x: put(x, ("limits", "velocity", 0), 1.7454), "limits of velocity"),
    "acceleration": (lambda x: put(x, ("limits", "acceleration", 1), 5.3),
                     "limits of acceleration"),
    "torque": (lambda x: put(x, ("limits", "torque", 6), 29.5), "limits of torque"),
    "lower": (lambda x: put(x, ("limits", "position_lower", 1), -2.25), "limits of position_lower"),
    "upper": (lambda x: put(x, ("limits", "position_upper", 5), None), "limits of position_upper"),
    "set": (lambda x: put(x, ("certificate", "limits"), "loose"), "no such set"),
    "position error": (lambda x: put(x, ("tube", "position", 3), 0.0199), "error of the position"),
    "velocity error": (lambda x: put(x, ("tube", "velocity", 3), 0.0999), "error of the velocity"),
    "in torque": (lambda x: put(x, ("tube", "reference_velocity", 3), 0.0999), "in the torque"),
    "acceleration error": (lambda x: put(x, ("tube", "reference_acceleration", 0), 0.99),
                           "error of the acceleration"),
    "clearance": (lambda x: put(x, ("clearance",), 0.009), "clearance"),
    "post": (lambda x: x["obstacles"].pop(next(
        k for k, y in enumerate(x["obstacles"]) if y["name"] == "post")), "post"),
    "floor": (lambda x: x["obstacles"].pop(next(
        k for k, y in enumerate(x["obstacles"]) if y["name"] == "floor")), "floor"),
    "thinner": (lambda x: put(x, ("obstacles", 1, "size", 0), 0.0499), "surroundings"),
    "turns": (lambda x: put(x, ("turns",), {"joint_2": 1}), "joint_2"),
    "cell": (lambda x: put(x, ("cell",), ""), "what is around the arm"),
    "assumption": (lambda x: x["certificate"]["assumptions"].pop(), "assumptions"),
    "version": (lambda x: put(x, ("certificate", "version"), "0.0.9"), "0.0.9"),
    "duration": (lambda x: put(x, ("certificate", "duration"), 1.5), "1.5"),
    "step": (lambda x: put(x, ("certificate", "step"), 1e-4), "too short"),
    "robot": (lambda x: put(x, ("robot", "name"), "theirs"), "theirs"),
    "joints": (lambda x: put(x, ("joints", 0), "joint_x"), "joints"),
    "motion": (lambda x: put(x, ("trajectory", "k", 3), -2.0), "position"),
    "faster": (lambda x: put(x, ("trajectory", "duration"), 0.5), "0.5"),
    "model": (lambda x: put(x, ("certificate", "digests", "model"), 64 * "0"), "model"),
    "any model": (lambda x: x["certificate"]["digests"].pop("model"), "model"),
    "box": (lambda x: put(x, ("box", "payload_upper", 0), 0.7), "box"),
    "geometry": (lambda x: put(x, ("geometry", "bodies", 2, "body", "size", 0), 0.01), "geometry"),
}  # fmt: skip


@pytest.mark.slow
def test_who_wants_more_than_the_owner_states_is_not_believed(place):
    for name, (change, words) in WISHES.items():
        checked = verify(forged(place, change), samples=FEW)
        assert not checked.verified, name
        assert words in " ".join(checked.differences), (name, checked.differences)


def test_a_certificate_of_weaker_bounds_is_not_the_owners(place, tmp_path):
    """Certified for a hundredth less of one kind than the owner's file states."""
    keys = {
        "link_relative": "links' parameters", "friction_coulomb": "Coulomb friction",
        "friction_viscous": "viscous friction", "rotor_inertia": "rotor inertia",
        "stiction_velocity": "either sign", "gravity_error": "gravity",
    }  # fmt: skip
    owner, path = tmp_path / "owner.yaml", tmp_path / "weaker.json"
    owner.write_text(json.dumps({**ROBOT, "uncertainty": {"gravity_error": 0.1}}))
    stated = RobotFile.load(owner).uncertainty.to_dict()

    def checked(part: float, *changed: str) -> CheckedCertificate:
        weaker = {key: (part * np.asarray(stated[key])).tolist() for key in changed}
        own = Uncertainty.from_dict({**stated, **weaker})
        outcome = certified(place, owner, uncertainty=own, save_as=path)
        assert isinstance(outcome, Certificate), outcome
        return verify(path, samples=FEW)

    assert checked(1.01, *keys).verified
    for key, words in keys.items():
        found = checked(0.99, key)
        assert not found.verified, key
        assert all(words in said for said in found.differences), (key, found.differences)
        assert {c.subject for c in found.premises if c.holds is False}, key


def test_of_another_robot_it_is_not_verified(place, tmp_path):
    gen3 = RobotFile.load("kinova_gen3")
    heavier = tmp_path / "heavier.xacro"
    args = '<xacro:arg name="gripper" default=""/><xacro:arg name="vision" default=""/></robot>'
    text = gen3.urdf.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ')
    text = text.replace("</robot>", args)
    masses = [x.split('"')[0] for x in text.split('mass value="')[1:]]
    heavier.write_text(text.replace(f'mass value="{masses[2]}"', 'mass value="1.2"', 1))
    wider = tmp_path / "wider.xacro"
    radius = text.split('radius="')[2].split('"')[0]
    wider.write_text(text.replace(f'radius="{radius}"', f'radius="{float(radius) + 0.001}"'))
    for entries, words in (
        ({"urdf": str(heavier)}, "model"),
        ({"urdf": str(wider)}, "links' bodies"),
        ({"name": "theirs"}, "theirs"),
        ({"gravity": [0.0, 0.1, -9.81]}, "model"),
        ({"control": {"tracking_position": 0.021}}, "tracking error of the position"),
        ({"limits": {"use": "careful", "sets": {"safety_warning": {
            "velocity": [1.0] * 7, "acceleration": [5.0] * 7}}}}, "limits of velocity"),
        ({"payload_frame": "bracelet_link"}, "model"),
        ({"allowed_contacts": {"base_link forearm_link": "they may"}}, "links' bodies"),
    ):  # fmt: skip
        robot = tmp_path / "other.yaml"
        robot.write_text(json.dumps({**ROBOT, **entries}))
        refuses(place / "motion.json", words, robot=str(robot))
    refuses(place / "motion.json", "other joints", robot="xarm7")


def test_in_another_cell_it_is_not_verified(place, tmp_path):
    post = CELL["bodies"]["post"]
    for entries, words in (
        ({"clearance": 0.0101}, "clearance"),
        ({"base_tilt": 0.0101}, "gravity"),
        ({"joint_margin": 0.0101}, "limits of position"),
        ({"floor": -0.299}, "floor"),
        ({"bodies": {"post": {**post, "size": [0.0501, 1.0]}}}, "post"),
        ({"bodies": {"post": post, "bin": {**post, "position": [3.0, 0.0, 0.0]}}}, "bin"),
        ({"keep_in": {"cage": {"size": [9.0, 9.0, 9.0]}}}, "cage"),
    ):
        cell = tmp_path / "cell.yaml"
        cell.write_text(json.dumps({**CELL, **entries}))
        refuses(place / "motion.json", words, cell=str(cell))
    free = verify(place / "motion.json", cell="none, it was cleared", samples=FEW)
    assert [c.holds for c in free.premises if c.subject == "surroundings"] == [None]
    (tmp_path / "same.yaml").write_text(json.dumps(CELL))
    assert verify(place / "motion.json", cell=str(tmp_path / "same.yaml"), samples=FEW).verified
    refuses(place / "motion.json", "around the arm", cell=str(tmp_path / "gone.yaml"))
    nobody = tmp_path / "nobody.json"
    assert isinstance(
        certified(place, cell="none, a test", clearance=0.0, save_as=nobody), Certificate
    )
    refuses(nobody, "clearance")


def test_a_signature_tells_whose_it_is_and_that_it_is_whole(place, keys):
    own, foreign = keys
    signed, plain = place / "signed.json", place / "motion.json"
    for path, key, state, verified in (
        (signed, own, "own", True), (signed, own.parent, "own", True),
        (signed, (foreign, own), "own", True), (signed, foreign, "foreign", False),
        (signed, (), "not judged", True), (plain, (), "unsigned", True),
        (plain, own, "unsigned", False),
    ):  # fmt: skip
        checked = verify(path, key=key, samples=FEW)
        assert (checked.to_dict()["signature"]["state"], checked.verified) == (state, verified), (
            path
        )
        assert verified or "sign" in checked.differences[0]
    fingerprint = verify(signed, key=own, samples=FEW).signature.key
    assert len(fingerprint.replace(" ", "")) == 32
    assert fingerprint not in verify(signed, key=foreign, samples=FEW).signature.trusted


@pytest.mark.slow
def test_nothing_that_is_signed_can_be_changed_by_anybody_else(place, keys):
    own, entries = keys[0], content(place / "signed.json")
    assert verify(forged(place, lambda x: None, "signed"), key=own, samples=FEW).verified
    changes: list[Callable[[dict[str, Any]], Any]] = [
        lambda x: put(x, ("certificate", "step"), 0.04),
        lambda x: put(x, ("cell",), str(place / "cell.yaml") + " "),
        lambda x: put(x, ("speeds", "tool"), 3.1),
        lambda x: put(x, ("obstacles", 0, "name"), "bin"),
        lambda x: put(x, ("robot", "file"), str(place / "." / ".." / place.name / "robot.yaml")),
    ]
    for change in changes:
        for key in ((), own):
            checked = verify(forged(place, change, "signed"), key=key, samples=FEW)
            assert not checked.verified
            assert checked.signature.state.value == "changed", checked.signature
    signature = entries["signature"]
    other = "0" if signature["value"][5] != "0" else "1"
    for name, value in (
        ("value", signature["value"][:5] + other + signature["value"][6:]),
        ("value", signature["value"].upper()), ("value", 7), ("algorithm", "rsa"),
        ("public_key", "00" * 32), ("public_key", None), ("note", "fine"),
    ):  # fmt: skip
        altered = {**entries, "signature": {**signature, name: value}}
        for key in ((), own):
            checked = verify(written(place, altered), key=key, samples=FEW)
            assert not checked.verified, (name, value)
            assert checked.signature.state.value == "changed", (name, value)
    checked = verify(written(place, {**entries, "signature": None}), key=own, samples=FEW)
    assert not checked.verified


def test_keys_are_kept_and_nothing_altered_is_signed(place, keys, capsys, monkeypatch, tmp_path):
    private = place / "own/signing_key.pem"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    before = private.read_bytes()
    assert is_one_sentence(payload_id(capsys, "certificate", "new-key", place / "own"))
    assert private.read_bytes() == before
    altered = written(place, {**content(place / "motion.json"), "clearance": 0.011})
    changed = written(tmp_path, {**content(place / "signed.json"), "signature": {"value": "x"}})
    for path in (altered, changed):
        text = path.read_bytes()
        assert is_one_sentence(payload_id(capsys, "certificate", "sign", path, "--key", private))
        assert path.read_bytes() == text
    again = place / "again.json"
    again.write_bytes((place / "signed.json").read_bytes())
    answer = payload_id(
        capsys, "certificate", "sign", again, "--key", place / "foreign/signing_key.pem"
    )
    assert answer.code == 0 and "in place of" in answer.text
    assert not verify(again, key=keys[0], samples=FEW).verified
    assert verify(again, key=keys[1], samples=FEW).verified
    open_key = tmp_path / "open.pem"
    open_key.write_bytes(before)
    open_key.chmod(0o640)
    assert is_one_sentence(payload_id(capsys, "certificate", "sign", again, "--key", open_key))
    assert is_one_sentence(payload_id(capsys, "certificate", "sign", again, "--key", keys[0]))
    assert is_one_sentence(payload_id(capsys, "certificate", "verify", again, "--key", private))
    monkeypatch.setenv("PAYLOAD_ID_KEY_PASSPHRASE", "sesame")
    assert payload_id(capsys, "certificate", "new-key", tmp_path / "shut").code == 0
    shut = tmp_path / "shut/signing_key.pem"
    assert payload_id(capsys, "certificate", "sign", again, "--key", shut).code == 0
    monkeypatch.setenv("PAYLOAD_ID_KEY_PASSPHRASE", "wrong")
    assert is_one_sentence(payload_id(capsys, "certificate", "sign", again, "--key", shut))
    with pytest.raises(PayloadIdError):
        certified(place, save_as=tmp_path / "x.json", key=open_key)
    assert not (tmp_path / "x.json").exists()


def test_what_is_cut_or_ambiguous_is_not_read(place, capsys):
    text = (place / "motion.json").read_text()
    lines = text.splitlines()
    k = next(k for k, line in enumerate(lines) if '"clearance"' in line)
    path = place / "altered.json"
    for damaged in (
        "", text[: len(text) // 3], text[:-3], "[]", "null", '"certificate"',
        text.replace('"format": 2', '"format": 3'), text.replace('"format": 2', '"format": "2"'),
        "\n".join([*lines[:k], lines[k], *lines[k:]]),
        text.replace('"duration": 1.6', '"duration": NaN'),
        text.replace('"duration": 1.6', '"duration": 1e400'),
        text.replace('"duration": 1.6', '"duration": 1.6e13'),
        text.replace('"family": "bezier"', '"family": "spline"'),
    ):  # fmt: skip
        assert damaged != text
        path.write_text(damaged)
        answer = payload_id(capsys, "certificate", "verify", path)
        assert is_one_sentence(answer), (damaged[:50], answer)
        with pytest.raises(PayloadIdError):
            load_certificate(path)
    assert is_one_sentence(payload_id(capsys, "certificate", "verify", place / "gone.json"))


@pytest.mark.slow
def test_the_command_line_says_the_same(place, keys, capsys, tmp_path):
    signed, own = place / "signed.json", keys[0]
    answer = payload_id(
        capsys, "certificate", "verify", signed, "--key", own, "--samples", 200, "--json"
    )
    assert answer.code == 0
    assert json.loads(answer.out) == verify(signed, key=own, samples=200).to_dict()
    answer = payload_id(capsys, "certificate", "verify", signed, "--key", own, "--samples", 50)
    assert answer.code == 0 and "VERIFIED" in answer.out and "SIGNED" in answer.out
    assert "DIFFERS" not in answer.out and "to be judged" in answer.out
    unsigned = payload_id(capsys, "certificate", "verify", place / "motion.json", "--samples", 50)
    assert unsigned.code == 0 and "NOT SIGNED" in unsigned.out
    (tmp_path / "narrow.yaml").write_text(json.dumps({**CELL, "clearance": 0.05}))
    for options in (
        ("--key", keys[1]), ("--robot", "xarm7"), ("--cell", tmp_path / "narrow.yaml"),
    ):  # fmt: skip
        answer = payload_id(capsys, "certificate", "verify", signed, "--samples", 50, *options)
        assert answer.code == 1 and "DIFFERS" in answer.out
        assert " VERIFIED" not in answer.out
        plain = payload_id(
            capsys, "certificate", "verify", signed, "--samples", 50, "--json", *options
        )
        assert plain.code == 1 and json.loads(plain.out)["verified"] is False
    figure = tmp_path / "use.png"
    assert (
        payload_id(
            capsys, "certificate", "verify", signed, "--samples", 50, "--figure", figure
        ).code
        == 0
    )
    assert figure.stat().st_size > 10_000
    for wrong in (("--samples", 0), ("--samples", "x"), ("--key", tmp_path / "none.pem")):
        assert payload_id(capsys, "certificate", "verify", signed, *wrong).code == 2
