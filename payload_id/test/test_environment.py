"""The launcher and its set-up: what it trusts, what it refuses, what it says."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # setup_environment is no part of the package

from setup_environment import (  # noqa: E402, E501  # see above
    build,
    handover,
    install,
    lockfile,
    machine,
    main,
    stamps,
)
from setup_environment.layout import Layout, layout_of  # noqa: E402  # see above
from setup_environment.ros import Ros, sourced  # noqa: E402  # see above
from setup_environment.steps import Runner, SetupError, StepFailed  # noqa: E402  # see above

LOCK = (ROOT / "requirements.lock").read_text()


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    (tmp_path / "requirements.lock").write_text("one==1\n")
    return layout_of(tmp_path, None)


def pretend_complete(layout: Layout) -> str:
    """Make an environment that looks finished and return the value of its stamp."""
    value = install.environment_digest(layout, None)
    layout.python.parent.mkdir(parents=True)
    layout.python.symlink_to(sys.executable)
    layout.state.mkdir(parents=True, exist_ok=True)
    layout.owner.touch()
    stamps.write_stamp(layout.stamp, value)
    return value


def other_lock(layout: Layout) -> None:
    layout.lock.write_text("one==2\n")


def vanished_python(layout: Layout) -> None:
    layout.python.unlink()
    layout.python.symlink_to("/nowhere/python")


class TestStamps:
    @pytest.mark.parametrize(
        "change",
        [
            other_lock,
            vanished_python,
            lambda layout: layout.stamp.unlink(),
            lambda layout: layout.stamp.write_text(layout.stamp.read_text()[:10]),
        ],
    )
    def test_an_environment_that_is_not_whole_or_another_one_is_not_trusted(self, layout, change):
        assert install.is_complete(layout, pretend_complete(layout))
        change(layout)
        assert not install.is_complete(layout, install.environment_digest(layout, None))

    def test_other_python_and_moved_checkout_make_another_environment(
        self, layout, tmp_path, monkeypatch
    ):
        pretend_complete(layout)
        with monkeypatch.context() as other:
            other.setattr(sys.implementation, "cache_tag", "cpython-399")
            assert not install.is_complete(layout, install.environment_digest(layout, None))
        moved = tmp_path.with_name(tmp_path.name + "-moved")
        tmp_path.rename(moved)
        there = layout_of(moved, None)
        assert not install.is_complete(there, install.environment_digest(there, None))

    def test_failed_creation_leaves_no_stamp_and_is_made_anew(self, layout, monkeypatch):
        runner = Runner(layout.log, dict(os.environ))
        monkeypatch.setattr(install.machine, "base_python", lambda: "/bin/false")
        monkeypatch.setattr(machine, "missing_tools", dict)
        for _ in range(2):
            with pytest.raises(StepFailed, match="creating the Python environment"):
                main.bring_up_to_date(layout, None, runner)
            assert not layout.stamp.exists()
            install.check_owner(layout)  # what the failed run left is ours and may be deleted

    def test_foreign_environment_is_refused_and_left_alone(self, layout):
        (layout.venv / "bin").mkdir(parents=True)
        with pytest.raises(SetupError, match="was not made by payload-id"):
            install.check_owner(layout)
        assert (layout.venv / "bin").exists()


class TestPackages:
    @pytest.fixture
    def package(self, layout) -> Path:
        folder = layout.root / "payload_id"
        for name in ("package.xml", "payload_id/core.py", "test/test_core.py", "config/a.yaml"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(name)
        return folder

    def changed(self, layout, package) -> bool:
        return bool(build.changed(layout, [package], "environment"))

    def install(self, layout, package) -> None:
        layout.state.mkdir(parents=True, exist_ok=True)
        for folder, value in build.changed(layout, [package], "environment").items():
            stamps.write_stamp(layout.package_stamp(folder.name), value)

    def test_what_is_installed_matters_and_nothing_else(self, layout, package):
        for name in ("payload_id/core.py", "launch/new.xml", "payload_id/log/a.py"):
            self.install(layout, package)
            (package / name).parent.mkdir(exist_ok=True)
            (package / name).write_text("edited")
            assert self.changed(layout, package), name
        self.install(layout, package)
        for name in ("test/test_core.py", "payload_id/__pycache__/core.pyc"):
            (package / name).parent.mkdir(exist_ok=True)
            (package / name).write_text("edited")
        assert not self.changed(layout, package)
        (package / "config/a.yaml").unlink()
        assert self.changed(layout, package)


class TestLock:
    entries = lockfile.parse(LOCK)

    def test_every_package_is_pinned_with_a_hash(self):
        assert len(self.entries) > 100
        assert [entry.name for entry in self.entries if not entry.hashed] == []

    def test_with_ros_no_ros_package_is_installed(self):
        names = {entry.name for entry in lockfile.without_ros(self.entries, set())}
        assert not any(name.startswith("ros-") for name in names)
        assert "lark-parser" not in names  # only the wheels need it
        assert {"pin", "cvxpy", "numpy", "mujoco", "colcon-core", "pytest"} <= names


class TestMachine:
    @pytest.mark.parametrize(
        ("system", "processor", "version", "words"),
        [
            ("Linux", "aarch64", (3, 12), "Linux on aarch64"),
            ("Darwin", "x86_64", (3, 12), "Darwin"),
            ("Linux", "x86_64", (3, 99), "Python 3.99"),
        ],
    )
    def test_other_machines_are_refused_in_one_sentence(self, system, processor, version, words):
        with pytest.raises(SetupError, match=words) as caught:
            machine.check_platform(system, processor, version)
        assert "\n" not in str(caught.value)


class TestRos:
    def prefix(self, tmp_path: Path) -> str:
        index = tmp_path / "ros/share/ament_index/resource_index/packages"
        index.mkdir(parents=True)
        (index / "rclpy").touch()
        return str(tmp_path / "ros")

    def test_sourced_installation_is_found(self, tmp_path):
        variables = {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": self.prefix(tmp_path)}
        ros = sourced(variables, ROOT)
        assert ros is not None
        assert ros.home == variables["AMENT_PREFIX_PATH"]
        own = {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": f"{ROOT}/.venv"}  # is no installation
        assert sourced({}, ROOT) is sourced(own, ROOT) is None


class TestHandover:
    def test_packages_of_the_user_are_looked_up_and_not_built_with(self, layout):
        base = handover.clean({"AMENT_PREFIX_PATH": "/ws/install"}, layout, None)
        path = handover.variables(base, layout, None)["AMENT_PREFIX_PATH"]
        assert path.split(":") == [str(layout.venv), "/ws/install"]
        assert "/ws" not in handover.tools_variables(base, layout, None)["AMENT_PREFIX_PATH"]

    def test_discovery_range_of_the_user_is_kept(self, layout):
        key = "ROS_AUTOMATIC_DISCOVERY_RANGE"
        assert handover.variables({}, layout, None)[key] == "LOCALHOST"
        assert handover.variables({key: "SUBNET"}, layout, None)[key] == "SUBNET"
        ros = Ros("jazzy", ("/opt/ros/jazzy",), ())
        assert key not in handover.variables({}, layout, ros)


class TestShares:
    """Which tests a run takes."""

    def run(self, folder: Path, *arguments: str) -> str:
        """Run tests with the suite's own conftest.py; return the output."""
        shutil.copy(ROOT / "payload_id/test/conftest.py", folder)
        (folder / "test_some.py").write_text(
            "import pytest\n"
            "@pytest.mark.parametrize('k', range(7))\n"
            "def test_cases(k): pass\n"
            "@pytest.mark.slow\n"
            "def test_thorough(): pass\n"
        )
        configuration = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder)]
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *configuration]
        done = subprocess.run(
            [*command, str(folder), *arguments], capture_output=True, text=True, cwd=folder
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def test_two_cases_of_a_function_usually_all_when_asked_and_nothing_slow_in_a_quick_run(
        self, tmp_path
    ):
        assert "3 passed" in self.run(tmp_path)
        assert "8 passed" in self.run(tmp_path, "--all")
        assert "2 passed" in self.run(tmp_path, "--quick")


class TestSteps:
    def test_lock_is_held_by_a_tool_that_outlives_the_launcher(self, tmp_path):
        code = (
            "import os, sys; sys.path.insert(0, sys.argv[1])\n"
            "from pathlib import Path\n"
            "from setup_environment import main, steps\n"
            "with main.locked(Path(sys.argv[2])) as fd:\n"
            "    runner = steps.Runner(Path(sys.argv[2], 'log'), dict(os.environ), fd)\n"
            "    runner.run('sleeping', ['sleep', '1.5'], '')\n"
        )
        first = subprocess.Popen(
            [sys.executable, "-c", code, str(ROOT), str(tmp_path)],
            stderr=subprocess.PIPE,
        )
        assert first.stderr is not None
        first.stderr.readline()  # the tool is announced just before it starts
        time.sleep(0.3)
        first.send_signal(signal.SIGKILL)
        first.wait()
        first.stderr.close()
        started = time.monotonic()
        with main.locked(tmp_path):
            assert time.monotonic() - started > 0.5


class TestLauncher:
    def test_without_python_one_line_names_what_to_install(self, tmp_path):
        for tool in ("dirname", "readlink"):
            (tmp_path / tool).symlink_to(str(shutil.which(tool)))
        done = subprocess.run(
            ["/bin/sh", str(ROOT / "payload-id"), "demo"],
            capture_output=True, text=True, env={"PATH": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 1
        assert "apt-get install python3" in done.stderr
        assert done.stderr.count("\n") == 1

    def test_script_gets_its_arguments_and_clean_stdout(self, tmp_path):
        script = tmp_path / "script.py"
        script.write_text(
            "import sys, payload_id_msgs.msg\n"
            "from importlib.util import find_spec\n"
            "assert '/.venv' in find_spec('payload_id').origin  # the installed package\n"
            "print(sys.argv[1:])\n"
        )
        done = subprocess.run(
            [str(ROOT / "payload-id"), "python", str(script), "a b", "--json"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=tmp_path,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, "['a b', '--json']\n")


@pytest.mark.parametrize("module", ["setup_environment.main", "hashlib", "fcntl"])
def test_an_interrupt_while_the_launcher_is_imported_is_no_traceback(module):
    start = ROOT / "setup_environment" / "__main__.py"
    code = f"""
import os, runpy, signal, sys
class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
sys.modules.pop({module!r}, None)
sys.argv = [{str(start)!r}, "--help"]
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_path({str(start)!r}, run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "")
