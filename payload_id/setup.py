"""Installation: as a ROS 2 package by colcon (ament_python), as a library by pip."""

import sys
from pathlib import Path

from setuptools import find_packages, setup

NAME = "payload_id"
# What the library imports (test_library.py compares), from the oldest release that
# requirements.lock pins for any Python. colcon takes package.xml instead.
LIBRARIES = [
    "apsw>=3.54",
    "backports.zstd>=1.8; python_version < '3.14'",
    "clarabel>=0.11",
    "coal>=3.0.3",
    "cryptography>=50.0",
    "cvxpy>=1.7",
    "highspy>=1.15",
    "Jinja2>=3.1",
    "matplotlib>=3.10",
    "mujoco>=3.17",
    "msgspec>=0.22",
    "numpy>=2.2",
    "pin>=4.1",
    "pydantic>=2.14",
    "PyYAML>=6.0",
    "rich>=14.3",
    "rosbags>=0.11",
    "scipy>=1.15",
    "threadpoolctl>=3.8",
    "trimesh>=5.2",
    "typer>=0.29",
    "typing_extensions>=4.16",
    "xacro>=2.1",
]
# What only some need: fleets (`pip install "payload_id[fleet]"`), the view.
EXTRAS = {
    "fleet": ["dask>=2026.8", "distributed>=2026.8", "fsspec>=2026.9", "pyarrow>=25.0"],
    "view": ["viser>=1.1", "websockets>=16.1"],
}
FOR_COLCON = {"test": ["pytest"]}  # by which `colcon test` knows that there are tests, and whose
PAGES = ("fleet", "reports")  # rooms with templates of pages
COMMAND = "payload-id = payload_id.__main__:run"
NODES = [
    "sampler = payload_id.ros.sampler.node:main",
    "team = payload_id.ros.team.node:main",
    "estimator = payload_id.ros.estimator.node:main",
    "planner = payload_id.ros.planner.node:main",
    "bridge = payload_id.ros.bridge.node:main",
    "identify = payload_id.ros.identify.node:main",
    "view = payload_id.ros.view.node:main",
    "simulated_arm = payload_id.ros.simulated_arm.node:main",
    "robot_facts = payload_id.ros.common.robot_facts:main",
    "controller_parameters = payload_id.ros.simulated_arm.real_controllers.parameters:main",
]
# pip goes by way of a wheel, colcon does not. Nodes are for `ros2 run`, which finds them beside
# the package; pip would put names such as `identify` on the user's PATH.
FOR_PIP = any(word.endswith(("_wheel", "dist_info")) for word in sys.argv[1:])


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
    python_requires=">=3.10",
    install_requires=LIBRARIES if FOR_PIP else [],
    extras_require=EXTRAS if FOR_PIP else FOR_COLCON,
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={
        "": ["py.typed"],
        **{f"{NAME}.files.{x}": ["*.j2"] for x in ("fleet", "reports")},
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *data_files("launch"),
        *data_files("config"),
        *data_files("urdf"),
        *data_files("rviz"),
    ],
    zip_safe=False,
    entry_points={"console_scripts": [COMMAND, *([] if FOR_PIP else NODES)]},
)
