"""A driver that takes loads, and commands given to its user: a program, driven by lines of JSON.

Each line of its input has how the driver is to behave and the arguments of a command; each line of
its output the command's exit code and words, and all loads that the driver was told.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import threading
import time
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import rclpy
from builtin_interfaces.msg import Time
from control_msgs.msg import DynamicJointState, InterfaceValue
from payload_id_msgs.msg import PayloadEstimate, PayloadEvent
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from ur_msgs.srv import SetPayload
from xarm_msgs.srv import SetTcpLoad

from payload_id.cli.main import main
from payload_id.ros.common.topics import EVERY
from payload_id.ros.loads import load_service

load_service.LOOK = 0.25  # [s]: this driver says all 50 times a second

INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


class Driver:
    """Drivers of an xArm and of a UR, as their users see them."""

    def __init__(self, joints: list[str], namespace: str) -> None:
        rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
        self.node = node = rclpy.create_node("driver")
        self.joints, self.told, self.began = joints, [], time.monotonic()
        self.be: dict[str, Any] = {}
        self.words = io.StringIO()  # of the command
        self.load: dict[str, float] = dict.fromkeys(
            ["mass", "cog.x", "cog.y", "cog.z", *(f"inertia.{x}" for x in INERTIA)], 0.0
        )
        node.create_service(SetTcpLoad, "/xarm/set_tcp_load", self.on_xarm)
        place = f"{namespace}/io_and_status_controller/set_payload"
        node.create_service(SetPayload, place, self.on_ur)
        states, everything = f"{namespace}/joint_states", f"{namespace}/dynamic_joint_states"
        self.states = node.create_publisher(JointState, states, 10)
        self.everything = node.create_publisher(DynamicJointState, everything, 10)
        self.mode = node.create_publisher(Bool, f"{namespace}/running", 10)
        place = f"{namespace}/payload_estimator/payload"
        self.estimates = node.create_publisher(PayloadEstimate, place, EVERY)
        self.events = node.create_publisher(PayloadEvent, f"{place}_event", EVERY)
        node.create_timer(0.02, self.publish)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        threading.Thread(target=executor.spin, daemon=True).start()

    def publish(self) -> None:
        speed = 0.1 if self.be.get("moving") else 0.0
        message = JointState(name=self.joints)
        message.header.stamp = self.node.get_clock().now().to_msg()
        message.position = [speed * (time.monotonic() - self.began)] * len(self.joints)
        message.velocity = [speed] * len(self.joints)
        self.states.publish(message)
        self.happen()
        self.mode.publish(Bool(data=not self.be.get("stopped")))
        said = InterfaceValue(interface_names=list(self.load), values=list(self.load.values()))
        shoulder = InterfaceValue(interface_names=["position"], values=[0.0])
        self.everything.publish(
            DynamicJointState(
                joint_names=["shoulder", "payload"], interface_values=[shoulder, said]
            )
        )

    def happen(self) -> None:
        """Say what happens to the hand, again and again until the command has sent it."""
        hand = self.be.get("hand", [])
        if not hand:
            return
        sent = self.words.getvalue().count("Sent, ")
        if sent == len(hand):
            self.be = {}
            os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C
            return
        step = hand[sent]
        since = Time(sec=step["since"])
        if "phi" not in step:
            self.events.publish(PayloadEvent(kind="released", since=since))
            return
        message = PayloadEstimate(status=step["status"], held_since=since, phi=step["phi"])
        message.header.frame_id = "end_effector_link"
        message.lower, message.upper = (
            [x + s * step["half"] for x in step["phi"]] for s in (-1, 1)
        )
        message.identifiable = [True] * 10
        self.estimates.publish(message)

    def on_xarm(self, request: Any, response: Any) -> Any:
        place = [float(x) for x in request.center_of_gravity]
        self.told.append({"weight": request.weight, "center_of_gravity": place})
        response.ret = int(self.be.get("ret", 0))
        response.message = "as it is"
        return response

    def on_ur(self, request: Any, response: Any) -> Any:
        com = request.center_of_gravity
        told = {"mass": request.mass, "cog.x": com.x, "cog.y": com.y, "cog.z": com.z}
        told |= {f"inertia.{x}": getattr(request, x) for x in INERTIA}
        self.told.append({**told, "transition_time": request.transition_time})
        response.success = not self.be.get("refuses", False)
        if response.success:
            self.load = told
        return response


def serve() -> None:
    """Do what is asked for, one line after the other."""
    driver = Driver(**json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        asked = json.loads(line)
        driver.be = asked["be"]
        driver.told.clear()
        driver.words = words = io.StringIO()
        with redirect_stdout(words), redirect_stderr(words):
            code = main(asked["argv"])
        answer = {"code": code, "words": words.getvalue(), "told": driver.told}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
