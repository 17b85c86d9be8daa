"""What callbacks and threads outlive: counted, said once in a while, shown in diagnostics."""

from __future__ import annotations

import threading

from payload_id.core.errors import InputError
from payload_id.ros.common.diagnostics import Condition, Level, with_errors
from payload_id.ros.common.error_sentence import OutlivedErrors
from payload_id.ros.common.main_loop import run
from payload_id.ros.runs.looping_thread import LoopingThread
from promises.nodes import next_domain

DOMAIN = next_domain()


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as found:
        return found


def test_every_error_is_counted_and_one_of_a_kind_is_logged(capfd):
    errors = OutlivedErrors()
    for k in range(5):
        errors.note(raised(KeyError(f"number {k}")))
    errors.note(raised(InputError("The input cannot be used.")))
    assert errors.count == 6
    assert errors.newest == "The input cannot be used."
    printed = capfd.readouterr().err
    assert "number 0" in printed and "The node goes on." in printed
    assert "number 1" not in printed


def test_whatever_a_node_raises_when_it_starts_ends_it_in_a_sentence(capfd):
    def fails():
        raise ValueError("nobody thought of it")

    assert run([fails], []) == 1
    printed = capfd.readouterr().err
    assert "nobody thought of it" in printed and "Traceback" not in printed


def test_a_thread_goes_on_whatever_a_step_raises(monkeypatch):
    errors = OutlivedErrors()
    monkeypatch.setattr("payload_id.ros.runs.looping_thread.OUTLIVED", errors)
    steps, enough = [], threading.Event()

    def step() -> None:
        steps.append(len(steps))
        if len(steps) >= 3:
            enough.set()
        raise (ValueError("bad"), InputError("worse"), MemoryError("most"))[len(steps) % 3]

    thread = LoopingThread("test", step)
    assert enough.wait(10.0)
    thread.close()
    assert errors.count == len(steps)


def test_diagnostics_tell_of_errors_and_outlive_their_own(monkeypatch):
    errors = OutlivedErrors()
    monkeypatch.setattr("payload_id.ros.common.diagnostics.OUTLIVED", errors)
    fine = Condition(Level.OK, "All is well.", {"rate": 1.0})
    assert with_errors(lambda: fine) == fine
    errors.note(raised(ValueError("once")))
    soon = with_errors(lambda: fine)
    assert soon.level is Level.WARN
    assert "once" in soon.sentence and "All is well." in soon.sentence
    assert soon.figures["errors outlived"] == 1 and soon.figures["rate"] == 1.0
    errors.at -= 60.0
    later = with_errors(lambda: fine)
    assert (later.level, later.figures["errors outlived"]) == (Level.OK, 1)
    failing = with_errors(lambda: 1 / 0)
    assert failing.level is Level.ERROR and "ZeroDivisionError" in failing.sentence
