"""The simulated arm's own time, which passes as fast as the machine lets it."""

from __future__ import annotations

import time
from collections.abc import Callable

from payload_id_msgs.msg import SampleBlock
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node

from ...ros.client.waiting import NotAnsweredError, wait_for

ARM, SAMPLES = "simulated_arm", "payload_sampler/samples"
STILL = 0.5  # [s] without a sample, after which all that were on their way have arrived
LOOK = 0.1  # [s] between two looks at a time that is far
STALLED = 60.0  # [s] that simulated time may stand still unasked


class SimulatedTime:
    """The stamp of the newest sample; it stands still while the arm is paused.

    Attributes:
        newest: That stamp [ns]; 0 before the first one.
    """

    def __init__(self, node: Node) -> None:
        """Listen, with a node that an executor in another thread serves."""
        self.newest = 0
        self._arrived = time.monotonic()
        self._parameters = node.create_client(SetParameters, f"{ARM}/set_parameters")
        node.create_subscription(SampleBlock, SAMPLES, self._on_block, 10)

    def pause(self, timeout: float) -> int:
        """Have time stand still; return the stamp of the last sample before that [ns].

        Raises:
            NotAnsweredError: The arm does not answer in time.
        """
        self._set(True, timeout)
        wait_for(self._is_still, timeout, "the end of the samples of a paused arm")
        return self.newest

    def go_on(self, timeout: float) -> None:
        """Have time go on."""
        self._set(False, timeout)
        self._arrived = time.monotonic()

    def wait_until(self, stamp: int, meanwhile: Callable[[float], object]) -> None:
        """Wait until a stamp has been reached [ns].

        Args:
            stamp: Which.
            meanwhile: Called now and then with the time that is left [s].

        Raises:
            NotAnsweredError: Time does not pass.
        """
        while (left := stamp - self.newest) > 0:
            meanwhile(1e-9 * left)
            if time.monotonic() - self._arrived > STALLED:
                raise NotAnsweredError(f"Simulated time has stood still for {STALLED:g} s.")
            time.sleep(min(LOOK, max(0.4e-9 * left, 0.005)))

    def _on_block(self, block: SampleBlock) -> None:
        """Note the newest stamp."""
        if len(block.stamp_ns):
            self.newest, self._arrived = int(block.stamp_ns[-1]), time.monotonic()

    def _is_still(self) -> bool:
        """Tell whether no sample has arrived for a while."""
        return time.monotonic() - self._arrived > STILL

    def _set(self, paused: bool, timeout: float) -> None:
        """Set the arm's parameter."""
        wait_for(self._parameters.service_is_ready, timeout, f"the parameters of {ARM}")
        value = ParameterValue(type=ParameterType.PARAMETER_BOOL, bool_value=paused)
        request = SetParameters.Request(parameters=[Parameter(name="paused", value=value)])
        future = self._parameters.call_async(request)
        wait_for(future.done, timeout, f"an answer of {ARM}")
        (result,) = future.result().results
        if not result.successful:
            raise NotAnsweredError(f"{ARM}: {result.reason}")
