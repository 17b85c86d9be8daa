"""Futures of other threads, awaited by callbacks: each is passed on, and only once it is done."""

from __future__ import annotations

from concurrent.futures import Future

from payload_id.ros.common.awaited_answers import AwaitedAnswers


class DoneInBetween(Future):
    """Becomes done just after somebody has found that it is not."""

    def done(self) -> bool:
        before = super().done()
        if not before:
            self.set_result("late")
        return before


def test_an_answer_that_comes_while_others_are_looked_at_is_not_lost():
    answers = AwaitedAnswers()
    awaited = answers.awaitable(DoneInBetween())
    answers.pass_on()
    assert not awaited.done()
    answers.pass_on()
    assert awaited.result() == "late"


def test_an_error_reaches_whoever_waits_for_the_answer():
    answers, failed, fine = AwaitedAnswers(), Future(), Future()
    awaited = [answers.awaitable(failed), answers.awaitable(fine)]
    failed.set_exception(ValueError("it failed"))
    fine.set_result("fine")
    answers.pass_on()
    assert isinstance(awaited[0].exception(), ValueError) and awaited[1].result() == "fine"
