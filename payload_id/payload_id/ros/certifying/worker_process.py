"""Work in a process of its own: neither solver nor interpreter lock delays who watches the arm.

Requests are carried out one after the other. The process lives until it is closed or its parent
is gone; one that dies is replaced, and what it was doing is answered with the reason.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from ...core.errors import InputError
from ...core.threads import one_thread
from ..common.error_sentence import error_sentence

END = 5.0  # [s] that the process may take to end

# In the process: makes what carries out requests, once; then one call for each request.
MakeWorker = Callable[..., Callable[[Any], Any]]


@dataclass(frozen=True)
class Failure:
    """A request could not be carried out.

    Attributes:
        sentence: Why, and what to do.
    """

    sentence: str


class WorkerProcess:
    """Carries out picklable requests in another process; `request` may be called by any thread."""

    def __init__(
        self, name: str, make: MakeWorker, *arguments: Any, longest: float | None = None
    ) -> None:
        """Start the process.

        Args:
            name: What it does, in a word, such as "planning".
            make: A function of a module: called there with the arguments, returns the worker.
            arguments: Picklable.
            longest: Time after which a request is given up, the process's start apart [s]; None:
                it may take any time.
        """
        self._longest, self._name = longest, name
        self._make, self._arguments = make, arguments
        self._closing, self._why = False, ("",)  # another one: what was asked before is given up
        self._process, self._connection = self._started()
        self._thread = ThreadPoolExecutor(1, name)
        self._warm = self._last = self.request(None)  # the first one waits for no modules then

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return bool(self._process.is_alive())

    @property
    def is_warm(self) -> bool:
        """Whether the process has loaded all that it needs."""
        return self._warm.done()

    def request(self, request: Any) -> Future[Any]:
        """Have a request carried out after those before.

        Returns:
            answer: Raises InputError where there is none.
        """
        self._last = future = self._thread.submit(self._carried_out, request, self._why)
        return future

    def give_up(self, why: str) -> None:
        """Answer what is being done, and what waits, with a sentence; the process starts anew."""
        if not self._last.done():
            self._why = (why,)
            self._process.terminate()

    def close(self) -> None:
        """End the process; what it is doing is given up."""
        self._closing = True
        self._process.terminate()
        self._process.join(END)
        self._thread.shutdown(cancel_futures=True)

    def _started(self) -> tuple[Any, Connection]:
        """Start a process; return it and this end of the connection to it."""
        context = multiprocessing.get_context("spawn")  # no copies of ROS's threads and sockets
        here, there = context.Pipe()
        process = context.Process(
            target=_serve, args=(there, self._make, self._arguments), daemon=True, name=self._name
        )
        process.start()
        there.close()  # so that the end of the process is the end of the connection
        self._ready = False  # until it has loaded what it needs, and says so
        return process, here

    def _carried_out(self, request: Any, why: tuple[str]) -> Any:
        """Return the answer to a request; a new process after one that has died."""
        late = ""
        if self._why is not why:
            raise InputError(self._why[0])
        try:
            if not self._ready:
                self._ready = bool(self._connection.recv())
            self._connection.send(request)
            if not self._connection.poll(self._longest):
                late = f"The {self._name} was given up: it took longer than {self._longest:g} s."
                self._process.terminate()
            answer = self._connection.recv()
        except (EOFError, OSError) as error:
            self._process.join(END)
            code = self._process.exitcode
            died = (
                f"The {self._name} process ended unexpectedly (exit code {code}); it was started "
                "anew. Ask again, and report it if it happens again."
            )
            if not self._closing:
                self._process, self._connection = self._started()
            told = late or (self._why[0] if self._why is not why else died)
            raise InputError(told) from error
        if isinstance(answer, Failure):
            raise InputError(answer.sentence)
        return answer


def _serve(connection: Connection, make: MakeWorker, arguments: tuple[Any, ...]) -> None:
    """Carry out requests until the parent is gone."""
    for number in (signal.SIGINT, signal.SIGHUP):  # ctrl-C, the end of a terminal:
        signal.signal(number, signal.SIG_IGN)  # the parent ends this process in order
    worker: Callable[[Any], Any] | Failure
    try:
        worker = make(*arguments)
    except Exception as error:
        worker = Failure(error_sentence(error))
    try:
        connection.send(True)  # it is ready
        with one_thread():
            while True:
                request = connection.recv()
                connection.send(worker if isinstance(worker, Failure) else _answer(worker, request))
    except (EOFError, OSError):
        return


def _answer(worker: Callable[[Any], Any], request: Any) -> Any:
    """Return what the worker answers, or its error as a sentence."""
    try:
        return worker(request)
    except Exception as error:  # whatever it is, the process goes on
        return Failure(error_sentence(error))
