"""Messages of vendors' drivers, the same on the wire, built for one test where ROS has none."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

# As of xarm_ros2 (branch jazzy, 0417b0f) and ur_msgs of mid-2026, without their comments.
DEFINITIONS = {
    "xarm_msgs/srv/SetTcpLoad.srv":
        "float32 weight\nfloat32[] center_of_gravity\n---\nint32 ret\nstring message\n",
    "ur_msgs/srv/SetPayload.srv":
        "float32 mass\ngeometry_msgs/Vector3 center_of_gravity\nfloat64 ixx\nfloat64 iyy\n"
        "float64 izz\nfloat64 ixy\nfloat64 ixz\nfloat64 iyz\nfloat64 transition_time\n---\n"
        "bool success\n",
}  # fmt: skip
CMAKE = """cmake_minimum_required(VERSION 3.12)
project({name})
find_package(ament_cmake REQUIRED)
find_package(geometry_msgs REQUIRED)
find_package(rosidl_default_generators REQUIRED)
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")
rosidl_generate_interfaces(${{PROJECT_NAME}} {files} DEPENDENCIES geometry_msgs)
ament_package()
"""
XML = """<?xml version="1.0"?>
<package format="3">
  <name>{name}</name>
  <version>0.1.0</version>
  <description>Stand-in for a test.</description>
  <maintainer email="none@payload-id.invalid">payload_id maintainers</maintainer>
  <license>Apache-2.0</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <depend>geometry_msgs</depend>
  <member_of_group>rosidl_interface_packages</member_of_group>
  <export><build_type>ament_cmake</build_type></export>
</package>
"""
COLCON = "import sys; from colcon_core.command import main; sys.exit(main())"


def build(folder: Path) -> dict[str, str]:
    """Build all packages in a folder; return the environment in which they are found."""
    names = sorted({path.partition("/")[0] for path in DEFINITIONS})
    for name in names:
        files = [x.partition("/")[2] for x in DEFINITIONS if x.startswith(f"{name}/")]
        place = folder / "source" / name
        for file in files:
            (place / file).parent.mkdir(parents=True, exist_ok=True)
            (place / file).write_text(DEFINITIONS[f"{name}/{file}"])
        (place / "CMakeLists.txt").write_text(CMAKE.format(name=name, files=" ".join(files)))
        (place / "package.xml").write_text(XML.format(name=name))
    prefix = folder / "install"
    library = f"lib/python{sysconfig.get_python_version()}/site-packages"
    command = [
        sys.executable, "-c", COLCON, "--log-base", folder / "log", "build",
        "--paths", *(folder / "source" / name for name in names),
        "--build-base", folder / "build", "--install-base", prefix, "--merge-install",
        "--executor", "sequential",
        "--cmake-args", "-GNinja", f"-DPython3_EXECUTABLE={sys.executable}", "-DBUILD_TESTING=OFF",
        f"-DPYTHON_INSTALL_DIR={library}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=280.0)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]

    def first(variable: str, place: Path) -> str:
        return os.pathsep.join(x for x in (str(place), os.environ.get(variable, "")) if x)

    return {
        **os.environ,
        "PYTHONPATH": first("PYTHONPATH", prefix / library),
        "LD_LIBRARY_PATH": first("LD_LIBRARY_PATH", prefix / "lib"),
        "AMENT_PREFIX_PATH": first("AMENT_PREFIX_PATH", prefix),
    }
