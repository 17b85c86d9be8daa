"""Values show themselves: tables and figures in a notebook, which runs as it is shipped."""

from __future__ import annotations

import ast
import json
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from payload_id import Estimate, Recording
from payload_id.core.body.inertial import PARAMETERS, from_mass_com_inertia
from payload_id.core.errors import InputError
from payload_id.core.identification.status import Status
from payload_id.core.safety.certificate.certificate import Certificate
from payload_id.core.safety.margins.margin import Margin
from payload_id.core.views import Viewed

NOTEBOOK = Path(__file__).parents[4] / "examples" / "look_at_a_payload.ipynb"
PHI = from_mass_com_inertia(1.2, [0.02, -0.01, 0.06], np.diag([0.004, 0.005, 0.003]))
ESTIMATE = Estimate(
    phi=PHI, lower=PHI - 1e-3, upper=PHI + 1e-3, identifiable=np.ones(10, dtype=bool),
    status=Status.GOOD, message="a < b & c", estimator="lmi", intervals="hull",
    payload_frame="tool<0>",
)  # fmt: skip
RECORDING = Recording(
    stamp=np.arange(5) * 1e-3, q=np.ones((5, 2)), dq=np.zeros((5, 2)), tau=-np.ones((5, 2)),
    joints=("shoulder", "elbow & wrist"),
)  # fmt: skip
CERTIFICATE = Certificate(
    (Margin("torque", ("elbow",), 3.0, 0.75, 0.1, 0.2),
     Margin("obstacles", ("elbow", "table"), 0.012, float("nan"), 0.3, 0.4)),
    ("The cell is as stated.",), {}, 7.5, "normal", 0.1, "0.1.0",
)  # fmt: skip


class Cells(HTMLParser):
    """The texts of a page, and a check that its elements are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts, self.open = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (ESTIMATE, ["GOOD", "1.2000", "kg", "yes"]),
        (RECORDING, ["shoulder", "elbow & wrist", "5 samples, 1000 Hz"]),
        (CERTIFICATE, ["25.0%", "12.0 mm", "elbow and table", "The cell is as stated."]),
    ],
    ids=["estimate", "recording", "certificate"],
)
def test_a_notebook_shows_a_table(value, words):
    found = Cells(value._repr_html_()).texts
    for word in words:
        assert any(word in text for text in found), word


def test_an_estimate_draws_itself_and_says_when_it_cannot():
    assert isinstance(ESTIMATE.plot(), Figure)
    with pytest.raises(InputError, match="no point estimate"):
        Estimate(**{**vars(ESTIMATE), "phi": np.full(10, np.nan)}).plot()
    with pytest.raises(InputError, match="plot"):
        RECORDING.plot()
    assert Viewed()._repr_html_() is None


def test_pandas_is_used_where_it_is_and_missed_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pip install pandas"):
        ESTIMATE.to_pandas()
    made = {}
    stand_in = SimpleNamespace(
        DataFrame=lambda data, **more: made.update(data=data, **more), Index=lambda x, name: x
    )
    monkeypatch.setitem(sys.modules, "pandas", stand_in)
    ESTIMATE.to_pandas()
    assert made["index"] == list(PARAMETERS) and (made["data"]["phi"] == PHI).all()
    RECORDING.to_pandas()
    assert (made["data"]["tau elbow & wrist"] == -1.0).all() and len(made["data"]) == 6
    CERTIFICATE.to_pandas()
    assert made["data"][0][0] == 0.25 and made["index"] == ["torque", "obstacles"]


@pytest.mark.slow
def test_the_notebook_runs_and_each_cell_shows_something(monkeypatch):
    """Cells run as a kernel runs them: the value of a last expression is shown."""
    monkeypatch.syspath_prepend(str(NOTEBOOK.parent))
    names, shown = {}, []
    book = json.loads(NOTEBOOK.read_text())
    assert book["nbformat"] == 4 and all(not cell.get("outputs") for cell in book["cells"])
    for cell in (cell for cell in book["cells"] if cell["cell_type"] == "code"):
        *body, last = ast.parse("".join(cell["source"])).body
        exec(compile(ast.Module(body, []), NOTEBOOK.name, "exec"), names)
        shown.append(eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names))
    recording, estimate, figure, truth, entries = shown
    assert recording._repr_html_() and estimate._repr_html_() and isinstance(figure, Figure)
    assert truth["contained"] and entries["status"] in ("GOOD", "TOO_WIDE")
