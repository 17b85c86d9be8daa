"""The documentation: links resolve, code runs, generated pages and quoted sentences are true."""

import importlib.util
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
# [KEY] or [KEY, eq. 1], not an index or a list
KEY = re.compile(r"(?<![\w)])\[([A-Z]{3,}|[A-Z][a-z]+(?:19|20)\d\d)(?:, (?:eq|Sec|Theo)[^\]]*)?\]")


def load(path: Path):
    """Import a file that is no module of a package."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def anchors(page: Path) -> set[str]:
    """Return the anchors that headings of a page get."""
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", title.lower().replace("`", "")) for title in titles)
    return {word.replace(" ", "-") for word in words}


def test_links_resolve():
    links = [(page, target) for page in PAGES for target in LINK.findall(page.read_text("utf-8"))]
    for page, target in links:
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert target.startswith("http") or path.exists(), f"{page.name} links to {target}"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{page.name} links to {target}"


def test_generated_pages_are_up_to_date():
    assert load(ROOT / "docs" / "generate.py").stale() == []


@pytest.mark.parametrize(
    "example", ["01_identify_from_arrays", "02_read_a_bag", "03_tare"], ids=lambda name: name[:2]
)
def test_example_runs(example, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    shared = importlib.import_module("simulated_arm")
    module = load(ROOT / "examples" / f"{example}.py")
    monkeypatch.setattr(
        module, "shake", lambda payload, sensor, seed: shared.shake(payload, sensor, seed, 1.5)
    )
    module.main()
    printed = capsys.readouterr().out
    assert "GOOD" in printed or "TOO_WIDE" in printed
    assert "False" not in printed and "NO" not in printed


@pytest.fixture
def bags(tmp_path, monkeypatch):
    """Make the bags that the pages read: `run` with payload and `rest`, as the Gen3 gives them."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    from payload_id.core.simulation.sensors import SensorModel
    from payload_id.files.recordings.write_bag import write_joint_states

    shared = importlib.import_module("simulated_arm")
    for name, seconds in (("run", 1.5), ("rest", 0.2)):
        seen = shared.shake(shared.PAYLOAD, SensorModel(), 1, seconds)
        write_joint_states(tmp_path / name, replace(seen, tau=seen.tau / shared.ROBOT.effort.sign))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", ["README.md", "docs/first_payload.md", "docs/knowledge.md"])
def test_python_of_pages_runs(page, bags, capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), {})
    printed = capsys.readouterr().out
    assert "joint_7" in printed or "mass 1.2" in printed


def test_every_page_has_its_place_in_the_site():
    said = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
    assert {page.name for page in (ROOT / "docs").glob("*.md")} <= set(
        re.findall(r"\w+\.md", str(said))
    )


def test_yaml_of_pages_loads(tmp_path):
    from payload_id import RobotFile
    from payload_id.files.payload.payload_file import read_payload

    def first(page):
        text = (ROOT / "docs" / page).read_text("utf-8")
        example = tmp_path / "our_gen3.yaml"
        example.write_text(re.search(r"```yaml\n(.*?)```", text, re.DOTALL).group(1))
        return example

    assert len(read_payload(first("knowledge.md")).knowledge.names) == 2
    assert RobotFile.load(first("nodes.md")).name == "our_gen3"


def test_options_named_in_pages_exist(capsys):
    from payload_id.cli.main import main

    pages = "\n".join(page.read_text("utf-8") for page in PAGES)
    for verb in ("demo", "identify", "check", "report", "calibrate bounds", "certificate verify"):
        assert main([*verb.split(), "--help"]) == 0
        said = capsys.readouterr().out
        lines = " ".join(re.findall(rf"\./payload-id {verb}((?:[^\n`]|\\\n)*)", pages))
        assert {x for x in re.findall(r" (--[a-z-]+)", lines) if x not in said} == set(), verb


def test_launch_arguments_named_in_pages_exist():
    for page in PAGES:
        text = page.read_text("utf-8").replace("\\\n", " ")
        for name, line in re.findall(r"ros2 launch payload_id (\S+)([^\n]*)", text):
            declared = (ROOT / "payload_id" / "launch" / name).read_text("utf-8")
            for argument in re.findall(r"(\w+):=", line):
                assert f'<arg name="{argument}"' in declared, f"{page.name}: {name} {argument}"
