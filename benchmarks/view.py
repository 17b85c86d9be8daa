"""What the live view costs: `benchmarks/view.py`.

    ./payload-id python benchmarks/view.py --seconds 60

Starts the view, has a moving arm's joint states published at 250 Hz, and opens no page, one, three:
clients that take everything that is sent to a page and draw nothing. Prints the view's share of one
core, how often a second the arm was moved on each page, and how its memory grew meanwhile.
Everything stays on this machine and ends by itself.

    ./payload-id python benchmarks/view.py --browser-minutes 60

opens one page in Chromium instead (with Playwright, see test_view_in_browser.py), and prints what
view and page hold.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

os.environ.setdefault("ROS_DOMAIN_ID", "83")  # before rclpy: nobody else hears these nodes
os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "payload_id" / "test" / "support"))

import numpy as np
import rclpy
from rclpy.node import Node
from sensor_msgs.msg import JointState

from payload_id import RobotFile
from raw_page import RawPage  # lies in the folder of tests

ROBOT = "kinova_gen3"
RATE = 250.0  # of the joint states [Hz]
PAGES = (0, 1, 3)
SETTLED = 3.0  # [s] after pages were opened
TENTHS = 10
CHROMIUM_FLAGS = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
                  "--enable-unsafe-swiftshader")  # fmt: skip
MOVED = "SetOrientationMessage"


def publish(ended: threading.Event) -> None:
    """Publish joint states until told to end."""
    robot = RobotFile.load(ROBOT)
    node = Node("joint_states")
    publisher = node.create_publisher(JointState, robot.joint_states.topic, 10)
    zeros = np.zeros(robot.n).tolist()
    while not ended.wait(1.0 / RATE):
        message = JointState(name=list(robot.joints), velocity=zeros, effort=zeros)
        message.header.stamp = node.get_clock().now().to_msg()
        message.position = (0.5 * np.sin(time.monotonic() + np.arange(robot.n))).tolist()
        publisher.publish(message)
    node.destroy_node()


def processor_time(pid: int) -> float:
    """Return what a process has used [s]."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Return what it holds [MB]."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(process: subprocess.Popen[bytes], port: int, pages: int, seconds: float) -> None:
    """Open pages, and print what they cost."""
    opened = [RawPage(port) for _ in range(pages)]
    time.sleep(SETTLED)
    for page in opened:
        page.messages.clear()
    used, held, begin = processor_time(process.pid), memory(process.pid), time.monotonic()
    time.sleep(seconds)
    elapsed = time.monotonic() - begin
    share = (processor_time(process.pid) - used) / elapsed
    links = {m["name"] for page in opened for m in page.messages if m["type"] == MOVED}
    moved = [sum(m["type"] == MOVED for m in page.messages) for page in opened]
    rates = [f"{count / max(len(links), 1) / elapsed:.0f}" for count in moved]
    grown = memory(process.pid) - held
    print(
        f"{pages} pages: {share:.0%} of a core, scene moved {', '.join(rates) or '-'} times a "
        f"second, memory {held:.0f} MB {grown:+.1f} MB"
    )
    for page in opened:
        page.close()


def watch_browser(process: subprocess.Popen[bytes], port: int, minutes: float) -> None:
    """Keep one page open in a browser, and print what view and page hold."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = running.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport={"width": 480, "height": 320})
        page.goto(f"http://127.0.0.1:{port}")
        asked = page.context.new_cdp_session(page)
        asked.send("Performance.enable")
        for k in range(TENTHS + 1):
            asked.send("HeapProfiler.collectGarbage")
            metrics = asked.send("Performance.getMetrics")["metrics"]
            told = {entry["name"]: entry["value"] for entry in metrics}
            print(
                f"{k * minutes / TENTHS:5.1f} min: view {memory(process.pid):.0f} MB, page "
                f"{told['JSHeapUsedSize'] / 1e6:.1f} MB in {told['Nodes']:.0f} nodes",
                flush=True,
            )
            page.wait_for_timeout(60e3 * minutes / TENTHS if k < TENTHS else 0.0)
        browser.close()


def main() -> None:
    """Start everything, measure, end it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each number of pages")
    parser.add_argument("--browser-minutes", type=float, help="that a page stays open in Chromium")
    arguments = parser.parse_args()
    rclpy.init()
    ended = threading.Event()
    publisher = threading.Thread(target=publish, args=(ended,))
    publisher.start()
    with tempfile.NamedTemporaryFile("w+") as log:
        command = [
            sys.executable,
            "-m",
            "payload_id.ros.view.node",
            "--robot",
            ROBOT,
            "--port",
            "0",
        ]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            while not (found := re.search(r"http://[^:]+:(\d+)", Path(log.name).read_text())):
                if process.poll() is not None:
                    raise SystemExit(Path(log.name).read_text())
                time.sleep(0.2)
            port = int(found.group(1))
            if arguments.browser_minutes is not None:
                watch_browser(process, port, arguments.browser_minutes)
            else:
                for pages in PAGES:
                    measure(process, port, pages, arguments.seconds)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30.0)
            ended.set()
            publisher.join()
            rclpy.try_shutdown()


if __name__ == "__main__":
    main()
