"""What stands behind the controllers: the simulated arm with its drives and sensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.motion.joint_trajectory import DesiredState, JointTrajectory
from ...core.simulation.plant import Plant
from ...core.simulation.sensors import effort_from_torque, measure
from ...files.robots.robot_file import RobotFile
from .controllers.controller import Command, Follow, Hold, Torque
from .controllers.effort import EFFORT
from .setup import build_arm, build_plant, build_sensor, effort_convention


@dataclass(frozen=True, eq=False)
class Reading:
    """What the driver reports of one instant.

    Attributes:
        t: Simulated time [s].
        stamp: Its stamp, with the stamps' error [s].
        q: Positions, shape (n,) [rad or m].
        dq: Velocities, shape (n,) [rad/s or m/s].
        effort: As the driver publishes it, shape (n,).
    """

    t: float
    stamp: float
    q: Array
    dq: Array
    effort: Array


class Hardware:
    """The arm, read and written once a cycle.

    Attributes:
        plant: The simulated arm.
        sensor: Errors of its sensors.
        endless: Which joints are continuous, shape (n,).
        fault: Whether commands are dropped, and the arm stands.
        payload: What is carried from the next step on, shape (10,).
        push: What somebody exerts on each joint, shape (n,) [N m or N].
    """

    def __init__(self, robot: RobotFile, values: dict[str, Any], period: float) -> None:
        """Build what the parameters describe; cycles come every `period` [s]."""
        arm = build_arm(robot, values)
        self.plant: Plant = build_plant(robot, values, period, arm)
        self._drives = None if arm is None else arm.live(period)
        self.sensor = build_sensor(values, self.plant.n)
        self._seed, self._period = [values["seed"], 2], period
        self.reseed()
        self.endless = np.array(robot.continuous)
        self._wrench_noise = np.repeat(values["wrench_noise"], 3)  # of force and torque
        self._sign, self._offset = effort_convention(robot)
        self._takes_torque = robot.driver.executes(EFFORT) is not False
        self.fault, self._stands = False, False
        self.payload, self.push = self.plant.payload_phi, np.zeros(self.plant.n)
        self._last: Command | None = None

    def reseed(self) -> None:
        """Begin the sensors' noise anew."""
        self._random = np.random.default_rng(self._seed)

    def read(self, t: float) -> Reading:
        """Simulate up to a time [s], and return what the sensors make of it."""
        if not np.array_equal(payload := self.payload, self.plant.payload_phi):
            self.plant.set_payload(payload)
        self.plant.push(self.push)
        self.plant.step_to(t)
        state = self.plant.measure()
        if self.plant.armature.any():  # sensors behind the gears show nothing of the rotors
            state = replace(state, tau=state.tau - self.plant.rotor_torque())
        if self._drives is None:
            rows = (state.q[np.newaxis], state.dq[np.newaxis], state.tau[np.newaxis])
        else:
            rows = self._drives(state)
        seen = measure(self.sensor, self._random, np.array([state.t]), *rows)
        effort = effort_from_torque(seen.tau[0], self._sign, self._offset)
        return Reading(state.t, float(seen.stamp[0]), seen.q[0], seen.dq[0], effort)

    def wrench(self) -> Array:
        """Return what a force-torque sensor at the payload frame reads now, shape (6,) [N, N m]."""
        noise = self._wrench_noise * self._random.uniform(-1.0, 1.0, 6)
        return self.plant.payload_wrench() + noise

    def told(self) -> DesiredState:
        """Return what the drives are told now."""
        return self.plant.desired()

    def write(self, commands: Sequence[Command]) -> None:
        """Have the drives do what they are told, one after the other, unless they are in fault."""
        for command in commands:
            # What was followed goes on to count where the drives are told to stay as told last.
            if not (self._stands and isinstance(command, Hold) and command.q is None):
                self._last = command
            if not self._stands:
                self._do(command)
        if self.fault != self._stands:
            self._stands = self.fault
            if self.fault:
                self._do(Hold(self.plant.state[0]))
            elif self._last is not None:
                self._do(self._last)

    def _do(self, command: Command) -> None:
        """Have the drives do something."""
        if isinstance(command, Torque):
            if self._takes_torque:
                self.plant.set_torque(command.tau)
            return
        self.plant.set_torque(None)
        if isinstance(command, Follow):
            self.plant.set_trajectory(self._in_own_turns(command.trajectory), command.start)
        elif command.q is None:
            self.plant.set_trajectory(None)
        else:
            there = JointTrajectory(np.zeros(1), command.q[np.newaxis])
            self.plant.set_trajectory(self._in_own_turns(there))

    def _in_own_turns(self, trajectory: JointTrajectory) -> JointTrajectory:
        """Return a trajectory that begins near where the arm is told to be, whole turns apart."""
        turns = np.rint((self.told().q - trajectory.q[0]) / (2 * np.pi)) * self.endless
        return replace(trajectory, q=trajectory.q + 2 * np.pi * turns)
