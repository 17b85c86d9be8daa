"""The stand-ins of ROS packages that the wheels lack: the same on the wire as the real ones."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_share_directory

ROOT = Path(__file__).resolve().parents[2]

# Hashes (REP 2011, version 1: RIHS01_...) that rosidl_generator_type_description gives for the real
# definitions: ros-controls/control_msgs f901df2662f2 (5.8.0), ros-controls/ros2_control
# 9ffbf97fd679 (4.46.0). Names, types and order of all fields enter them, those of nested types too.
HASHES = {
    "control_msgs": {
        "action/FollowJointTrajectory":
            "738ebcb7a2d7cfa42f9f1001cc99ce3a4383d1cfe508015d9be8485e4b1c66f6",
        "msg/DynamicJointState":
            "18024c98a62697680f581108eeed40b28fb4542fa0ac5a8e36f56c62b6813d26",
        "msg/InterfaceValue":
            "74a12144ef6b7af67533195cb30f7f607d3301b66950208a72d280695f3e190c",
        "msg/JointComponentTolerance":
            "739ea7566931944d33830fa10f1bf5e7a7fbdc3172bce7a7eaac642bd6e3ffa4",
        "msg/JointTolerance":
            "c254f9cece0f3b733017b6990fd46d1326e25242d6b8844398c97d9a88e7d648",
        "msg/JointTrajectoryControllerState":
            "51d8dd89cc624cbe9daaeeb4d80d6de9b86168ffdc3be41fefc0953e3c26e480",
        "msg/SpeedScalingFactor":
            "0c240f349f2b74e33e8741f83e0f196ddeb6585923663876ed3c1f51f0566037",
    },
    "controller_manager_msgs": {
        "msg/ChainConnection":
            "2daecd1da4b171f48b291c79747657a651eb1ab8821b68e38b1c88c736bba91c",
        "msg/ControllerManagerActivity":
            "35b7de5d611b6780e89732de325f2f765eacdb8a7adfe5821a27af4a03a7c244",
        "msg/ControllerState":
            "9a8780ab9814b6032978a07c6c7033cf1a7894ac8d948a6fb72afea07b04cc83",
        "msg/HardwareInterface":
            "b4c556991db81ca56a49338b5e8f0675a6707faee54fba161d2bbd4d963d418a",
        "msg/NamedLifecycleState":
            "b7947b6f8df8f7e93d1cb8d115842fb0eeddfa6fb5c7b86cc0f3cafd55be4c1f",
        "srv/ListControllers":
            "4f8e36bb1fa5afdeba45c2d56ae6a2097b1493a253f961dd6290c085033bd189",
        "srv/ListHardwareInterfaces":
            "c3e561a6e8cc7b9d577d8065c783038e51f6950cbe9bed67fb117a3e2e04d8f1",
        "srv/SwitchController":
            "d4ad10aa5da7808bc522d55d4123d8ef79de73d049d165639d7663ac37cc9895",
    },
}  # fmt: skip


@pytest.fixture(params=HASHES)
def package(request) -> tuple[dict[str, str], Path]:
    """Hashes of a package, and the folder in which its stand-in is installed."""
    share = Path(get_package_share_directory(request.param))
    if not share.is_relative_to(sys.prefix):
        pytest.skip(f"{request.param} is the real package, in {share}")
    return HASHES[request.param], share


def test_every_interface_has_the_real_ones_hash(package):
    hashes, share = package
    for name, real in hashes.items():
        described = json.loads((share / f"{name}.json").read_text())["type_hashes"]
        assert described[0]["hash_string"] == f"RIHS01_{real}", name


def test_no_interface_is_left_unchecked(package):
    hashes, share = package
    folder = ROOT / "interfaces" / share.name
    defined = (path.relative_to(folder) for kind in ("msg", "srv", "action")
               for path in folder.glob(f"{kind}/*.{kind}"))  # fmt: skip
    assert {path.with_suffix("").as_posix() for path in defined} == set(hashes)
