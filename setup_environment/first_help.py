"""What `./payload-id --help` says before there is an environment that could say it."""

from __future__ import annotations

ASKED = {"-h", "--help", "help"}
VERBS = {
    "demo": "watch a simulated arm grasp an unknown payload, and ROS 2 nodes identify it",
    "new-robot": "draft the robot file of an own arm from its URDF, a columns file from a table",
    "check": "look before anything is identified: at a recording, at this machine, at a driver",
    "identify": "identify the payload from a recording, or from many, without ROS",
    "report": "write a run as one page: HTML, Markdown or JSON",
    "load": "write an identified load for others, or send it to the arm's own controller",
    "calibrate": "learn the arm itself from recordings with known payloads, or none",
    "certificate": "check saved certificates of motions anew, and sign them",
    "live": "start, stop, tare, save and watch running nodes; plan, describe and execute motions",
    "view": "show running nodes, or a recording, in the browser",
    "policy": "write who may do what on a network, for SROS 2",
    "test": "run all tests, or with --quick what a commit needs",
    "docs": "build the documentation as a site, into site/",
    "python": "run a script in the same environment",
}


def text() -> str:
    """Return what there is."""
    return f"""\
usage: ./payload-id VERB ...

Identify the mass, centre of mass and inertia of a grasped payload, with intervals that contain the
truth whenever the stated noise and model bounds hold.

{chr(10).join(f"  {verb:<12}{said}" for verb, said in VERBS.items())}

Any other call first makes the environment (.venv in this folder): one to two minutes with a fast
connection, about 2 GB; the compilers it needs are named if they are missing. Then
'./payload-id VERB --help' says more.
"""
