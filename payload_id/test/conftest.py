"""What holds for the whole suite: threads of linear algebra, and what a quick run leaves out."""

from __future__ import annotations

import os

import pytest

# The suite shares the cores among processes; threads of linear algebra would get in their way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is first imported

LONG = 5.0  # a test of a quick run that takes longer is named at the end [s]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out tests marked slow")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("quick"):
        config.pluginmanager.register(QuickRun(config))


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
