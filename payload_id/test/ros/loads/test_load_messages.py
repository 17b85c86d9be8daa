"""Loads in the messages of drivers: fields, versions, what a driver's state says."""

from __future__ import annotations

from types import SimpleNamespace as Message

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Inertia, Vector3

from payload_id.core.errors import ConfigurationError
from payload_id.ros.loads.franka import FrankaLoad
from payload_id.ros.loads.load_writer import differences, flaw, is_finite
from payload_id.ros.loads.ur import UniversalRobotsLoad
from payload_id.ros.loads.xarm import XArmLoad

INERTIA = {"ixx": 4.0, "iyy": 5.0, "izz": 6.0, "ixy": 0.1, "ixz": -0.2, "iyz": 0.3}
COM = {"x": 0.01, "y": -0.02, "z": 0.03}
LOAD = {"mass": 1.25, "center_of_gravity": COM, **INERTIA, "transition_time": 0.5}
LIGHT = {"mass": 1.25, "center_of_gravity": COM}


def test_a_ur_of_before_2026_takes_no_inertia_and_is_not_given_one_silently():
    request = Message(mass=0.0, center_of_gravity=Vector3())
    with pytest.raises(ConfigurationError, match="--no-inertia"):
        UniversalRobotsLoad().fill(request, LOAD)
    UniversalRobotsLoad().fill(request, LIGHT)
    assert request.mass == 1.25 and request.center_of_gravity == Vector3(**COM)


def test_a_ur_of_2026_takes_inertia_and_time_in_both_forms():
    flat = Message(mass=0.0, center_of_gravity=Vector3(), transition_time=0.0)
    vars(flat).update(dict.fromkeys(INERTIA, 0.0))
    UniversalRobotsLoad().fill(flat, LOAD)
    assert {name: getattr(flat, name) for name in INERTIA} == INERTIA
    assert flat.transition_time == 0.5 and flat.mass == 1.25
    nested = Message(payload=Inertia(), transition_time=Duration())
    UniversalRobotsLoad().fill(nested, LOAD)
    assert nested.payload == Inertia(m=1.25, com=Vector3(**COM), **INERTIA)
    assert nested.transition_time == Duration(nanosec=500_000_000)
    UniversalRobotsLoad().fill(nested, LIGHT)  # what an arm had before, too, comes smoothly
    assert nested.transition_time == Duration(nanosec=500_000_000)


def test_what_a_ur_has_is_found_among_all_states_and_older_drivers_do_not_say_it():
    values = {"mass": 1.25, **{f"cog.{k}": x for k, x in COM.items()}}
    values |= {f"inertia.{k}": x for k, x in INERTIA.items()}
    entry = Message(interface_names=list(values), values=list(values.values()))
    joint = Message(interface_names=["position"], values=[0.5])
    state = Message(joint_names=["elbow", "left_payload"], interface_values=[joint, entry])
    found = UniversalRobotsLoad().state(state, ["left_elbow", "left_wrist"])
    assert not differences(LOAD, found) and is_finite(found)
    older = Message(joint_names=["e"], interface_values=[joint])
    assert UniversalRobotsLoad().state(older, ["e"]) is None


def test_of_several_arms_in_one_message_each_has_its_own_load():
    def entry(mass):
        return Message(interface_names=["mass"], values=[mass])

    def has(joints, **loads):
        names, values = list(loads), [entry(mass) for mass in loads.values()]
        found = UniversalRobotsLoad().state(
            Message(joint_names=names, interface_values=values), joints
        )
        return None if found is None else found["mass"]

    every = {"right_payload": 1.0, "payload": 2.0, "left_payload": 3.0}
    assert has(["left_elbow", "left_wrist"], **every) == 3.0
    assert has(["right_elbow", "right_wrist"], **every) == 1.0
    assert has(["elbow", "wrist"], **every) == 2.0
    assert has(["elbow", "wrist"], left_payload=3.0) is None
    twice = Message(joint_names=["payload"] * 2, interface_values=[entry(1.0), entry(2.0)])
    assert UniversalRobotsLoad().state(twice, ["elbow"]) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"mass": -3.0}, "must not be negative"),
        ({"mass": float("nan")}, "must be finite"),
        ({"mass": 3e9}, "must be finite"),
        ({"mass": "heavy"}, "must be numbers"),
        ({"center_of_gravity": {"x": 0.0, "y": 0.0}}, "takes 3 numbers; found 2"),
        ({"wieght": 1.0}, "'wieght' is none of mass"),
    ],
)
def test_what_cannot_stand_in_for_a_load_is_told(change, words):
    assert words in (said := flaw({**LOAD, **change}, LOAD)) and bool(said) == bool(words)


def test_franka_reads_back_what_it_was_told_column_by_column():
    columns = np.arange(9.0).reshape(3, 3)
    columns = (columns + columns.T).ravel(order="F").tolist()
    values = {"mass": 1.25, "center_of_mass": [0.01, -0.02, 0.03], "load_inertia": columns}
    request = Message()
    FrankaLoad().fill(request, values)
    assert vars(request) == values
    ixx, ixy, ixz, _, iyy, iyz, _, _, izz = columns
    inertia = Inertia(m=1.25, com=Vector3(x=0.01, y=-0.02, z=0.03),
                      ixx=ixx, ixy=ixy, ixz=ixz, iyy=iyy, iyz=iyz, izz=izz)  # fmt: skip
    state = Message(inertia_load=Message(inertia=inertia))
    assert not differences(values, FrankaLoad().state(state, []))
    inertia.izz += 0.01
    assert "load_inertia" in differences(values, FrankaLoad().state(state, []))[0]


def test_answers_that_are_no_yes_have_the_drivers_words():
    assert XArmLoad().refusal(Message(ret=0, message="")) == ""
    assert "ret 9, 'busy'" in XArmLoad().refusal(Message(ret=9, message="busy"))
    assert "'no'" in FrankaLoad().refusal(Message(success=False, error="no"))
    assert UniversalRobotsLoad().refusal(Message(success=False))
    assert not UniversalRobotsLoad().refusal(Message(success=True))


@pytest.mark.parametrize(
    ("told", "has", "alike"),
    [([1.0, 2.0], [1.0, 2.0 + 1e-6], True), ([1.0], [float("nan")], False), ([1.0], [1.0, 2.0],
     False), ({"x": 1.0}, {"x": 1.001}, False), (1.25, np.float32(1.25), True)],
)  # fmt: skip
def test_single_precision_is_no_difference_and_nothing_else_is_overlooked(told, has, alike):
    assert (differences({"field": told}, {"field": has}) == []) is alike
    assert differences({"field": told}, {}) == []  # it does not tell
