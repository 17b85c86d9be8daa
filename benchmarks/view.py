"""What the live view costs: `benchmarks/view.py`.

    ./payload-id python benchmarks/view.py --seconds 60

Starts the view, has a moving arm's joint states published at 250 Hz, and opens no page, one, three:
clients that take everything that is sent to a page and draw nothing. Prints the view's share of one
core, how often a second the arm was moved on each page, and how its memory grew meanwhile.
Everything stays on this machine and ends by itself.
"""

from __future__ import annotations

import argparse
import os
import re
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


def main() -> None:
    """Start everything, measure, end it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="for each number of pages")
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
            for pages in PAGES:
                measure(process, int(found.group(1)), pages, arguments.seconds)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30.0)
            ended.set()
            publisher.join()
            rclpy.try_shutdown()


if __name__ == "__main__":
    main()
