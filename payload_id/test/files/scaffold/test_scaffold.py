"""Robot and columns files drafted for arms that nobody has prepared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from payload_id.core.errors import ModelError, RecordingError, UnknownNameError
from payload_id.files.recordings.recording import Recording
from payload_id.files.robots.description.urdf_tree import UrdfJoint
from payload_id.files.scaffold.arm_in_urdf import find_arm
from payload_id.files.scaffold.column_draft import columns_text, find_columns

INERTIAL = (
    '<inertial><origin xyz="0 0 0.1"/><mass value="{m}"/><inertia ixx="0.02" iyy="0.02" '
    'izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
)
JOINTS = ("hip", "boom", "stick", "roll")


def link(name: str, mass: float = 0.0) -> str:
    return f'<link name="{name}">{INERTIAL.format(m=mass) if mass else ""}</link>'


def joint(name: str, kind: str, parent: str, child: str, more: str = "") -> str:
    """Return a joint with limits, 0.3 m above its parent."""
    limit = '<limit lower="-2" upper="2" effort="80" velocity="1.5"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>{"" if kind == "fixed" else limit}{more}'
        "</joint>"
    )


def digger(more: str = "") -> str:
    """Return an arm of four joints with a gripper of two fingers."""
    parts, before = [link("ground")], "ground"
    for k, name in enumerate(JOINTS):
        parts += [joint(name, "revolute", before, f"part_{k}"), link(f"part_{k}", 4.0 - k)]
        before = f"part_{k}"
    parts += [joint("mount", "fixed", before, "digger_tool0"), link("digger_tool0")]
    parts += [joint("palm_fix", "fixed", "digger_tool0", "palm"), link("palm", 0.3)]
    parts += [joint("left", "prismatic", "palm", "l"), link("l", 0.02)]
    follower = joint("right", "prismatic", "palm", "r", '<mimic joint="left"/>')
    return f'<robot name="digger">{"".join(parts)}{follower}{link("r", 0.02)}{more}</robot>'


def test_the_arm_ends_at_the_flange_before_the_fingers_or_where_it_is_told() -> None:
    found = find_arm(digger())
    assert found.names == JOINTS and found.payload_frame == "digger_tool0"
    assert found.others == ("left",)
    assert found.joints[0].effort == 80.0 and found.joints[0].velocity == 1.5
    named = find_arm(digger(), "part_2")
    assert named.names == JOINTS[:3] and named.payload_frame == "part_2"
    with pytest.raises(UnknownNameError, match="part_3"):
        find_arm(digger(), "part_9")


def test_a_base_that_moves_stands_and_an_arm_that_no_drive_moves_is_refused() -> None:
    for kind in ("planar", "floating"):
        base = link("world") + joint("base_joint", kind, "world", "ground", "")
        assert find_arm(digger(base)).names == JOINTS
    base = link("world") + joint("base_joint", "revolute", "world", "ground",
                                 '<mimic joint="hip"/>')  # fmt: skip
    with pytest.raises(ModelError, match="'base_joint'"):
        find_arm(digger(base))
    with pytest.raises(ModelError, match="nothing moves"):
        find_arm('<robot name="stone"><link name="a"/></robot>')


# ------------------------------------------------------------------------------- columns of tables

TURN = [
    UrdfJoint(name, "revolute", "", "", -2.0, 2.0, velocity=1.5, effort=80.0) for name in JOINTS
]
T = np.arange(0.0, 4.0, 0.01)
Q = np.stack([np.sin((1 + k) * T) for k in range(4)], axis=1)
DQ = np.stack([(1 + k) * np.cos((1 + k) * T) for k in range(4)], axis=1)


def columns_of(*patterns: str) -> list[str]:
    """Return the names of the columns of all joints, for each pattern."""
    return [x.format(k=k, n=k + 1, joint=JOINTS[k]) for x in patterns for k in range(4)]


class Table:
    """A table on disk, and what is found in it."""

    def __init__(self, folder, header, columns, delimiter=",", joints=TURN, torque=20.0) -> None:
        quoted = [f'"{name}"' if delimiter in name else name for name in header]
        lines = [delimiter.join(f"{x:.12g}" for x in row) for row in np.column_stack(columns)]
        self.path, self.columns = folder / "run.csv", folder / "columns.yaml"
        self.path.write_text("\n".join([delimiter.join(quoted), *lines, ""]))
        self.find(joints, torque)

    def find(self, joints=TURN, torque=20.0) -> None:
        self.found = find_columns(self.path, joints, np.full(4, torque))

    def said(self, words: str) -> bool:
        return words in " ".join(self.found.remarks)

    def read(self, *sliding) -> Recording:
        """Return the recording that the drafted description reads."""
        self.columns.write_text(columns_text(self.found, JOINTS))
        return Recording.from_csv(self.path, self.columns, None, *sliding)


SHAPES = {  # patterns of position, velocity, effort; time; units of angle, torque and time
    "by name, degrees": (
        "{joint}_pos", "{joint}_vel", "{joint}_torque", "timestamp", 180 / np.pi, 1.0, 1.0
    ),
    "from 0, ms": ("q{k}", "qd{k}", "tau{k} [Nm]", "Time [ms]", 1.0, 1.0, 1e3),
    "from 1, ns, mN m": (
        "Position{n}", "Velocity{n}", "Effort{n} (mNm)", "stamp_ns", 1.0, 1e3, 1e9
    ),
    "of ROS": ("position[{k}]", "velocity[{k}]", "effort[{k}]", "time", 1.0, 1.0, 1.0),
    "mrad": ("pos{k} [mrad]", "vel{k} [mrad/s]", "tau{k}", "t", 1e3, 1.0, 1.0),
    "rev": ("pos{k} [rev]", "vel{k} [rev/s]", "tau{k}_Ncm", "t", 0.5 / np.pi, 100.0, 1.0),
    "ft lb": ("q{k}", "qd{k}", "j{n}_torque_ftlb", "t [min]", 1.0, 1 / 1.3558179, 1 / 60),
    "kgf cm": ("q{k}", "qd{k}", "tau{n} [kgf.cm]", "t", 1.0, 1 / 0.0980665, 1.0),
    "in lb": ("q{k}", "qd{k}", "tau{n} (in lb)", "t", 1.0, 1 / 0.1129848, 1.0),
}  # fmt: skip


def test_columns_are_found_by_name_number_and_unit(tmp_path: Path) -> None:
    """Whatever their order and separator, and beside those of targets."""
    order = np.array([2, 0, 3, 1])
    for number, (q, dq, tau, time, angle, torque, second) in enumerate(SHAPES.values()):
        header = [time]
        for pattern in (q, dq, tau, f"target_{q}"):
            header += [columns_of(pattern)[k] for k in order]
        values = [angle * Q, angle * DQ, torque * (20.0 + 5.0 * Q), 0.0 * Q]
        columns = [second * T, *np.concatenate([x[:, order] for x in values], axis=1).T]
        table = Table(tmp_path, header, columns, ",; "[number % 3])
        assert list(table.found.position) == columns_of(q) and table.found.missing == ()
        np.testing.assert_allclose(table.found.effort_factor, 1 / torque, rtol=1e-6)
        assert table.found.rate == pytest.approx(100.0)
        if second > 0.1:  # minutes are told, and not read
            found = table.read()
            np.testing.assert_allclose(found.q, Q, atol=1e-6)
            np.testing.assert_allclose(found.dq, DQ, atol=1e-6)


def test_angles_that_count_from_zero_keep_their_unit_and_velocities(tmp_path: Path) -> None:
    for unit, turn in (("", 2.0 * np.pi), (" [deg]", 360.0)):
        header = ["t", *columns_of(f"q{{k}}{unit}", "dq{k}", "tau{k}")]
        angles, rates = turn / (2.0 * np.pi) * 1.6 * Q % turn, turn / (2.0 * np.pi) * 1.6 * DQ
        found = Table(tmp_path, header, [T, *angles.T, *rates.T, *Q.T]).found
        assert set(found.position_unit) == {"deg" if unit else "rad"} and len(found.velocity) == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda cell: cell.replace(".", ","), "write its comma as a point"),
        (lambda cell: f"{float(cell):.6e}".replace("e", "D"), "write its exponent with e"),
        (lambda cell: f"2026-11-01T10:00:{float(cell):09.6f}", "write dates as seconds"),
    ],
)
def test_numbers_that_are_written_in_another_way_are_told(tmp_path, change, words) -> None:
    header = ["t", *columns_of("q{n}", "tau{n}")]
    table = Table(tmp_path, header, [T, *np.ones((8, len(T)))], ";")
    first, *lines = (line.partition(";") for line in table.path.read_text().splitlines())
    changed = [change(time) + ";" + rest for time, _, rest in lines]
    table.path.write_text("\n".join(["".join(first), *changed]))
    table.find()
    assert table.said(words)
    with pytest.raises(RecordingError, match=words):
        table.read()


LOGGERS = {  # time, position, effort that are right, and further columns of the same numbers
    "KUKA RSI": ("IPOC", "AIPos.A{n}", "GearTorque.A{n}", ("ASPos.A{n}", "MACur.A{n}")),
    "KUKA trace": ("Zeit [s]", "Istposition A{n}", "Istmoment A{n}", ("Sollposition A{n}",)),
    "UR RTDE": ("timestamp", "actual_q_{k}", "actual_current_as_torque_{k}",
                ("target_q_{k}", "target_moment_{k}", "actual_TCP_force_{k}")),
    "Franka": ("time", "state.q[{k}]", "state.tau_J[{k}]",
               ("state.q_d[{k}]", "cmd.tau_J_d[{k}]", "state.tau_ext_hat_filtered[{k}]")),
    "ABB EGM": ("time", "feedback_joint_{n}", "motor_torque_{n}",
                ("planned_joint_{n}", "measured_force_{n}")),
    "Staubli": ("time", "J{n} PFBK", "J{n} TFBK", ("J{n} PCMD", "J{n} IFBK")),
}  # fmt: skip


def test_loggers_of_vendors_are_known_by_their_names(tmp_path: Path) -> None:
    for name, (time, position, effort, others) in LOGGERS.items():
        header = [time, *columns_of(*others, position, effort)]
        clock = 1000.0 * T if time == "IPOC" else T
        table = Table(tmp_path, header, [clock, *([*Q.T] * (len(others) + 2))], torque=1.0)
        assert table.found.time == time and table.found.rate == pytest.approx(100.0), name
        assert table.found.position == tuple(columns_of(position)), name
        assert table.found.effort == tuple(columns_of(effort)), name


def test_seconds_and_nanoseconds_in_two_columns_are_one_time(tmp_path: Path) -> None:
    stamps = 1_700_000_000_000_000 + np.round(1e9 * T).astype(np.int64)
    header = ["header.stamp.sec", "header.stamp.nanosec", *columns_of("position{n}", "effort{n}")]
    table = Table(tmp_path, header, [stamps // 10**9, stamps % 10**9, *Q.T, *Q.T])
    assert (table.found.time, table.found.nanoseconds) == tuple(header[:2])
    found = table.read()
    np.testing.assert_allclose(found.stamp, T, atol=1e-9)


def test_joints_that_slide_have_units_of_their_own(tmp_path: Path) -> None:
    joints = [*TURN[:2], replace(TURN[2], kind="prismatic", lower=0.0, upper=0.4), TURN[3]]
    q = Q.copy()
    q[:, 2] = 0.2 + 0.1 * np.sin(T)
    for factor, unit in ((1.0, "m"), (1000.0, "mm")):
        given = np.rad2deg(q)
        given[:, 2] = factor * q[:, 2]
        header = ["t", *columns_of("q{n}", "tau{n}")]
        table = Table(tmp_path, header, [T, *given.T, *q.T], joints=joints)
        assert table.found.position_unit == ("deg", "deg", unit, "deg")
        np.testing.assert_allclose(table.read(JOINTS[2:3]).q, q, atol=1e-6)


def test_what_cannot_be_told_is_named(tmp_path: Path) -> None:
    assert Table(tmp_path, ["t", "x", "y"], [T] * 3).found.missing == ("position", "effort")
    header = ["t", *columns_of("q{n}", "tau{n}")]
    empty = Table(tmp_path, header, [T, *Q.T, *np.full_like(Q, np.nan).T])
    assert empty.said("hold no number")
    units = Table(tmp_path, header, [T, *Q.T, *Q.T])
    first, rest = units.path.read_text().split("\n", 1)
    units.path.write_text(f"{first}\n{','.join(['s', *['rad'] * 4, *['Nm'] * 4])}\n{rest}")
    assert units.found.time == "t" and not units.said("no number")  # that line is left out
    for text in ("1,2,3\n4,5,6\n", "t,q1,q2,q3,q4\n" + "0.1,1,2,3,4,5\n" * 5):
        units.path.write_text(text)
        with pytest.raises(RecordingError, match="line that names|line of names"):
            units.find()
