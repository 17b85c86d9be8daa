"""Work handed out a little ahead, so that neither client nor scheduler grows with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from distributed import Client, Future, as_completed

AHEAD = 3  # items handed out for each thread of the cluster
Item = TypeVar("Item")


def spread(
    client: Client,
    work: Callable[..., Any],
    items: Iterable[Item],
    arguments: Callable[[Item], tuple[Any, ...]] = lambda item: (item,),
) -> Iterator[tuple[Item, Future]]:
    """Yield each item with its answer, in the order in which workers have them.

    Args:
        client: Of the cluster.
        work: What a worker does.
        items: To be worked on.
        arguments: What `work` takes for an item.
    """
    waiting, out = iter(items), dict[str, Item]()
    answers = as_completed(loop=client.loop)

    def hand_out() -> None:
        threads = max(sum(client.nthreads().values()), 1)  # of workers, which come and go
        for item in islice(waiting, max(AHEAD * threads - len(out), 0)):
            future = client.submit(work, *arguments(item), pure=False)
            out[future.key] = item
            answers.add(future)

    hand_out()
    for future in answers:
        yield out.pop(future.key), future
        future.release()
        hand_out()
