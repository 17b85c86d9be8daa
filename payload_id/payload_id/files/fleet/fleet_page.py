"""The page of a fleet: arms by health, payloads by agreement, what is odd first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import ConfigurationError
from ...core.fleet.trend import LEAST
from ...core.identification.settings import Settings
from ...core.identification.status import FAILED
from ..reports import setting
from ..reports.pictures import svg
from .arms import Arm, arms_of
from .figures import mass_figure, offsets_figure
from .fleet_table import ANEW, FleetTable
from .payloads import Payload, payloads_of

REPORT = "report.html"  # beside a saved run's bag, or in it; see ./payload-id report
ODD = 60  # rows that are listed one by one
FAILING = {status.value for status in FAILED}


@dataclass(frozen=True)
class Fleet:
    """What a table of results tells.

    Attributes:
        folder: Of the results.
        rows: All rows.
        verdicts: How many of each, "error" among them.
        arms: Those with trouble first.
        payloads: Those with trouble first.
        odd: Rows to look at: those without intervals, the most contradictory first.
    """

    folder: Path
    rows: tuple[Mapping[str, Any], ...]
    verdicts: Mapping[str, int]
    arms: tuple[Arm, ...]
    payloads: tuple[Payload, ...]
    odd: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, table: FleetTable, settings: Settings | None = None) -> Fleet:
        """Return what a table tells.

        Args:
            table: The results.
            settings: How payloads with several runs are estimated; None: as usual.

        Raises:
            ConfigurationError: A result is damaged.
        """
        rows = tuple(table.rows())
        try:
            return cls(
                folder=table.folder,
                rows=rows,
                verdicts=Counter(row["verdict"] or "error" for row in rows),
                arms=arms_of(rows),
                payloads=payloads_of(table, settings or Settings()),
                odd=tuple(
                    sorted(
                        (x for x in rows if x["error"] is not None or x["verdict"] in FAILING),
                        key=_oddness,
                    )
                ),
            )
        except ConfigurationError:
            raise
        except (TypeError, ValueError, LookupError) as error:  # what values of a row may raise
            raise ConfigurationError(
                f"Values of a result in {table.folder} do not fit each other: it was changed, or "
                f"is of another version. Remove it, and {ANEW}"
            ) from error

    def sentences(self) -> tuple[str, ...]:
        """Return what to look at, most important first; nothing if nothing is odd."""
        said = [f"{arm.name}: {text}" for arm in self.arms for each in arm.drifting
                for text in each.sentences()]  # fmt: skip
        for arm in self.arms:
            if arm.inconsistent > 0.0:
                asked = ", ".join(name for name, _ in Counter(arm.asked_for).most_common(2))
                said.append(
                    f"{arm.name}: {arm.inconsistent:.0%} of its runs contradict the stated bounds"
                    + (f", most of all {asked}." if asked else ".")
                )
        for payload in self.payloads:
            if payload.common is not None and payload.common.status in FAILED:
                said.append(f"{payload.name}: {payload.common.message}")
            if payload.missed:
                said.append(
                    f"{payload.name}: {len(payload.missed)} intervals miss the mass of "
                    f"{payload.known_mass:g} kg that the manifest states."
                )
        if wrong := self.verdicts.get("error", 0):
            number = "1 recording" if wrong == 1 else f"{wrong} recordings"
            said.append(f"{number} could not be used; the last table says why.")
        return tuple(said)

    def sound(self) -> tuple[str, ...]:
        """Return what was looked at where nothing is odd, and what could not be."""
        unseen = [arm.name for arm in self.arms if not arm.watched]
        return (
            "Every recording could be used, and none contradicts its stated bounds.",
            f"Drifts take {LEAST} runs with a date; too few are of {', '.join(unseen)}."
            if unseen
            else "Nothing drifts.",
            "Runs of one payload agree."
            if any(len(each.used) > 1 for each in self.payloads)
            else "Of no payload there are two runs to compare.",
        )


def _oddness(row: Mapping[str, Any]) -> tuple[bool, float]:
    """Return by what odd rows are ordered: errors first, then by contradiction."""
    return row["error"] is None, -(row["noise_factor"] or 0.0)


def as_html(fleet: Fleet) -> str:
    """Return one page that needs no other file."""
    here = Path(__file__).parent
    environment = setting.page_environment(here, Path(setting.__file__).parent)
    pictures = {
        "arms": [_svg(offsets_figure(arm), f"arm{k}") for k, arm in enumerate(fleet.arms)],
        "payloads": [_svg(mass_figure(each), f"p{k}") for k, each in enumerate(fleet.payloads)],
    }
    environment.filters["report_of"] = report_of
    return (
        environment.get_template("fleet.html.j2").render(
            fleet=fleet, colours=setting.COLOURS, pictures=pictures, odd=fleet.odd[:ODD]
        )
        + "\n"
    )


def report_of(bag: str) -> str:
    """Return the address of a recording's own report; empty where there is none."""
    for folder in (Path(bag), Path(bag).parent):
        page = folder / REPORT
        if "://" not in bag and page.is_file():
            return page.resolve().as_uri()
    return ""


def _svg(figure: Any, name: str) -> str:
    """Return a figure as an element of the page, nothing for none."""
    return "" if figure is None else svg(figure, name)
