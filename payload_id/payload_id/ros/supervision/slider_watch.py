"""A pendant's speed slider before a motion: none begins that would be slower than certified.

One that is turned down in motion is followed on the path: `speed_slider` of the execution.
"""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.node import Node

from ...core.safety.tube.tracking_tube import TrackingTube
from ..execution.speed_slider import SpeedSlider
from .watch import Found, Watch


class SliderWatch(Watch):
    """Judges what the slider reported last."""

    def __init__(self, node: Node, slider: SpeedSlider) -> None:
        """Note whose.

        Args:
            node: The node.
            slider: What has been heard.
        """
        self._node, self._slider = node, slider

    def attend(self) -> None:
        """Do nothing: the node hears the slider."""

    def begin(self, start_ns: int, tube: TrackingTube) -> None:
        """Do nothing: the execution follows the slider."""

    def doubt(self) -> str:
        """Say that a motion would not take the time for which it was certified."""
        if self._slider.is_full:
            return ""
        return (
            f"The speed is turned down to {self._slider.percent:.0f} % ({self._slider.topic}): the "
            "motion would not keep the times of its certificate. Turn it up to 100 %, or plan a "
            "slower motion (speed_scale)."
        )

    def fault(self) -> Found | None:
        """Return nothing: an arm that is slowed down is followed on its path."""
        return None

    def unwatched(self) -> Sequence[str]:
        """Say that a slider is stated, and nobody reports it."""
        topic = self._slider.topic
        if not topic or self._node.count_publishers(topic):
            return ()
        return (f"{topic} (speed slider): nobody publishes it.",)
