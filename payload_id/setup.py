"""Installation of the ROS 2 package payload_id (ament_python)."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "payload_id"


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
    maintainer_email="maintainers@payload-id.example",
    license="Apache-2.0",
    python_requires=">=3.10",
    packages=find_packages(exclude=["test", "test.*"]),
    package_data={"": ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *data_files("launch"),
        *data_files("config"),
        *data_files("urdf"),
        *data_files("rviz"),
    ],
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "payload-id = payload_id.cli.main:main",
            "sampler = payload_id.ros.sampler.node:main",
            "wrench_sampler = payload_id.ros.wrench_sampler.node:main",
            "estimator = payload_id.ros.estimator.node:main",
            "planner = payload_id.ros.planner.node:main",
            "identify = payload_id.ros.identify.node:main",
            "simulated_arm = payload_id.ros.simulated_arm.node:main",
        ],
    },
)
