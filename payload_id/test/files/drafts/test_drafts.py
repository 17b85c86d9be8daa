"""Robot and columns files drafted for arms that nobody has prepared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from payload_id import RobotFile, RobotModel
from payload_id.core.errors import (
    ConfigurationError,
    ModelError,
    RecordingError,
    UnknownNameError,
)
from payload_id.files.drafts.arm_in_urdf import JointFound, find_arm, names_of
from payload_id.files.drafts.column_draft import columns_text, find_columns
from payload_id.files.drafts.robot_draft import ABSOLUTE, OFFSET, Scales, robot_text
from payload_id.files.recordings.recording import Recording
from payload_id.files.tables.joint_csv import Columns

INERTIAL = (
    '<inertial><origin xyz="0 0 0.1"/><mass value="{m}"/><inertia ixx="0.02" iyy="0.02" '
    'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)
JOINTS = ("hip", "boom", "stick", "roll")


def link(name: str, mass: float = 0.0) -> str:
    """Return a link."""
    return f'<link name="{name}">{INERTIAL.format(m=mass) if mass else ""}</link>'


def joint(name: str, kind: str, parent: str, child: str, more: str = "") -> str:
    """Return a joint with limits, 0.3 m above its parent."""
    limit = '<limit lower="-2" upper="2" effort="80" velocity="1.5"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>{"" if kind == "fixed" else limit}{more}'
        "</joint>"
    )


def digger(gripper: bool = True) -> str:
    """Return an arm of four joints, with a gripper of two fingers or without."""
    parts = [link("ground")]
    before = "ground"
    for k, name in enumerate(JOINTS):
        parts += [joint(name, "revolute", before, f"part_{k}"), link(f"part_{k}", 4.0 - k)]
        before = f"part_{k}"
    parts += [joint("mount", "fixed", before, "digger_tool0"), link("digger_tool0")]
    if gripper:
        parts += [joint("palm_fix", "fixed", "digger_tool0", "palm"), link("palm", 0.3)]
        parts += [joint("left", "prismatic", "palm", "l"), link("l", 0.02)]
        parts += [
            joint("right", "prismatic", "palm", "r", '<mimic joint="left"/>'),
            link("r", 0.02),
        ]
    return f'<robot name="digger">{"".join(parts)}</robot>'


@pytest.mark.parametrize("gripper", [True, False])
def test_the_arm_ends_before_the_fingers_at_the_flange(gripper: bool) -> None:
    found = find_arm(digger(gripper))
    assert names_of(found.joints) == JOINTS
    assert found.payload_frame == "digger_tool0"
    assert found.others == (("left",) if gripper else ())
    assert found.joints[0].effort == 80.0 and found.joints[0].velocity == 1.5


def test_the_long_fingers_of_a_hand_are_no_part_of_the_arm() -> None:
    finger = [f"hand_index_{k}" for k in range(6)]
    parts = []
    for before, name in zip(["part_2", *finger], finger, strict=False):
        parts += [joint(f"{name}_joint", "revolute", before, name), link(name, 0.1)]
    text = digger(False).replace("</robot>", "".join(parts) + "</robot>")
    assert not any("index" in name for name in names_of(find_arm(text).joints))


def test_a_chain_of_many_joints_is_walked_to_its_end() -> None:
    many = 1200
    parts = [link("part_0")]
    for k in range(many):
        parts += [
            joint(f"j{k}", "revolute", f"part_{k}", f"part_{k + 1}"),
            link(f"part_{k + 1}", 1),
        ]
    found = find_arm(f'<robot name="snake">{"".join(parts)}</robot>')
    assert len(found.joints) == many


def test_the_payload_frame_can_be_named() -> None:
    found = find_arm(digger(), "part_2")
    assert names_of(found.joints) == JOINTS[:3] and found.payload_frame == "part_2"
    with pytest.raises(UnknownNameError, match="part_3"):
        find_arm(digger(), "part_9")
    with pytest.raises(ModelError, match="nothing moves"):
        find_arm('<robot name="stone"><link name="a"/></robot>')


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_an_arm_behind_a_joint_that_no_drive_moves_is_refused_with_that_joint(kind: str) -> None:
    base = joint("base_joint", kind, "world", "ground")
    urdf = digger().replace("</robot>", f"{link('world')}{base}</robot>")
    with pytest.raises(ModelError, match=f"'base_joint'.*{kind}"):
        find_arm(urdf)
    mimic = base.replace(kind, "revolute").replace("</joint>", '<mimic joint="hip"/></joint>')
    with pytest.raises(ModelError, match="'base_joint', which follows 'hip'"):
        find_arm(digger().replace("</robot>", f"{link('world')}{mimic}</robot>"))


def test_the_draft_loads_and_says_what_the_description_says(tmp_path: Path) -> None:
    (tmp_path / "digger.urdf").write_text(digger())
    found = find_arm(digger())
    model = RobotModel.from_xml(digger(), found.payload_frame, JOINTS)
    scales = Scales.of(model, found)
    text = robot_text(found, scales, tmp_path / "digger.urdf", tmp_path, 250.0)
    (tmp_path / "digger.yaml").write_text(text)
    file = RobotFile.load(tmp_path / "digger.yaml")
    assert file.joints == JOINTS and file.payload_frame == "digger_tool0"
    assert file.limits is not None and (file.limits.effort == 80.0).all()
    # Masses 4, 3, 2, 1 kg 0.1 m beyond their joints, 0.3 m apart, and a palm: all stretched out.
    weight = 9.81 * (4 * 0.1 + 3 * 0.4 + 2 * 0.7 + 1.0 + 0.3 * 1.6 + 0.04 * 1.9)
    assert scales.gravity.max() == pytest.approx(weight, rel=0.1)
    assert text.count("CHECK") > 8


def test_a_drive_is_thought_no_smaller_than_those_that_it_carries() -> None:
    # The first axis is vertical: it carries no weight, and rubs no less for that.
    urdf = digger().replace('<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/>', 1)
    found = find_arm(urdf)
    scales = Scales.of(RobotModel.from_xml(urdf, found.payload_frame, JOINTS), found)
    assert scales.gravity[0] < 0.01 * scales.gravity[1]
    assert scales.torque[0] == pytest.approx(scales.torque[1])
    assert (np.diff(scales.torque) <= 0.0).all()


@pytest.mark.parametrize("size", [3e-6, 2e-3, 40.0, 2e5])
def test_bounds_of_small_and_large_arms_are_written_as_they_are(size: float) -> None:
    scales = Scales(np.full(4, size), np.full(4, size), size)
    text = robot_text(find_arm(digger()), scales, Path("/a/arm.urdf"), Path("/a"), 100.0)
    bounds = yaml.safe_load(text)["uncertainty"]
    for name, part in (("torque_absolute", ABSOLUTE), ("torque_offset", OFFSET)):
        np.testing.assert_allclose(bounds[name], part * size, rtol=1e-3)
    assert isinstance(bounds["prior"]["mass_max"], float) and bounds["prior"]["mass_max"] > 0.0


def table(tmp_path: Path, header: list[str], columns: list[np.ndarray], delimiter: str) -> Path:
    """Write a table."""
    lines = [delimiter.join(f'"{name}"' if delimiter in name else name for name in header)]
    lines += [delimiter.join(f"{x:.9g}" for x in row) for row in np.column_stack(columns)]
    path = tmp_path / "run.csv"
    path.write_text("\n".join([*lines, ""]))
    return path


TURN = [JointFound(name, "revolute", -2.0, 2.0, 1.5, 80.0) for name in JOINTS]
SHAPES = {
    "by name, another order, degrees": (
        "{joint}_pos", "{joint}_vel", "{joint}_torque", "timestamp", 180 / np.pi, 1.0, 1.0,
        (2, 0, 3, 1),
    ),
    "numbered from 0, ms": (
        "q{k}", "qd{k}", "tau{k} [Nm]", "Time [ms]", 1.0, 1.0, 1e3, (0, 1, 2, 3)
    ),
    "numbered from 1, ns, mN m": (
        "Position{n}", "Velocity{n}", "Effort{n} (mNm)", "stamp_ns", 1.0, 1e3, 1e9, (0, 1, 2, 3)
    ),
    "as ROS exports it": (
        "position[{k}]", "velocity[{k}]", "effort[{k}]", "time", 1.0, 1.0, 1.0, (0, 1, 2, 3)
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("delimiter", [",", ";", " "])
def test_columns_are_found_by_name_number_and_unit(
    tmp_path: Path, shape: tuple, delimiter: str
) -> None:
    position, velocity, effort, time, angle, torque, second, order = shape
    t = np.arange(0.0, 2.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    dq = np.stack([(1 + k) * np.cos((1 + k) * t) for k in range(4)], axis=1)
    tau = 20.0 + 5.0 * q

    def names(pattern: str) -> list[str]:
        return [pattern.format(joint=JOINTS[k], k=k, n=k + 1) for k in order]

    header = [
        time,
        *names(position),
        *names(velocity),
        *names(effort),
        *names(f"target_{position}"),
    ]
    columns = [second * t, *(angle * q[:, order]).T, *(angle * dq[:, order]).T,
               *(torque * tau[:, order]).T, *(angle * q[:, order]).T]  # fmt: skip
    path = table(tmp_path, header, columns, delimiter)
    found = find_columns(path, TURN, np.full(4, 20.0))
    by_joint = [position.format(joint=JOINTS[k], k=k, n=k + 1) for k in range(4)]
    assert list(found.position) == by_joint and found.missing == ()
    assert found.rate == pytest.approx(100.0)
    assert set(found.position_unit) == {"deg" if angle > 1 else "rad"}
    assert found.effort_factor == pytest.approx(1 / torque)
    assert len(found.velocity) == 4
    (tmp_path / "columns.yaml").write_text(columns_text(found, JOINTS))
    from payload_id.files.configuration.yaml_file import read_yaml

    read = Columns.from_entries(read_yaml(tmp_path / "columns.yaml"), "columns")
    assert list(read.position) == by_joint and read.delimiter == delimiter


@pytest.mark.parametrize(
    ("effort", "current"),
    [
        ("A{n} JointTorque [Nm]", False),
        ("a{n}_torque", False),
        ("tau_A{n}", False),
        ("J{n} torque (Nm)", False),
        ("a_{n}_tau", False),
        ("A{n} motor current", True),
        ("A{n} effort [A]", True),
        ("effort{n}_A", True),
        ("mot{n}_amp", True),
    ],
)
def test_axes_named_a_are_no_amperes(tmp_path: Path, effort: str, current: bool) -> None:
    t = np.arange(0.0, 2.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    header = [
        "t",
        *(f"A{n} angle" for n in range(1, 5)),
        *(effort.format(n=n) for n in range(1, 5)),
    ]
    found = find_columns(table(tmp_path, header, [t, *q.T, *q.T], ","), TURN, np.ones(4))
    assert found.missing == ()
    assert any("currents" in remark for remark in found.remarks) == current


@pytest.mark.parametrize(
    ("angle", "size", "speed", "per"),
    [
        ("", 1.0, "deg/s", 180.0 / np.pi),
        ("[deg]", 180.0 / np.pi, "rad/s", 1.0),
        ("[rad]", 1.0, "rpm", 30.0 / np.pi),
        ("[rev]", 0.5 / np.pi, "rpm", 30.0 / np.pi),
    ],
)
def test_velocities_in_another_unit_are_left_out(
    tmp_path: Path, angle: str, size: float, speed: str, per: float
) -> None:
    t = np.arange(0.0, 2.0, 0.01)
    q = size * np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    dq = per * np.stack([(1 + k) * np.cos((1 + k) * t) for k in range(4)], axis=1)
    header = ["t", *(f"{kind}{k}" for kind in ("q", "dq", "tau") for k in range(4))]
    header[1:5] = [f"q{k} {angle}" for k in range(4)]
    path = table(tmp_path, header, [t, *q.T, *dq.T, *q.T], ",")
    found = find_columns(path, TURN, np.full(4, 20.0))
    assert found.velocity == () and f"in {speed}" in found.remarks[0]


@pytest.mark.parametrize(("unit", "factor"), [("mrad", 1e3), ("rev", 0.5 / np.pi)])
def test_angles_are_read_in_the_unit_that_their_columns_name(
    tmp_path: Path, unit: str, factor: float
) -> None:
    t = np.arange(0.0, 2.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    dq = np.stack([(1 + k) * np.cos((1 + k) * t) for k in range(4)], axis=1)
    header = ["t", *(f"pos{k} [{unit}]" for k in range(4))]
    header += [*(f"vel{k} [{unit}/s]" for k in range(4)), *(f"tau{k}" for k in range(4))]
    path = table(tmp_path, header, [t, *(factor * q).T, *(factor * dq).T, *q.T], ",")
    found = find_columns(path, TURN, np.full(4, 20.0))
    assert len(found.velocity) == 4
    columns = tmp_path / "columns.yaml"
    columns.write_text(columns_text(found, JOINTS))
    recording = Recording.from_csv(path, columns)
    np.testing.assert_allclose(recording.q, q, atol=1e-9)
    np.testing.assert_allclose(recording.dq, dq, atol=1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda cell: cell.replace(".", ","), "write its comma as a point"),
        (lambda cell: f"{float(cell):.6e}".replace("e", "D"), "write its exponent with e"),
        (lambda cell: f"2026-11-01T10:00:{float(cell):09.6f}", "write dates as seconds"),
        (lambda cell: f"10:00:{float(cell):09.6f}", "write dates as seconds"),
    ],
)
def test_numbers_that_are_written_in_another_way_are_told(
    tmp_path: Path, change: Callable[[str], str], words: str
) -> None:
    t = np.arange(0.0, 2.0, 0.01)
    header = ["t", *(f"q{n}" for n in range(1, 5)), *(f"tau{n}" for n in range(1, 5))]
    path = table(tmp_path, header, [t, *np.ones((8, len(t)))], ";")
    first, *lines = path.read_text().splitlines()
    times = [change(line.split(";")[0]) + ";" + line.split(";", 1)[1] for line in lines]
    path.write_text("\n".join([first, *times]))
    found = find_columns(path, TURN, np.full(4, 20.0))
    assert words in found.remarks[0] and not any("rise" in remark for remark in found.remarks)
    columns = tmp_path / "columns.yaml"
    columns.write_text(columns_text(found, JOINTS))
    with pytest.raises(RecordingError, match=words):
        Recording.from_csv(path, columns)


@pytest.mark.parametrize(("unit", "turn"), [("", 2.0 * np.pi), (" [deg]", 360.0)])
def test_angles_that_count_from_zero_keep_their_unit_and_velocities(
    tmp_path: Path, unit: str, turn: float
) -> None:
    t = np.arange(0.0, 6.0, 0.01)
    q = np.stack([1.6 * np.sin((1 + k) * t) for k in range(4)], axis=1)
    dq = np.stack([1.6 * (1 + k) * np.cos((1 + k) * t) for k in range(4)], axis=1)
    header = ["t", *(f"q{k}{unit}" for k in range(4)), *(f"dq{k}" for k in range(4))]
    header += [f"tau{k}" for k in range(4)]
    angles, rates = turn / (2.0 * np.pi) * q % turn, turn / (2.0 * np.pi) * dq
    path = table(tmp_path, header, [t, *angles.T, *rates.T, *q.T], ",")
    found = find_columns(path, TURN, np.full(4, 20.0))
    assert set(found.position_unit) == {"deg" if unit else "rad"} and len(found.velocity) == 4


def test_the_joints_own_columns_are_taken_before_those_of_motors(tmp_path: Path) -> None:
    t = np.arange(0.0, 2.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    kinds = ("motor_pos", "joint_pos", "motor_torque", "joint_torque")
    header = ["t", *(f"{kind}_{name}" for kind in kinds for name in JOINTS)]
    path = table(tmp_path, header, [t, *100 * q.T, *q.T, *q.T, *q.T], ",")
    found = find_columns(path, TURN, np.full(4, 1.0))
    assert found.position == tuple(f"joint_pos_{name}" for name in JOINTS)
    assert found.effort == tuple(f"joint_torque_{name}" for name in JOINTS)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("tau_meas", "tau_ext"), ("tau_total", "tau_fric"), ("tau_measured", "tau_g"),
     ("torque_sensor", "torque_offset"), ("joint_torque_sensor", "disturbance_torque")],
)  # fmt: skip
def test_what_was_measured_is_taken_before_what_was_made_of_it(
    tmp_path: Path, right: str, wrong: str
) -> None:
    t = np.arange(0.0, 2.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    header = ["t", *(f"{kind}_{k}" for kind in ("q", wrong, right) for k in range(4))]
    path = table(tmp_path, header, [t, *q.T, *q.T, *q.T], ",")
    found = find_columns(path, TURN, np.full(4, 1.0))
    assert found.effort == tuple(f"{right}_{k}" for k in range(4))


def test_minutes_and_currents_by_their_letter_are_told(tmp_path: Path) -> None:
    t = np.arange(0.0, 2.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    header = ["time [min]", *(f"q{k}" for k in range(4)), *(f"I{k}" for k in range(4))]
    found = find_columns(table(tmp_path, header, [t / 60, *q.T, *q.T], ","), TURN, np.ones(4))
    assert found.time_unit == "min" and found.rate == pytest.approx(100.0)
    assert found.effort and any("currents" in remark for remark in found.remarks)


def test_rows_with_another_number_of_cells_than_names_are_told(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("t,q1,q2,q3,q4\n" + "0.1,1,2,3,4,\n" * 5)
    with pytest.raises(RecordingError, match="6 cells where the first line has 5 names"):
        find_columns(path, TURN, np.full(4, 20.0))


@pytest.mark.parametrize(
    ("name", "factor", "rate", "words"),
    [
        ("time (s)", 1e6, np.nan, "looks like us"),
        ("t", 1.0 / 60.0, np.nan, "Is it the time, in that unit"),  # minutes
        ("t", 50.0, np.nan, "Is it the time"),  # numbers of rows
        ("t", 1e9, 50.0, ""),
    ],
)
def test_a_time_that_is_none_is_doubted_and_not_the_velocities(
    tmp_path: Path, name: str, factor: float, rate: float, words: str
) -> None:
    t = np.arange(0.0, 4.0, 0.02)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    dq = np.stack([(1 + k) * np.cos((1 + k) * t) for k in range(4)], axis=1)
    header = [name, *(f"{what}_j{k}" for what in ("pos", "vel", "eff") for k in range(4))]
    found = find_columns(
        table(tmp_path, header, [factor * t, *q.T, *dq.T, *q.T], ","), TURN, np.full(4, 20.0)
    )
    assert found.missing == () and words in " ".join(found.remarks)
    assert not any("degrees" in remark for remark in found.remarks)
    if not np.isnan(rate):
        assert found.rate == pytest.approx(rate)


def test_what_cannot_be_told_is_named(tmp_path: Path) -> None:
    path = table(tmp_path, ["t", "x", "y"], [np.arange(9.0)] * 3, ",")
    assert find_columns(path, TURN, np.ones(4)).missing == ("position", "effort")
    (tmp_path / "bare.csv").write_text("1,2,3\n4,5,6\n")
    with pytest.raises(RecordingError, match="first line"):
        find_columns(tmp_path / "bare.csv", TURN, np.ones(4))


def test_seconds_and_nanoseconds_in_two_columns_are_one_time(tmp_path: Path) -> None:
    t = np.arange(0.0, 2.0, 0.004)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    names = [f"{what}{n}" for what in ("position", "effort") for n in range(1, 5)]
    for whole, rest in (("sec", "nsec"), ("header.stamp.sec", "header.stamp.nanosec")):
        stamps = 1_700_000_000_000_000 + np.round(1e9 * t).astype(np.int64)
        columns = [stamps // 10**9, stamps % 10**9, *q.T, *q.T]
        path = table(tmp_path, [whole, rest, *names], columns, ",")
        found = find_columns(path, TURN, np.full(4, 20.0))
        assert (found.time, found.nanoseconds, found.time_unit) == (whole, rest, "s")
        assert found.rate == pytest.approx(250.0)
        (tmp_path / "columns.yaml").write_text(columns_text(found, JOINTS))
        recording = Recording.from_csv(path, tmp_path / "columns.yaml")
        assert len(recording) >= len(t) - 1
        assert np.allclose(recording.stamp, t[: len(recording)], atol=1e-9)


def test_joints_that_slide_have_units_of_their_own(tmp_path: Path) -> None:
    kinds = ("revolute", "revolute", "prismatic", "revolute")
    joints = [replace(joint, kind=kind) for joint, kind in zip(TURN, kinds, strict=True)]
    joints[2] = replace(joints[2], lower=0.0, upper=0.4)
    t = np.arange(0.0, 2.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    q[:, 2] = 0.2 + 0.1 * np.sin(t)
    header = ["t", *(f"q{n}" for n in range(1, 5)), *(f"tau{n}" for n in range(1, 5))]
    for factor, unit in ((1.0, "m"), (1000.0, "mm")):
        given = np.rad2deg(q)
        given[:, 2] = factor * q[:, 2]
        path = table(tmp_path, header, [t, *given.T, *q.T], ",")
        found = find_columns(path, joints, np.full(4, 20.0))
        assert found.position_unit == ("deg", "deg", unit, "deg")
        (tmp_path / "columns.yaml").write_text(columns_text(found, JOINTS))
        read = Recording.from_csv(path, tmp_path / "columns.yaml", None, JOINTS[2:3])
        assert np.allclose(read.q, q[: len(read)], atol=1e-5)
    for wrong, names in (("deg", JOINTS[2:3]), (["rad", "m", "m", "rad"], JOINTS[2:3])):
        columns = {
            "joints": list(JOINTS), "stamp": {"column": "t", "unit": "s"}, "position": "q{j}",
            "effort": "tau{j}", "position_unit": wrong,
        }  # fmt: skip
        with pytest.raises(ConfigurationError, match="one unit for each joint"):
            Recording.from_csv(path, columns, None, names)


def test_columns_without_a_number_are_told_and_cost_no_warning(tmp_path: Path) -> None:
    t = np.arange(0.0, 1.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    header = ["t", *(f"q{n}" for n in range(1, 5)), *(f"tau{n}" for n in range(1, 5))]
    path = table(tmp_path, header, [t, *q.T, *np.full_like(q, np.nan).T], ",")
    found = find_columns(path, TURN, np.full(4, 20.0))
    assert any("hold no number" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("effort", "factor"),
    [("j{n}_torque_ftlb", 1.3558179), ("tau{n} [kgf.cm]", 0.0980665), ("tau{n}_Ncm", 0.01),
     ("tau{n} (in lb)", 0.1129848), ("tau{n} [kNm]", 1e3), ("tau{n} [Nm]", 1.0),
     ("tau{n}_percent", 1.0), ("torque{n} [%]", 1.0)],
)  # fmt: skip
def test_units_that_names_of_efforts_state_are_taken(
    tmp_path: Path, effort: str, factor: float
) -> None:
    t = np.arange(0.0, 2.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    header = ["t", *(f"q{n}" for n in range(1, 5)), *(effort.format(n=n) for n in range(1, 5))]
    found = find_columns(table(tmp_path, header, [t, *q.T, *q.T], ","), TURN, np.full(4, 2.0))
    assert found.effort_factor == pytest.approx(factor) and not found.missing
    assert any("per cent" in x for x in found.remarks) == ("percent" in effort or "%" in effort)


@pytest.mark.parametrize(
    ("whole", "rest", "told"), [("sec", "msec", True), ("sec", "nsec", False), ("sec", "", True)]
)
def test_whole_seconds_alone_are_told_and_seconds_with_a_fraction_stay_alone(
    tmp_path: Path, whole: str, rest: str, told: bool
) -> None:
    t = np.arange(0.0, 3.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    names = [f"{what}{n}" for what in ("position", "effort") for n in range(1, 5)]
    more = [rest] if rest else []
    columns = [np.floor(t), *([np.round(t % 1.0 * 1e9)] if rest else []), *q.T, *q.T]
    path = table(tmp_path, [whole, *more, *names], columns, ",")
    found = find_columns(path, TURN, np.full(4, 20.0))
    assert found.time == whole
    assert any("whole seconds only" in remark for remark in found.remarks) == told
    columns[0] = t
    path = table(tmp_path, [whole, *more, *names], columns, ",")
    found = find_columns(path, TURN, np.full(4, 20.0))
    assert (found.time, found.nanoseconds) == (whole, "") and found.rate == pytest.approx(100.0)


def test_a_line_of_units_is_told(tmp_path: Path) -> None:
    t = np.arange(0.0, 2.0, 0.01)
    q = np.stack([np.sin((1 + k) * t) for k in range(4)], axis=1)
    header = ["t", *(f"q{n}" for n in range(1, 5)), *(f"tau{n}" for n in range(1, 5))]
    path = table(tmp_path, header, [t, *q.T, *q.T], ",")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], ",".join(["s", *["rad"] * 4, *["Nm"] * 4]), *lines[1:]]))
    found = find_columns(path, TURN, np.full(4, 20.0))
    assert any("Line 2 holds no number" in remark for remark in found.remarks)
