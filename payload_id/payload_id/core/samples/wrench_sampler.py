"""What a sampler does with wrenches and joint states as they arrive; it knows no ROS and no clock.

Accelerations need joint states from both sides, so a wrench is passed on once joint states some way
after it have arrived.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.arm_model import ArmModel
from ..arrays import Array
from ..errors import RecordingError
from .arm_sensor_motion import wrench_samples_of_arm
from .filters import savitzky_golay_window
from .joint_map import JointMap
from .sample_checks import Drop, StreamGate
from .stamps import seconds_since
from .wrench_samples import WrenchSamples

SPLINE_REACH = 30  # joint states beyond which an interpolating spline feels nothing
LONGEST_WAIT = 20_000  # joint states or wrenches that are kept waiting for the others


class WrenchSampler:
    """Joins wrenches with the motion of the arm that carries the sensor.

    Attributes:
        received: Number of wrenches offered.
        accepted: Number of samples handed out.
    """

    def __init__(
        self, model: ArmModel, joints: JointMap, rate: float, bandwidth: float, sign: float = 1.0
    ) -> None:
        """Begin with nothing.

        Args:
            model: The arm, its payload frame that of the sensor.
            joints: Which joints.
            rate: Expected rate of joint states [Hz].
            bandwidth: Highest frequency of the motion that is kept [Hz].
            sign: 1 where the wrench is what the sensor exerts on the payload, -1 the opposite.
        """
        self._model, self._map, self._bandwidth, self._sign = model, joints, bandwidth, sign
        window = savitzky_golay_window(bandwidth, 1.0 / rate, LONGEST_WAIT)
        self._reach = window // 2 + SPLINE_REACH
        self._joint_gate, self._gate = StreamGate(), StreamGate()
        self._joints: deque[tuple[int, Array, Array]] = deque(maxlen=LONGEST_WAIT)
        self._wrenches: deque[tuple[int, Array]] = deque(maxlen=LONGEST_WAIT)
        self.received = self.accepted = 0

    @property
    def delay(self) -> int:
        """Number of joint states by which samples come later than the wrench."""
        return self._reach

    @property
    def dropped(self) -> dict[str, int]:
        """Number of wrenches that were not used, by cause."""
        return dict(self._gate.samples.dropped)

    @property
    def dropped_joint_states(self) -> dict[str, int]:
        """Number of joint states that were not used, by cause."""
        return dict(self._joint_gate.samples.dropped)

    def offer_joints(
        self, stamp_ns: int, names: Sequence[str], position: ArrayLike, velocity: ArrayLike
    ) -> None:
        """Take in joint states."""
        row = self._map.convert(names, position, velocity, ())
        if isinstance(row, Drop):
            self._joint_gate = self._joint_gate.reject(row)
            return
        times = self._joint_gate.clock.times
        self._joint_gate, cause = self._joint_gate.offer(stamp_ns, *row[:2])
        if self._joint_gate.clock.times != times:  # the clock was set back
            self._joints.clear()
        if cause is None:
            self._joints.append((stamp_ns, row[0], row[1]))

    def offer_wrench(self, stamp_ns: int, wrench: Array) -> None:
        """Take in force and torque, shape (6,) [N, N m]."""
        self.received += 1
        times = self._gate.clock.times
        self._gate, cause = self._gate.offer(stamp_ns, wrench)
        if self._gate.clock.times != times:  # the clock was set back
            self._wrenches.clear()
        if cause is None:
            self._wrenches.append((stamp_ns, self._sign * wrench))

    def take(self) -> tuple[NDArray[np.int64], WrenchSamples] | None:
        """Return the samples whose motion is known, with absolute stamps [ns]; None if none is."""
        if len(self._joints) < 2 * self._reach + 2:
            return None
        first, last = self._joints[self._reach][0], self._joints[-1 - self._reach][0]
        ready: list[tuple[int, Array]] = []
        while self._wrenches and self._wrenches[0][0] <= last:
            entry = self._wrenches.popleft()
            if entry[0] >= first:
                ready.append(entry)
        found = self._samples(ready) if ready else None
        self._forget(last)
        if found is not None:
            self.accepted += len(found[0])
        return found

    def _samples(
        self, ready: list[tuple[int, Array]]
    ) -> tuple[NDArray[np.int64], WrenchSamples] | None:
        """Return wrenches with the motion at their instants."""
        origin = self._joints[0][0]
        joint_ns = np.array([entry[0] for entry in self._joints], dtype=np.int64)
        stamp_ns = np.array([entry[0] for entry in ready], dtype=np.int64)
        try:
            samples = wrench_samples_of_arm(
                self._model,
                seconds_since(joint_ns, origin),
                np.array([entry[1] for entry in self._joints]),
                np.array([entry[2] for entry in self._joints]),
                seconds_since(stamp_ns, origin),
                np.array([entry[1] for entry in ready]),
                self._bandwidth,
            )
        except RecordingError:  # all of them lie in a gap of the joint states
            return None
        return origin + np.rint(1e9 * samples.stamp).astype(np.int64), samples

    def _forget(self, last_ns: int) -> None:
        """Drop joint states that no later wrench needs."""
        needed = self._wrenches[0][0] if self._wrenches else last_ns
        while len(self._joints) > 2 * self._reach + 2 and (
            self._joints[self._reach + 1][0] <= min(needed, last_ns)
        ):
            self._joints.popleft()
