"""Layouts for RViz, PlotJuggler, Foxglove and rqt_robot_monitor show what the nodes publish."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import yaml

from payload_id.ros.access.interfaces import INTERFACES, Way

PACKAGE = Path(__file__).parents[2]
LAYOUTS = PACKAGE / "config" / "layouts"


def published() -> dict[str, tuple[str, str]]:
    """Return type and quality of each topic that a node publishes, by its full name."""
    return {
        re.sub(r"^(?!/)", "/", entry.name.replace("~", node)): (entry.type, entry.quality)
        for node, entries in INTERFACES.items()
        for entry in entries
        if entry.way is Way.OUT
    }


def type_of(path: str) -> str:
    """Return the type of a field such as /topic/field[3] or /topic.field, of a published topic."""
    topic = max((name for name in published() if path.startswith(name)), key=len, default="")
    assert topic, path
    found = published()[topic][0]
    for part in re.findall(r"(\w+)(?:\[(\d+)\])?", path.removeprefix(topic)):
        name, index = part
        package, kind = found.split("/")
        message = getattr(importlib.import_module(f"{package}.msg"), kind)
        fields = message.get_fields_and_field_types()
        assert name in fields, path
        found = fields[name]
        if index:
            length = re.fullmatch(r"(.+)\[(\d+)\]", found)
            assert length is None or int(index) < int(length.group(2)), path
            found = length.group(1) if length else re.fullmatch(r"sequence<(.+)>", found).group(1)
    return found


def is_number(kind: str) -> bool:
    return kind in ("double", "float", "boolean") or kind.startswith(("int", "uint"))


def test_rviz_listens_as_the_nodes_publish():
    scene = yaml.safe_load((PACKAGE / "rviz" / "payload.rviz").read_text())
    shown = [x for x in scene["Visualization Manager"]["Displays"] if "Topic" in x]
    assert len(shown) == 3
    for display in shown:
        kind, quality = published()[f"/{display['Topic']['Value']}"]
        assert kind.rpartition("/")[2] == display["Class"].rpartition("/")[2]
        for policy in ("Durability Policy", "Reliability Policy"):
            assert display["Topic"][policy].lower() in quality


def test_plotjuggler_draws_numbers_that_are_published():
    root = ElementTree.parse(LAYOUTS / "payload.plotjuggler.xml").getroot()
    (window,) = root.findall("tabbed_widget")
    tabs = window.findall("Tab")
    assert root.tag == "root" and int(window.find("currentTabIndex").get("index")) < len(tabs) > 3
    for splitter in root.iter("DockSplitter"):
        assert splitter.get("orientation") in ("-", "|")
        assert int(splitter.get("count")) == len(splitter) == len(splitter.get("sizes").split(";"))
    for area in root.iter("DockArea"):
        (plot,) = area
        assert {"left", "right", "top", "bottom"} == set(plot.find("range").keys())
    curves = [curve.get("name") for curve in root.iter("curve")]
    assert len(curves) == len(set(curves)) > 60
    assert [name for name in curves if not is_number(type_of(name))] == []


def panels(tree) -> list[str]:
    """Return the panels of a layout's tree."""
    if isinstance(tree, str):
        return [tree]
    assert tree["direction"] in ("row", "column") and 0 < tree["splitPercentage"] < 100
    return panels(tree["first"]) + panels(tree["second"])


def test_foxglove_shows_what_is_published():
    layout = json.loads((LAYOUTS / "payload.foxglove.json").read_text())
    shown, settings = panels(layout["layout"]), layout["configById"]
    assert sorted(shown) == sorted(settings)
    for name, panel in settings.items():
        kind = name.partition("!")[0]
        assert kind in ("Plot", "3D", "DiagnosticSummary", "StateTransitions", "RawMessages")
        for path in panel.get("paths", ()):
            assert is_number(type_of(path["value"])), path
        for topic in panel.get("topics", {}):
            assert published()[topic][0] == "visualization_msgs/MarkerArray"
    assert settings["DiagnosticSummary!all"]["topicToRender"] in published()
    assert settings["3D!scene"]["layers"]["arm"]["topic"] in published()
    for name in ("verdict", "plan"):
        assert type_of(settings[f"RawMessages!{name}"]["topicPath"])


def test_every_node_with_diagnostics_has_its_group():
    with_diagnostics = {
        node for node, entries in INTERFACES.items() for x in entries if x.name == "/diagnostics"
    }
    groups = yaml.safe_load((LAYOUTS / "diagnostics.yaml").read_text())
    entries = groups["analyzers"]["ros__parameters"]
    analyzers = [entry for entry in entries.values() if isinstance(entry, dict)]
    assert all(x["type"] == "diagnostic_aggregator/GenericAnalyzer" for x in analyzers)
    beginnings = [start for entry in analyzers for start in entry["startswith"]]
    assert sorted(beginnings) == sorted(with_diagnostics)
