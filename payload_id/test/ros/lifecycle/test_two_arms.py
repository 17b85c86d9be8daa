"""Two arms side by side in one domain, with one robot file, told apart by their namespaces."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import GetEstimate
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from harness import NodeProcess, Observer, joint_state
from payload_id.files.robots.robot_file import RobotFile
from promises.nodes import next_domain
from synthetic import PAYLOAD, RATE, measured, robot_file, stamps_ns

DOMAIN = next_domain()
SECONDS = 2.0
PAYLOADS = {"left": PAYLOAD, "right": 0.4 * PAYLOAD}


def estimate(observer: Observer, side: str) -> PayloadEstimate:
    return observer.call(GetEstimate, f"/{side}/payload_estimator/get_estimate").estimate


def has_samples(observer: Observer, side: str, wanted: float) -> bool:
    return estimate(observer, side).samples >= wanted


@pytest.mark.slow
def test_estimates_of_two_arms_do_not_mix(tmp_path):
    file, joints = robot_file(tmp_path), RobotFile.load("kinova_gen3").joints
    samples = {side: measured(tuple(x), SECONDS) for side, x in PAYLOADS.items()}
    observer, nodes, publishers = Observer(DOMAIN), {}, {}
    try:
        for side in PAYLOADS:
            nodes[side] = NodeProcess(
                "identify", DOMAIN, tmp_path / side, "-r", f"__ns:=/{side}",
                "-r", "joint_states:=arm/joint_states", robot_file=file,
            )  # fmt: skip
        for side in PAYLOADS:
            publishers[side] = observer.publisher(JointState, f"/{side}/arm/joint_states")
            assert observer.call(Trigger, f"/{side}/payload_estimator/start").success
        for k, stamp_ns in enumerate(stamps_ns(samples["left"])):
            for side, one in samples.items():
                message = joint_state(stamp_ns, joints, one.q[k], one.dq[k], -one.tau[k])
                publishers[side].publish(message)
            observer.executor.spin_once(timeout_sec=0.0002)
        wanted = SECONDS * RATE * 0.9
        for side, payload in PAYLOADS.items():
            enough = partial(has_samples, observer, side, wanted)
            observer.wait(enough, f"samples of the {side} arm")
            found = estimate(observer, side)
            assert wanted <= found.samples <= len(samples[side])
            assert np.all((found.lower <= payload) & (payload <= found.upper)), found.message
            (other,) = {"left", "right"} - {side}
            assert not found.lower[0] <= PAYLOADS[other][0] <= found.upper[0]
    finally:
        assert [node.stop() for node in nodes.values()] == [0, 0]
        observer.close()
