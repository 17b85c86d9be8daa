"""Futures of other threads, awaited by callbacks: the node's executor passes each on."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

from payload_id.ros.common.awaited_answers import awaitable


def test_answers_and_errors_reach_who_waits_once_the_executor_passes_them_on():
    tasks, failed, fine = [], Future(), Future()
    node = SimpleNamespace(executor=SimpleNamespace(create_task=tasks.append))
    awaited = [awaitable(node, failed), awaitable(node, fine)]
    failed.set_exception(ValueError("it failed"))
    fine.set_result("fine")
    assert not any(x.done() for x in awaited)
    for task in tasks:
        task()
    assert isinstance(awaited[0].exception(), ValueError) and awaited[1].result() == "fine"
