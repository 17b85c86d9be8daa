"""The live view in a real browser: the whole flow, a stop in motion, reload, lost nodes."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from harness import NodeProcess
from identifying_robot import IdentifyingRobot
from planned_robot import PAYLOAD
from ros_domain import next_domain

playwright = pytest.importorskip(
    "playwright.sync_api",
    reason="no Playwright: ./payload-id python -m pip install playwright, without its browsers",
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,  # nodes and a browser in real time
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
]

DOMAIN, XARM_DOMAIN = next_domain(), next_domain()
FLAGS = [
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]  # fmt: skip
PATIENCE = 120.0  # [s]: pictures without a graphics card are slow
SHOTS = os.environ.get("PAYLOAD_ID_SHOTS")  # folder for pictures of the pages, if they are wanted


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    robot = IdentifyingRobot(tmp_path_factory.mktemp("view"), DOMAIN)
    yield robot
    assert robot.close() == [0, 0, 0, 0], robot.printed()


@pytest.fixture(scope="module")
def view(robot, tmp_path_factory):
    with serving("kinova_gen3", DOMAIN, tmp_path_factory.mktemp("log")) as address_and_token:
        yield address_and_token


@contextmanager
def serving(robot, domain, folder):
    """Start a view; give its address and token."""
    log = folder / "view.log"
    command = [sys.executable, "-m", "payload_id.ros.view.node", "--robot", robot]
    with log.open("w") as file:
        process = subprocess.Popen(
            [*command, "--port", "0", "--allow-motion"], stdout=file, stderr=file,
            env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
        )  # fmt: skip
    said = until(lambda: re.search(r"(http\S+)\n.*: (\S+)\n", log.read_text()))
    yield said.group(1), said.group(2)
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


@pytest.fixture
def page(request, view, context):
    page = opened(context, *view)
    yield page
    shot(page, request.node.name)
    page.close()


def opened(context, address, token):
    """Open a page; it has proved the token, and has control."""
    page = context.new_page()
    page.goto(address)
    button(page, "Enter").or_(button(page, "STOP THE ARM")).wait_for()
    time.sleep(2.0)  # a browser that is known is let in
    if button(page, "Enter").count():
        enter(page, token)
    page.get_by_text("You have control").wait_for()
    return page


def shot(page, name):
    """Keep a picture of the page, if pictures are wanted."""
    if SHOTS:
        for notice in page.locator("button.mantine-Notification-closeButton").all():
            with suppress(playwright.TimeoutError):  # it was about to go by itself
                notice.click(timeout=1e3)
        page.screenshot(path=f"{SHOTS}/{name}.png")


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


def plan(page):
    """Have a motion planned; what was done last is then the planning."""
    press_when_ready(page, "Plan")
    page.get_by_text("planning, by operator").wait_for()


def move(page, name):
    """Press what moves the arm, and say once more that it may."""
    press_when_ready(page, name)
    button(page, "MOVE THE ARM").click()


def rests(page):
    """Wait until the arm rests and nothing is being done."""
    until(lambda: button(page, "Plan").is_enabled())


def test_the_token_opens_and_a_stop_in_motion_stops(view, context):
    address, token = view
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
    plan(page)
    press_when_ready(page, "Preview")
    move(page, "Dry run")
    page.get_by_text(re.compile(r"dry run \w+, tracking error \d+% of the tube")).wait_for()
    shot(page, "moving")
    button(page, "STOP THE ARM").click()
    page.get_by_text(re.compile("stop, by operator|dry run, by operator")).first.wait_for()
    rests(page)
    page.close()


def test_the_whole_flow_ends_with_a_report_and_a_load(robot, page, tmp_path):
    plan(page)
    press_when_ready(page, "Preview")
    until(lambda: button(page, "✓ Preview").count())
    shot(page, "view")
    move(page, "· Run")
    until(lambda: button(page, "✓ Run").count())
    rests(page)
    page.get_by_text(re.compile("GOOD|USABLE|NOT IDENTIFIABLE")).first.wait_for()
    shot(page, "verdict")
    assert not button(page, "Report").is_enabled()  # nothing is saved
    press_when_ready(page, "Save")
    until(lambda: button(page, "✓ Save").count())
    until(lambda: button(page, "Report").is_enabled())
    with page.expect_download() as got:
        button(page, "Report").click()
    got.value.save_as(tmp_path / "report.html")
    assert "<svg" in (tmp_path / "report.html").read_text()
    until(lambda: button(page, "Apply or export").is_enabled())
    with page.expect_download() as got:
        button(page, "Apply or export").click()
    got.value.save_as(tmp_path / "load.yaml")
    assert "mass" in (tmp_path / "load.yaml").read_text()
    shot(page, "exported")
    page.get_by_text("Nothing was sent").first.wait_for()
    plan(page)  # what is in the hand next is another run, which is not saved
    press_when_ready(page, "Preview")
    move(page, "· Run")
    until(lambda: button(page, "✓ Run").count())
    rests(page)
    assert button(page, "· Save").count() == 1 and not button(page, "Apply or export").is_enabled()


def test_a_reload_keeps_the_token_and_a_second_operator_sees_who_has_control(view, page):
    address, token = view
    page.reload()
    button(page, "STOP THE ARM").wait_for()  # without the token: this browser has proved it
    page.get_by_text("You have control").wait_for()

    other = page.context.browser.new_context()  # somebody else's browser
    second = other.new_page()
    second.set_default_timeout(1e3 * PATIENCE)
    second.goto(address)
    button(second, "Enter").wait_for()
    assert button(second, "STOP THE ARM").count() == 0
    enter(second, token)
    second.get_by_text("operator 1 has control").first.wait_for()
    assert not button(second, "Dry run").is_enabled()
    button(second, "Take control").click()
    page.get_by_text("operator 2 has control").first.wait_for()
    assert not button(page, "Dry run").is_enabled()
    button(page, "Take control").click()
    second.get_by_text("operator 1 has control").first.wait_for()
    other.close()


def test_nodes_that_end_are_missed_and_found_again(robot, page):
    assert robot.planner.stop() == 0
    page.get_by_text("The planner is not heard").first.wait_for()
    assert not button(page, "Plan").is_enabled()
    shot(page, "lost")
    robot.planner = robot.start_planner("planner_again.log")
    rests(page)

    def planned():
        plan(page)  # refused while the new planner has not found the bridge
        return page.get_by_text("(fourier), at rest").count()

    until(planned)


EXAMPLES = Path(__file__).parents[4] / "examples"
SENSOR = """
force_error: 0.05
torque_error: 0.002
linear_acceleration_error: 0.2
angular_acceleration_error: 0.5
prior: {mass_max: 2.0, com_max: 0.15}
"""
STATED = {"friction_coulomb": 0.0, "friction_viscous": 0.0, "rotor_inertia": 0.0}
STATED |= {"link_relative": 0.02, "prior.mass_max": 2.0, "prior.com_max": 0.15}


@pytest.fixture
def xarm(tmp_path):
    """Start all nodes of an xArm7 with a force-torque sensor; give its view's address and token."""
    nodes = []
    bounds = {f"uncertainty.{name}": value for name, value in STATED.items()}
    (tmp_path / "sensor.yaml").write_text(SENSOR)
    moved = bounds | {
        "cell": "none, a simulation", "clock_tolerance": 15.0, "payload_box": "[0.1, 0.1, 0.1]",
        "payload_box_centre": "[0.0, 0.0, 0.08]",
    }  # fmt: skip
    sensor = str(EXAMPLES / "simulated_wrench.py")
    for name, values in {
        "simulated_arm": {"payload": PAYLOAD, "physics_step": 1e-3},
        "wrench_sampler": {"bag": tmp_path / "run"},
        "estimator": bounds | {
            "source": "wrench", "wrench_uncertainty": tmp_path / "sensor.yaml",
            "recordings_folder": tmp_path,
        },
        "bridge": moved | {"silence": 1.0},
        "planner": moved | {
            "source": "wrench", "wrench_uncertainty": tmp_path / "sensor.yaml",
            "certificates_folder": tmp_path / "certificates",
        },
    }.items():  # fmt: skip
        log = tmp_path / f"{name}.log"
        nodes.append(NodeProcess(name, XARM_DOMAIN, log, robot_file="xarm7", **values))
    played = subprocess.Popen(
        [sys.executable, sensor, "xarm7", *map(str, PAYLOAD)],
        env={**os.environ, "ROS_DOMAIN_ID": str(XARM_DOMAIN)},
    )
    with serving("xarm7", XARM_DOMAIN, tmp_path) as address_and_token:
        yield address_and_token
    played.send_signal(signal.SIGINT)
    codes = [node.stop() for node in reversed(nodes)]
    assert played.wait(30.0) == 0
    assert codes == [0] * len(nodes), "\n".join(node.printed() for node in nodes)


def test_an_xarm7_with_a_sensor_is_identified_from_the_page(xarm, context):
    page = opened(context, *xarm)
    plan(page)
    press_when_ready(page, "Preview")
    move(page, "· Run")
    until(lambda: button(page, "✓ Run").count())
    rests(page)
    page.get_by_text("GOOD").first.wait_for()
    shot(page, "xarm")
    press_when_ready(page, "Save")
    until(lambda: button(page, "✓ Save").count())
    page.close()
