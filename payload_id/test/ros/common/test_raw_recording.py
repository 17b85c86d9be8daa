"""A recording goes on where something that belongs to it cannot be recorded."""

from __future__ import annotations

import pytest
from payload_id_msgs.msg import PayloadEstimate

from harness import LATCHED, Observer
from payload_id.ros.common.raw_recording import RawRecording
from promises.nodes import next_domain

DOMAIN = next_domain()


@pytest.mark.slow
def test_without_definitions_of_estimates_what_is_measured_is_recorded(tmp_path, monkeypatch):
    observer = Observer(DOMAIN)
    try:
        node = observer.node
        node.create_publisher(PayloadEstimate, "/payload_estimator/payload", LATCHED)
        recording = RawRecording(node, str(tmp_path / "bag"), "joint states")
        recording.begin()
        monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
        known = lambda: dict(node.get_topic_names_and_types())  # noqa: E731
        observer.wait(lambda: "/payload_estimator/payload" in known(), "the topic")
        for _ in range(3):
            recording._look_for_companions()  # which a timer calls
        recording.write("/joint_states", "sensor_msgs/msg/JointState", 1, b"\x00\x01\x00\x00" * 8)
        recording.close()
    finally:
        observer.close()
    assert list((tmp_path / "bag").glob("*.mcap"))
    assert recording.loss() == ""
