"""One thread for linear algebra: matrices here are small, and sums must not depend on the machine.

With several threads the libraries behind NumPy spend more time on waiting than on work at these
sizes, and may add numbers up in another order from run to run; a replay could then differ from the
live run in the last bits.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """Return the controller of the libraries that are loaded."""
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which linear algebra uses one thread."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited
