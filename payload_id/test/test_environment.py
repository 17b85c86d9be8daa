"""The launcher and its set-up: what it trusts, what it refuses, what it says."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))  # setup_environment is no part of the package

from setup_environment import build, environment, handover, machine  # noqa: E402  # see above
from setup_environment.environment import Place  # noqa: E402  # see above
from setup_environment.steps import Runner, SetupError  # noqa: E402  # see above


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A checkout whose environment looks finished."""
    (tmp_path / "requirements.lock").write_text("one==1\n")
    place = Place(tmp_path)
    place.python.parent.mkdir(parents=True)
    place.python.symlink_to(sys.executable)
    place.state.mkdir()
    place.set_made("environment", environment.made_from(place))
    return place


def other_lock(place: Place, monkeypatch) -> Place:
    (place.root / "requirements.lock").write_text("one==2\n")
    return place


def vanished_python(place: Place, monkeypatch) -> Place:
    place.python.unlink()
    place.python.symlink_to("/nowhere/python")
    return place


def cut_stamp(place: Place, monkeypatch) -> Place:
    place.stamp("environment").write_text(place.stamp("environment").read_text()[:10])
    return place


def other_python(place: Place, monkeypatch) -> Place:
    monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-399")
    return place


def moved_checkout(place: Place, monkeypatch) -> Place:
    return Place(place.root.rename(place.root.with_name(place.root.name + "-moved")))


class TestStamps:
    @pytest.mark.parametrize(
        "change", [other_lock, vanished_python, cut_stamp, other_python, moved_checkout]
    )
    def test_an_environment_that_is_not_whole_or_another_one_is_not_trusted(
        self, place, monkeypatch, change
    ):
        assert environment.is_complete(place)
        with monkeypatch.context() as during:
            assert not environment.is_complete(change(place, during))

    def test_failed_creation_leaves_no_stamp_and_is_made_anew(self, place, monkeypatch):
        runner = Runner(place.state / "log", lambda: dict(os.environ), 0, environment.STEPS)
        monkeypatch.setattr(sys, "executable", "/bin/false")
        monkeypatch.setattr(machine, "missing_tools", dict)
        for _ in range(2):  # what the failed run left is ours and may be deleted
            with pytest.raises(SetupError, match="creating the Python environment"):
                environment.create(place, runner)
            assert not place.stamp("environment").exists()

    def test_foreign_environment_is_refused_and_left_alone(self, tmp_path):
        place = Place(tmp_path)
        (place.venv / "bin").mkdir(parents=True)
        with pytest.raises(SetupError, match="was not made by payload-id"):
            environment.create(place, Runner(place.state, dict, 0, {}))
        assert (place.venv / "bin").exists()

    def test_what_is_installed_matters_and_nothing_else(self, place, monkeypatch):
        package = place.root / "payload_id"

        def edit(name: str) -> None:
            (package / name).parent.mkdir(parents=True, exist_ok=True)
            (package / name).write_text(f"edited {time.monotonic_ns()}")

        def is_changed() -> bool:
            now = build.changed(place)
            for folder, value in now.items():
                place.set_made(folder.name, value)
            return bool(now)

        monkeypatch.setattr(build, "packages", lambda place: [package])
        for name in ("package.xml", "payload_id/core.py", "launch/new.xml", "payload_id/log/a.py"):
            edit(name)
            assert is_changed(), name
        for name in ("test/test_core.py", "payload_id/__pycache__/core.pyc"):
            edit(name)
        assert not is_changed()
        (package / "launch/new.xml").unlink()
        assert is_changed()


def test_every_package_is_pinned_with_a_hash_and_no_index_is_named():
    lock = (ROOT / "requirements.lock").read_text()
    entries = re.findall(r"^\S+==.*\n(?:    --hash=sha256:.*\n)*", lock, re.MULTILINE)
    assert len(entries) > 100 and all("--hash" in entry for entry in entries)
    assert "://" not in lock


@pytest.mark.parametrize(
    ("system", "processor", "version", "words"),
    [
        ("Linux", "aarch64", (3, 12), "Linux on aarch64"),
        ("Darwin", "x86_64", (3, 12), "Darwin"),
        ("Linux", "x86_64", (3, 99), "do not exist for Python"),
    ],
)
def test_other_machines_are_refused_in_one_sentence(monkeypatch, system, processor, version, words):
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: processor)
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(SetupError, match=words) as caught:
        machine.check(ROOT)
    assert "\n" not in str(caught.value)


class TestRos:
    def test_sourced_installation_is_found(self, tmp_path):
        index = tmp_path / "ros/share/ament_index/resource_index/packages"
        index.mkdir(parents=True)
        (index / "rclpy").touch()
        variables = {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": str(tmp_path / "ros")}
        place = environment.place_of(ROOT, variables)
        assert place.provides("rclpy") and place.venv == ROOT / ".venv-jazzy"
        own = {"ROS_DISTRO": "jazzy", "AMENT_PREFIX_PATH": f"{ROOT}/.venv"}  # is no installation
        assert environment.place_of(ROOT, own) == environment.place_of(ROOT, {}) == Place(ROOT)
        with pytest.raises(SetupError, match="humble is sourced"):
            environment.place_of(ROOT, variables | {"ROS_DISTRO": "humble"})

    def test_packages_of_the_user_are_looked_up_and_not_built_with(self):
        place, user = Place(ROOT), {"AMENT_PREFIX_PATH": "/ws/install"}
        path = handover.variables(user, place)["AMENT_PREFIX_PATH"]
        assert path.split(":") == [str(place.venv), "/ws/install"]
        assert "/ws" not in handover.tools_variables(user, place)["AMENT_PREFIX_PATH"]

    def test_what_is_installed_is_compiled_whatever_the_user_says(self):
        user = {"PYTHONDONTWRITEBYTECODE": "1"}
        assert not user.keys() & handover.tools_variables(user, Place(ROOT)).keys()

    def test_discovery_range_of_the_user_is_kept(self):
        key = "ROS_AUTOMATIC_DISCOVERY_RANGE"
        assert handover.variables({}, Place(ROOT))[key] == "LOCALHOST"
        assert handover.variables({key: "SUBNET"}, Place(ROOT))[key] == "SUBNET"
        assert key not in handover.variables({}, Place(ROOT, "jazzy", ("/opt/ros/jazzy",)))


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
            "from setup_environment import __main__, steps\n"
            "fd = __main__.lock(Path(sys.argv[2]))\n"
            "runner = steps.Runner(Path(sys.argv[2], 'log'), lambda: dict(os.environ), fd, {})\n"
            "runner.run('sleeping', ['sleep', '1.5'], '')\n"
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
        fd = os.open(tmp_path, os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.close(fd)
        assert time.monotonic() - started > 0.5

    def test_progress_never_goes_back_however_long_a_step_lasts(self):
        weights = {"one": 1.0, "two": 20.0, "three": 4.0}
        runner = Runner(Path("log"), dict, 0, weights, 0.0)
        parts, elapsed = [], 0.0
        for step, lasts in {"one": 30.0, "two": 3.0, "three": 400.0}.items():
            parts += [runner.part(step, elapsed + t, t) for t in np.linspace(0.0, lasts, 50)]
            elapsed += lasts
        assert np.all(np.diff(parts) >= 0.0) and 0.0 <= parts[0] and parts[-1] < 1.0


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


@pytest.mark.parametrize("module", ["setup_environment.build", "hashlib", "fcntl"])
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
