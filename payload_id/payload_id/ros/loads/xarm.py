"""uFactory xArm: xarm_msgs/srv/SetTcpLoad, in kilograms and millimetres, in the flange's axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from .load_writer import LoadWriter, Values


class XArmLoad(LoadWriter):
    """The driver does not say which load the arm has."""

    name: ClassVar[str] = "xarm"
    effects: ClassVar[str] = (
        "The arm then waits in state 5 and takes no motion until the services set_mode and "
        "set_state of the robot file's driver.reset are called. It forgets the load when it is "
        "switched off, unless save_conf is called. Its collision detection and its estimates of "
        "joint torques rest on this load: whether it is taken out of them is not documented."
    )
    state_type: ClassVar[str] = ""

    def fill(self, request: Any, values: Values) -> None:
        """Put values into a request; the driver takes exactly three lengths."""
        request.weight = float(values["weight"])
        request.center_of_gravity = [float(x) for x in values["center_of_gravity"]]

    def refusal(self, response: Any) -> str:
        """Return the driver's number and words; 0 is done."""
        return "" if response.ret == 0 else f"ret {response.ret}, {response.message!r}"

    def state(self, message: Any, joints: Sequence[str]) -> dict[str, Any] | None:
        """Return nothing."""
        return None
