"""The obstacles in force: those of the service and those of the topic; it knows no ROS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from ....core.errors import InputError, UnknownNameError
from ....core.safety.clearance.convex_body import ConvexBody

Bodies = Mapping[str, ConvexBody]
MOST = 1000  # obstacles of the service, and of the topic


def check_number(count: int) -> None:
    """Raise where there are more obstacles than can be taken in while an arm moves.

    Raises:
        InputError: There are.
    """
    if count > MOST:
        raise InputError(
            f"At most {MOST} obstacles can be in force; found {count}. Leave out what the arm "
            "cannot reach, and put neighbours together in one body."
        )


@dataclass(frozen=True)
class Obstacles:
    """Obstacles by name; where both sources have one of the same name, the service's counts.

    Attributes:
        lifetime: For how long what the topic says counts as known [s]; infinite: for ever.
        of_service: Those of the service.
        of_topic: Those of the topic.
        heard: When the topic was last heard [s]; None: never.
        unusable: Why the topic's newest message could not be taken; empty if it could. What it said
            is then not known, which counts as danger.
    """

    lifetime: float = float("inf")
    of_service: Bodies = field(default_factory=dict)
    of_topic: Bodies = field(default_factory=dict)
    heard: float | None = None
    unusable: str = ""

    @cached_property
    def bodies(self) -> tuple[ConvexBody, ...]:
        """All of them, by name."""
        every = {**self.of_topic, **self.of_service}
        return tuple(every[name] for name in sorted(every))

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [body.name for body in self.bodies]

    @cached_property
    def digest(self) -> tuple[str, ...]:
        """What tells whether anything has changed: every look at the arm asks it."""
        return tuple(f"{body.name}:{body.digest}" for body in self.bodies)

    def add(self, bodies: Bodies) -> Obstacles:
        """Return them with further obstacles of the service.

        Raises:
            InputError: There would be too many.
        """
        together = {**self.of_service, **bodies}
        check_number(len(together))
        return replace(self, of_service=together)

    def only(self, bodies: Bodies) -> Obstacles:
        """Return these obstacles of the service, and no others."""
        return replace(self, of_service=bodies, of_topic={})

    def without(self, names: Iterable[str]) -> Obstacles:
        """Return them without some.

        Raises:
            UnknownNameError: There is none of that name.
            InputError: No name was given.
        """
        wanted = list(names)
        if not wanted:
            raise InputError("Name the obstacles that are to be removed by their ids.")
        for name in wanted:
            if name not in self.names:
                raise UnknownNameError("obstacle", name, self.names)
        service, topic = (
            {name: body for name, body in bodies.items() if name not in wanted}
            for bodies in (self.of_service, self.of_topic)
        )
        return replace(self, of_service=service, of_topic=topic)

    def hearing(self, bodies: Bodies, now: float) -> Obstacles:
        """Return them with what the topic says now [s] in place of what it said before."""
        return replace(self, of_topic=bodies, heard=now, unusable="")

    def doubt(self, now: float) -> str:
        """Say why it is not known what is in the way at a time [s]; empty if it is."""
        if self.unusable:
            return f"The newest obstacles on the topic cannot be used: {self.unusable.rstrip('.')}"
        if self.heard is not None and now - self.heard > self.lifetime:
            return (
                f"The obstacles on the topic are {now - self.heard:.2f} s old; at most "
                f"{self.lifetime:g} s are allowed (obstacles_lifetime)"
            )
        return ""
