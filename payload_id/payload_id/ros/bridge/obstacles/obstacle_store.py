"""The obstacles in force: those of the service and those of the topic; it knows no ROS."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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


@dataclass
class ObstacleStore:
    """Obstacles by name; where both sources have one of the same name, the service's counts.

    Attributes:
        unusable: Why the topic's newest message could not be taken; empty if it could. What it said
            is then not known, which counts as danger.
        lifetime: For how long what the topic says counts as known [s]; infinite: for ever.
    """

    lifetime: float = float("inf")
    unusable: str = ""
    _of_service: dict[str, ConvexBody] = field(default_factory=dict)
    _of_topic: dict[str, ConvexBody] = field(default_factory=dict)
    _heard: float | None = None  # when the topic was last heard

    @cached_property
    def bodies(self) -> tuple[ConvexBody, ...]:
        """All of them, by name."""
        every = {**self._of_topic, **self._of_service}
        return tuple(every[name] for name in sorted(every))

    @property
    def names(self) -> list[str]:
        """Their names."""
        return [body.name for body in self.bodies]

    @cached_property
    def digest(self) -> tuple[str, ...]:
        """What tells whether anything has changed: every look at the arm asks it."""
        return tuple(f"{body.name}:{body.digest}" for body in self.bodies)

    def add(self, bodies: Bodies) -> str:
        """Put obstacles beside the others; return a sentence.

        Raises:
            InputError: There would be too many.
        """
        check_number(len({*self._of_service, *bodies}))
        self._set({**self._of_service, **bodies}, self._of_topic)
        return f"{len(bodies)} obstacles were added or replaced; {self._count()}"

    def replace(self, bodies: Bodies) -> str:
        """Have these obstacles and no others; return a sentence."""
        self._set(bodies, {})
        return f"All obstacles were replaced; {self._count()}"

    def remove(self, names: Iterable[str]) -> str:
        """Take obstacles away; return a sentence.

        Raises:
            UnknownNameError: There is none of that name.
            InputError: No name was given.
        """
        wanted = list(names)
        if not wanted:
            raise InputError("Name the obstacles that are to be removed by their ids.")
        known = self.names
        for name in wanted:
            if name not in known:
                raise UnknownNameError("obstacle", name, known)
        service, topic = (
            {name: body for name, body in bodies.items() if name not in wanted}
            for bodies in (self._of_service, self._of_topic)
        )
        self._set(service, topic)
        return f"{len(wanted)} obstacles were removed; {self._count()}"

    def hear(self, bodies: Bodies, now: float) -> None:
        """Take what the topic says now [s] in place of what it said before."""
        self._set(self._of_service, bodies)
        self.unusable, self._heard = "", now

    def cannot_hear(self, why: str, now: float) -> None:
        """Note that the topic said something that cannot be used."""
        self.unusable, self._heard = why, now

    def doubt(self, now: float) -> str:
        """Say why it is not known what is in the way at a time [s]; empty if it is."""
        if self.unusable:
            return f"The newest obstacles on the topic cannot be used: {self.unusable.rstrip('.')}"
        if self._heard is not None and now - self._heard > self.lifetime:
            return (
                f"The obstacles on the topic are {now - self._heard:.2f} s old; at most "
                f"{self.lifetime:g} s are allowed (obstacles_lifetime)"
            )
        return ""

    def _set(self, service: Bodies, topic: Bodies) -> None:
        """Have these obstacles of service and topic from now on."""
        self._of_service, self._of_topic = dict(service), dict(topic)
        for known in ("bodies", "digest"):
            self.__dict__.pop(known, None)

    def _count(self) -> str:
        return f"{len(self.bodies)} are in force."
