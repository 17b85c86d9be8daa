"""Installation as a ROS 2 package by colcon (ament_python); pip reads ../pyproject.toml instead."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "payload_id"
COMMAND = "payload-id = payload_id.__main__:run"
NODES = [
    "sampler = payload_id.ros.sampler.node:main",
    "team = payload_id.ros.team.node:main",
    "estimator = payload_id.ros.estimator.node:main",
    "planner = payload_id.ros.planner.node:main",
    "bridge = payload_id.ros.bridge.node:main",
    "identify = payload_id.ros.identify.node:main",
    "view = payload_id.__main__:view",
    "simulated_arm = payload_id.ros.simulated_arm.node:main",
    "robot_facts = payload_id.ros.common.robot_facts:main",
    "controller_parameters = payload_id.ros.simulated_arm.real_controllers.parameters:main",
]


def data_files(folder: str) -> list[tuple[str, list[str]]]:
    """List a folder's files for installation into share/, keeping its sub-folders."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return [
        (f"share/{NAME}/{path.parent.as_posix()}", [path.as_posix()])
        for path in files
        if "__pycache__" not in path.parts
    ]


setup(
    name=NAME,
    version="0.1.0",
    description="Payload identification with guaranteed intervals",
    maintainer="payload_id maintainers",
    license="Apache-2.0",
    extras_require={"test": ["pytest"]},  # by which `colcon test` knows that there are tests
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={"": ["py.typed", "*.j2", "*.js"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *data_files("launch"),
        *data_files("config"),
        *data_files("urdf"),
        *data_files("rviz"),
    ],
    zip_safe=False,
    # For `ros2 run`, which finds them beside the package.
    entry_points={"console_scripts": [COMMAND, *NODES]},
)
