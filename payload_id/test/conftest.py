"""What holds for the whole suite: threads of linear algebra, and which cases a run takes.

The usual run takes two cases of every function with parameters, `--all` takes all, `--quick` leaves
out what is marked slow, too.
"""

from __future__ import annotations

import os
import re
import sys
import zlib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

# The suite shares the cores among processes; threads of linear algebra would get in their way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is first imported
sys.dont_write_bytecode = False  # else each process rewrites the assertions of all tests, for 20 s

ROOT = Path(__file__).parents[2]
CASES = 2  # of a function, in the usual run
LONG = 5.0  # a test of a quick run that takes longer is named at the end [s]
# What files of tests name that have nodes run, in real time; all others compute, and are patient.
REAL_TIME = re.compile(r"\b(next_domain|free_domain|moving_robot|Listeners)\b")
# Tests that move an arm in real time: two at once starve one another's arms on two cores.
MOVING = (
    "payload_id/test/ros/bridge/",
    "payload_id/test/ros/planner/test_planner_node",
    "payload_id/test/promises/test_every_fault",
    "payload_id/test/promises/test_nothing_moves",
)
LONGEST = "payload_id/test/promises/"  # files that take minutes, to begin with
NICE = 15  # of the process that runs these while the others wait for nodes


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out tests marked slow")
    parser.addoption("--all", action="store_true", help="take all cases of every function")


def pytest_configure(config: pytest.Config) -> None:
    worker = getattr(config, "workerinput", {})
    if worker and is_patient(worker["workerid"], worker["workercount"]):
        os.nice(NICE)
    if config.getoption("quick"):
        config.pluginmanager.register(QuickRun(config))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take some cases of each function, other ones for other functions of the same parameters."""
    if config.getoption("all"):
        return
    functions: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        functions[item.nodeid.partition("[")[0]].append(item)
    taken: set[pytest.Item] = set()
    for function, cases in functions.items():
        first = zlib.crc32(function.encode())
        step = max(1, len(cases) // CASES)
        taken.update(cases[(first + k * step) % len(cases)] for k in range(min(CASES, len(cases))))
    config.hook.pytest_deselected(items=[item for item in items if item not in taken])
    items[:] = [item for item in items if item in taken]


def is_patient(worker: str, count: int) -> bool:
    """Whether a process takes what computing time the others leave: the last of three or more."""
    return count > 2 and worker == f"gw{count - 1}"


@cache
def in_real_time(file: str) -> bool:
    """Whether tests of a file have nodes run: other work on the machine may keep them from it."""
    return bool(REAL_TIME.search((ROOT / file).read_text()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Begin with tests in real time, and give the patient process those that compute.

    Arms are moved in one process at a time, as long as the others have something else to do.
    """
    if config.option.dist != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class SharedOut(LoadFileScheduling):
        def _assign_work_unit(self, node: object) -> None:
            queue = sorted(self.workqueue, key=lambda scope: not scope.startswith(LONGEST))
            waiting = [scope for scope in queue if in_real_time(scope)]
            computing = [scope for scope in queue if not in_real_time(scope)]
            if is_patient(node.gateway.id, self.numnodes):
                waiting = []
            if not waiting and not computing:
                node.shutdown()
                return
            apart = [x for x in waiting if not (x.startswith(MOVING) and self._moves_besides(node))]
            self.workqueue.move_to_end((apart or computing or waiting)[0], last=False)
            super()._assign_work_unit(node)

        def _moves_besides(self, node: object) -> bool:
            others = (work for other, work in self.assigned_work.items() if other is not node)
            files = (file for work in others for file in work.items())
            return any(name.startswith(MOVING) and not all(done.values()) for name, done in files)

    return SharedOut(config, log)


class QuickRun:
    """Leaves out what is marked slow, and names what ought to be."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.long: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        slow = [item for item in items if item.get_closest_marker("slow")]
        self.config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.duration > LONG:
            self.long[report.nodeid] = report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.long:
            terminalreporter.section("too long for a quick run; is @pytest.mark.slow missing?")
            for name, duration in sorted(self.long.items()):
                terminalreporter.line(f"{duration:.1f}s {name}")
