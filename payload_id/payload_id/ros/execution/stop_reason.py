"""Why motions end, as messages and diagnostics say it."""

from __future__ import annotations

from enum import Enum

from payload_id_msgs.msg import StopReason


class Reason(Enum):
    """Names of the constants of payload_id_msgs/StopReason, each with what follows from it."""

    COMPLETED = "The motion was completed."
    CANCELLED = "The motion was called off."
    JOINT_STATES_LOST = (
        "Check the robot's driver and the network, and look at the arm before it moves again."
    )
    TUBE_LEFT = (
        "Check whether the arm touches something and its controller is active; otherwise state a "
        "wider tracking error in the robot file (control.tracking_*) and plan again."
    )
    ESTIMATE_INCONSISTENT = (
        "No payload explains the data: inspect the grasp, then read the estimator's message."
    )
    OBSTACLES_CHANGED = "Plan again with the obstacles of now."
    NO_FURTHER_PLAN = "No further piece was certified in time."
    TARGET_REACHED = "All half-widths are as small as asked for."
    NO_PROGRESS = "Another piece would hardly narrow the intervals (least_progress)."
    PIECES_DONE = "As many pieces as asked for were executed."
    REFUSED = "This motion does not begin."
    NOT_STARTED = "Check that the arm's trajectory controller is active."
    SHUT_DOWN = "It moves the arm no longer."
    CLOCK_FAULT = (
        "Synchronise the clocks of robot and computer, or set use_sim_time where time is "
        "simulated; the parameter clock_tolerance says how far they may be apart."
    )
    FOREIGN_COMMAND = "Only one node may command the arm: end the other one."
    NOT_ENABLED = "The arm moves only while allow_motion is true and the topic enable says true."
    INTERVALS_LEFT = "Plan again with the intervals of now."
    BEHIND = (
        "Something slows it down: the speed slider of a pendant (name its topic in "
        "driver.speed_scaling_topic of the robot file), or a contact."
    )
    PAUSED = "The arm rests on its path: plan anew; an identification goes on with ~/resume."
    CONTINUED = "Another motion takes over from it."
    PASSIVE_JOINT_OFF = (
        "Bring that joint where the robot file says and see that its driver reports it, or change "
        "the robot file (passive_joints, passive_joints_watch) and plan again."
    )
    CONTROLLER_INACTIVE = (
        "Find out who deactivated it; the controller that follows trajectories must be active "
        "before the arm moves again."
    )

    BRIDGE_LOST = (
        "Look at the arm: it goes on to the end of its motion, and nobody may be watching it. "
        "Start the bridge anew."
    )
    CONTROLLER_FAULT = "Look at the arm, and at the log of its controller, before it moves again."
    DRIVER_FAULT = "Commands were dropped meanwhile: look at the arm before it moves again."
    EFFORT_HIGH = (
        "Look whether the arm touches something or its load is heavier than was certified, before "
        "it moves again."
    )

    WATCH_LATE = (
        "Find out what keeps this machine busy, or had the bridge stand still, and look at the arm."
    )
    SPEED_CHANGED = (
        "Turn it up to 100 %, or plan a slower motion (speed_scale): the motion would not keep the "
        "times of its certificate."
    )

    @property
    def has_arm_held(self) -> bool:
        """Whether the arm, or a body of it, may be elsewhere than its certificate assumes.

        Then no further motion is sent, not even a certified stop: the controller is asked to hold.
        """
        return self in (
            Reason.JOINT_STATES_LOST,
            Reason.TUBE_LEFT,
            Reason.CLOCK_FAULT,
            Reason.FOREIGN_COMMAND,
            Reason.BEHIND,
            Reason.PASSIVE_JOINT_OFF,
            Reason.CONTROLLER_INACTIVE,
            Reason.CONTROLLER_FAULT,
            Reason.DRIVER_FAULT,
        )

    @property
    def is_kept(self) -> bool:
        """Whether it is a fault: nothing moves after it until somebody acknowledges."""
        return self.has_arm_held or self in (Reason.EFFORT_HIGH, Reason.WATCH_LATE)

    @property
    def as_asked(self) -> bool:
        """Whether the motion ended as whoever asked for it wanted."""
        return self in (
            Reason.COMPLETED,
            Reason.CONTINUED,
            Reason.TARGET_REACHED,
            Reason.NO_PROGRESS,
            Reason.PIECES_DONE,
        )


def reason_message(reason: Reason, said: str = "") -> StopReason:
    """Return a reason as a message, with a sentence that says it; empty: what follows from it."""
    return StopReason(code=getattr(StopReason, reason.name), sentence=said or reason.value)


def sentence(reason: Reason, detail: str = "") -> str:
    """Return a reason as one or two sentences."""
    found = detail.rstrip(".")
    return f"{found}. {reason.value}" if found else reason.value
