"""Values that show themselves in a notebook; how is said by the layers above, which draw.

The mathematics draws nothing. `payload_id.files.notebooks` fills in `VIEWS` when the package is
imported; without it a value has its plain `repr`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import InputError

View = Callable[[Any], Any]
# By what is asked for ("html", "plot", "pandas") and the class that is shown.
VIEWS: dict[tuple[str, type], View] = {}


class Viewed:
    """A value that a notebook shows as a table or a figure."""

    def _repr_html_(self) -> str | None:
        view = _view(self, "html")
        return None if view is None else str(view(self))

    def plot(self) -> Any:
        """Return a figure of matplotlib, which a notebook shows.

        Raises:
            InputError: There is no figure of such a value.
        """
        return _asked(self, "plot")(self)

    def to_pandas(self) -> Any:
        """Return a table of pandas.

        Raises:
            InputError: There is no table of such a value, or pandas is not installed.
        """
        return _asked(self, "pandas")(self)


def _view(value: object, what: str) -> View | None:
    """Return how a value is shown, by the nearest of its classes."""
    found = (VIEWS.get((what, kind)) for kind in type(value).__mro__)
    return next((view for view in found if view is not None), None)


def _asked(value: object, what: str) -> View:
    """Return how a value is shown.

    Raises:
        InputError: Nobody has said how.
    """
    view = _view(value, what)
    if view is None:
        raise InputError(
            f"A {type(value).__name__} has no {what} view here; import payload_id as a whole."
        )
    return view
