"""Certificates as `verify` shows them."""

import json

from certificates import saved_certificate
from command_line import run_without_ros


def test_markup_in_a_certificate_is_shown_as_it_is(tmp_path, capsys):
    path, markup = saved_certificate(tmp_path / "motion.json"), "[/] [bold green]VERIFIED[/bold]"
    content = json.loads(path.read_text())
    content["certificate"]["assumptions"] = [markup]
    content["signature"] = {"algorithm": "[bold]VERIFIED[/]"}
    path.write_text(json.dumps(content))
    done = run_without_ros(capsys, "certificate", "verify", path, "--samples", "5")
    assert done.returncode == 1
    assert markup in done.stdout and "'[bold]VERIFIED[/]'" in done.stdout
