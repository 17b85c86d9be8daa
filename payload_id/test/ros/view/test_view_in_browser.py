"""The live view in a real browser: token, plan, preview, stop in motion, reload, a second page."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planned_robot import PlannedRobot
from ros_domain import next_domain

playwright = pytest.importorskip(
    "playwright.sync_api", reason="no Playwright: pip install playwright, without its browsers"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,  # nodes and a browser in real time
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
]

DOMAIN = next_domain()
FLAGS = [
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]  # fmt: skip
PATIENCE = 120.0  # [s]: pictures without a graphics card are slow


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    robot = PlannedRobot(tmp_path_factory.mktemp("view"), DOMAIN)
    yield robot
    assert robot.close() == [0, 0, 0], robot.printed()


@pytest.fixture(scope="module")
def view(robot, tmp_path_factory):
    """Start the view; give its address and token."""
    log = tmp_path_factory.mktemp("log") / "view.log"
    command = [sys.executable, "-m", "payload_id.ros.view.node", "--robot", "kinova_gen3"]
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, "--port", "0", "--allow-motion"], stdout=file, stderr=file,
            env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)},
        )  # fmt: skip
    said = until(lambda: re.search(r"(http\S+)\n.*: (\S+)\n", log.read_text()))
    yield said.group(1), said.group(2), log
    process.send_signal(signal.SIGINT)
    assert process.wait(30.0) == 0
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="module")
def context():
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(viewport={"width": 1500, "height": 950})
        context.set_default_timeout(1e3 * PATIENCE)
        yield context
        browser.close()


def until(condition, limit=PATIENCE):
    """Wait for a condition, and return what it gave."""
    end = time.monotonic() + limit
    while not (found := condition()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.2)
    return found


def button(page, name):
    """Return a button by the end of what it says."""
    return page.get_by_role("button", name=re.compile(f"{name}$"))


def enter(page, token):
    """Type a token, and press Enter once the page has taken it up."""
    field = page.locator("input.mantine-TextInput-input:visible").nth(1)  # below the name
    field.fill(token)
    time.sleep(1.0)
    button(page, "Enter").click()


def press_when_ready(page, name):
    until(lambda: button(page, name).is_enabled())
    button(page, name).click()


def test_from_the_token_to_a_stop_in_motion(robot, view, context, tmp_path):
    address, token, _ = view
    page = context.new_page()
    page.goto(address)
    button(page, "Enter").wait_for()
    assert button(page, "STOP THE ARM").count() == 0  # nobody has proved the token
    enter(page, "wrong")
    page.get_by_text("That is not the token").wait_for()
    time.sleep(1.5)
    enter(page, token)
    button(page, "STOP THE ARM").wait_for()
    page.get_by_text("You have control").wait_for()
    assert not button(page, "Dry run").is_enabled()
    press_when_ready(page, "Plan")
    press_when_ready(page, "Preview")
    press_when_ready(page, "Dry run")
    button(page, "MOVE THE ARM").click()
    page.get_by_text(re.compile("moving, tracking error")).wait_for()
    button(page, "STOP THE ARM").click()
    page.get_by_text(re.compile("stop, by operator 1")).or_(
        page.get_by_text(re.compile("dry run, by operator 1"))
    ).first.wait_for()
    until(lambda: button(page, "Plan").is_enabled())  # the arm rests, nothing is being done
    shot = tmp_path / "view.png"
    page.screenshot(path=shot)
    assert Path(shot).stat().st_size > 10_000

    page.reload()
    button(page, "STOP THE ARM").wait_for()  # without the token: this browser has proved it
    page.get_by_text("You have control").wait_for()

    other = context.browser.new_context()  # somebody else's browser
    second = other.new_page()
    second.goto(address)
    button(second, "Enter").wait_for()
    assert button(second, "STOP THE ARM").count() == 0
    enter(second, token)
    second.get_by_text("operator 1 has control").wait_for()
    assert not button(second, "Dry run").is_enabled()
    button(second, "Take control").click()
    page.get_by_text("operator 2 has control").wait_for()
    other.close()
