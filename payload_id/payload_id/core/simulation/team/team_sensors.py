"""What the robots of a simulated team publish: readings with errors, on their own clocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

import numpy as np

from ...arrays import Array, one_number
from ...errors import InputError
from ...mechanism.readings import JointReadings
from ..effects import quantised
from .scene import TeamScene
from .team_plant import STEP, TeamState

RATE = 100.0  # [Hz] at which robots publish


@dataclass(frozen=True)
class TeamSensors:
    """Errors of each robot's sensors; zero means perfect.

    Attributes:
        encoder: Step of the encoders before the springs and of the gimbal [rad].
        after_encoder: Step of the encoders behind the springs [rad].
        torque_noise: Standard deviation of the springs' torques [N m].
        torque_gain: Largest constant error of the springs' gain [-].
        torque_offset: Largest constant offset of the springs' torques [N m].
        clock: Largest offset of a robot's clock from the first one's [s].
        jitter: Largest error of a stamp beside it [s].
        loss: Probability that a message is lost [-].
    """

    encoder: float = 0.0
    after_encoder: float = 0.0
    torque_noise: float = 0.0
    torque_gain: float = 0.0
    torque_offset: float = 0.0
    clock: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = one_number(getattr(self, entry.name), entry.name)
            if not 0.0 <= value < np.inf:
                raise InputError(f"'{entry.name}' must be finite, 0 or more; found {value!r}.")


@dataclass(frozen=True)
class RobotErrors:
    """What is constant in a run of one robot.

    Attributes:
        clock: Its clock minus that of the first robot [s].
        phase: Steps of the physics by which it reads later than the first robot.
        gain: Of each spring, shape (3,) [-].
        offset: Of each spring, shape (3,) [N m].
    """

    clock: float
    phase: int
    gain: Array
    offset: Array


class TeamReader:
    """Reads the state of a simulated team as its robots do.

    Attributes:
        errors: What is constant, for each robot.
    """

    def __init__(self, scene: TeamScene, sensors: TeamSensors, rng: np.random.Generator) -> None:
        """Draw what is constant in the run."""
        self._n, self._sensors, self._rng = scene.n, sensors, rng
        self._every = round(1.0 / RATE / STEP)
        self.errors = tuple(
            RobotErrors(
                clock=sensors.clock * rng.uniform(-1.0, 1.0) if i else 0.0,
                phase=int(rng.integers(self._every)) if i and sensors.clock else 0,
                gain=1.0 + sensors.torque_gain * rng.uniform(-1.0, 1.0, 3),
                offset=sensors.torque_offset * rng.uniform(-1.0, 1.0, 3),
            )
            for i in range(scene.n)
        )

    def due(self, step: int) -> bool:
        """Tell whether any robot reads after this step of the physics."""
        return any((step - errors.phase) % self._every == 0 for errors in self.errors)

    def read(self, state: TeamState) -> Iterable[tuple[int, JointReadings]]:
        """Yield one reading for each robot that reads now and whose message is not lost."""
        step = round(state.time / STEP)
        sensors, rng = self._sensors, self._rng
        for i, errors in enumerate(self.errors):
            if (step - errors.phase) % self._every:
                continue
            noise, jitter, lost = rng.normal(size=3), rng.uniform(-1.0, 1.0), rng.uniform()
            if lost < sensors.loss:
                continue
            tau = state.tau[i] * errors.gain + errors.offset + sensors.torque_noise * noise
            stamp = state.time + errors.clock + sensors.jitter * jitter
            yield (
                i,
                JointReadings(
                    np.array([stamp]),
                    quantised(state.before[i], sensors.encoder)[None],
                    quantised(state.theta[i], sensors.after_encoder)[None],
                    quantised(state.gimbal[i], sensors.encoder)[None],
                    tau[None],
                ),
            )


def joined(readings: Iterable[JointReadings]) -> JointReadings:
    """Return readings one after the other."""
    parts = list(readings)
    return JointReadings(
        *(
            np.concatenate([getattr(part, entry.name) for part in parts])
            for entry in fields(JointReadings)
        )
    )


def recorded(states: Iterable[TeamState], reader: TeamReader) -> Mapping[int, JointReadings]:
    """Return what the robots publish while a team passes through states, by robot."""
    heard: dict[int, list[JointReadings]] = {}
    for state in states:
        for i, reading in reader.read(state):
            heard.setdefault(i, []).append(reading)
    return {i: joined(parts) for i, parts in heard.items()}
