"""An arm that is told of a load: the load is recorded, written, and read back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.identification.status import Status
from ...files.configuration.atomic_write import save
from ...files.export.load_record import LoadRecord
from ...ros.loads.franka import FrankaLoad
from ...ros.loads.load_service import LoadService, NotAppliedError, NotTakenError
from ...ros.loads.load_writer import LoadWriter, differences
from ...ros.loads.ur import UniversalRobotsLoad
from ...ros.loads.xarm import XArmLoad

WRITERS: dict[str, LoadWriter] = {
    writer.name: writer for writer in (XArmLoad(), UniversalRobotsLoad(), FrankaLoad())
}
APPLIED = (Status.GOOD, Status.TOO_WIDE)


@contextmanager
def doubt_said(service: str) -> Iterator[None]:
    """Say what is not known if somebody interrupts while a load is on its way."""
    try:
        yield
    except KeyboardInterrupt:
        print(
            f"Interrupted while {service} was being told: it is not known which load the arm has "
            "now. Look at it before it moves."
        )
        raise


def write(
    service: LoadService,
    request: Any,
    record: LoadRecord,
    place: Path,
    has: dict[str, Any] | None,
) -> None:
    """Write a load; the record is kept before, and goes back to what it was if it is refused.

    Raises:
        NotAppliedError: The driver did not take it, or says so while the arm has another load.
    """
    earlier = place.read_bytes() if place.is_file() else None
    record.save(place)
    try:
        service.write(request)
    except NotTakenError as error:
        now = service.state()
        if now is not None and has is not None and (changed := differences(has, now)):
            replace(record, said=now).save(place)
            raise NotAppliedError(
                f"{error} But the arm has another load than before: {'; '.join(changed)}. Look at "
                f"it before it moves; --undo sends what it had before ({place})."
            ) from error
        if earlier is None:
            place.unlink()
        else:
            save(place, earlier, "record of the load")
        raise


def taken(service: LoadService, record: LoadRecord, place: Path) -> bool:
    """Return whether the arm says that it has the load; keep what else it says."""
    try:
        return service.check_taken(record.written)
    except NotAppliedError:
        with suppress(NotAppliedError):
            said = service.state()
            if said is not None and (record.before is None or differences(record.before, said)):
                replace(record, said=said).save(place)
        raise


def report(service: LoadService, has_it: bool) -> None:
    """Say what was found."""
    print(
        "Sent; the arm says that it has it."
        if has_it
        else "Sent, and the driver said yes. The arm does not say which load it has: compare it on "
        "the pendant."
    )
    for words in service.unwatched:
        print(f"Not checked: {words}")
