"""The views of `core/views.py`, filled in: who imports this has values show themselves."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ...core.body.inertial import PARAMETERS, UNITS
from ...core.errors import InputError
from ...core.identification.estimate import Estimate
from ...core.safety.certificate.certificate import Certificate
from ...core.views import VIEWS
from ..recordings.recording import Recording


def html_by(name: str) -> Any:
    """Return what shows a value as HTML by a function of `tables`."""

    def html(value: Any) -> str:
        from . import tables  # where somebody looks: it takes long to import

        return str(getattr(tables, name)(value))

    return html


def estimate_plot(estimate: Estimate) -> Any:
    """Return the payload at its frame, from three sides.

    Raises:
        InputError: There is no point estimate.
    """
    from ..figures.payload_figure import payload_figure
    from ..reports.quantities import AXES, groups_of, quantity

    if not np.isfinite(estimate.phi).all():
        raise InputError(f"There is no point estimate to draw: {estimate.status.value}.")
    ends = [quantity(groups_of(estimate), f"c_{axis}") for axis in AXES]
    low, high = (np.array([getattr(q, end) / 1e3 for q in ends]) for end in ("lower", "upper"))
    return payload_figure(estimate.phi, low, high, estimate.payload_frame, (8.6, 3.2))


def estimate_pandas(estimate: Estimate) -> Any:
    """Return the ten parameters, one a row."""
    columns = {
        "phi": estimate.phi, "lower": estimate.lower, "upper": estimate.upper,
        "unit": list(UNITS), "identifiable": estimate.identifiable,
    }  # fmt: skip
    return _pandas().DataFrame(columns, index=list(PARAMETERS))


def recording_pandas(recording: Recording) -> Any:
    """Return the samples, one a row, with the stamp as the index."""
    names = recording.joints or tuple(str(j) for j in range(recording.n))
    columns = {
        f"{what} {name}": values[:, j]
        for what, values in (("q", recording.q), ("dq", recording.dq), ("tau", recording.tau))
        for j, name in enumerate(names)
    }
    index = _pandas().Index(recording.stamp, name="stamp [s]")
    return _pandas().DataFrame(columns, index=index)


def certificate_pandas(certificate: Certificate) -> Any:
    """Return the margins, one a row."""
    rows = [(m.left, m.value, " and ".join(m.where), m.start, m.end) for m in certificate.margins]
    return _pandas().DataFrame(
        rows,
        index=[m.constraint for m in certificate.margins],
        columns=["left", "value", "where", "start", "end"],
    )


def _pandas() -> Any:
    """Return pandas.

    Raises:
        InputError: It is not installed.
    """
    try:
        return importlib.import_module("pandas")
    except ModuleNotFoundError as error:
        raise InputError(
            "pandas is not installed: pip install pandas. The same numbers are arrays: phi, lower "
            "and upper of an estimate; stamp, q, dq and tau of a recording."
        ) from error


VIEWS.update(
    {
        ("html", Estimate): html_by("estimate_html"),
        ("html", Recording): html_by("recording_html"),
        ("html", Certificate): html_by("certificate_html"),
        ("plot", Estimate): estimate_plot,
        ("pandas", Estimate): estimate_pandas,
        ("pandas", Recording): recording_pandas,
        ("pandas", Certificate): certificate_pandas,
    }
)
