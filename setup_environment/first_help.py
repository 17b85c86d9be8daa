"""What `./payload-id --help` says before there is an environment that could say it."""

from __future__ import annotations

from collections.abc import Sequence

ASKED = ("-h", "--help", "help")
VERBS = {
    "demo": "a simulated arm grasps an unknown payload and real ROS 2 nodes identify it",
    "doctor": "look at machine, network, robot file and driver, and say what to do",
    "new-robot": "draft the robot file of an own arm from its URDF, a columns file from a table",
    "check": "look at a recording before anything is identified: units, signs, gaps, gravity",
    "replay": "identify the payload from a recording, without ROS",
    "report": "write a saved run as one page: HTML, Markdown or JSON",
    "fleet": "identify from many recordings, on all cores or on a cluster; goes on where it was",
    "export": "write an identified load as a controller, filter or model takes it",
    "apply": "tell the arm's own controller of an identified load, once confirmed",
    "live": "start, stop, tare, save and watch running nodes; plan, describe and execute motions",
    "view": "show running nodes, or a recording, in the browser",
    "calibrate": "calibrate the arm itself from recordings with known payloads, without ROS",
    "known-runs": "have the planner move the arm with known weights, and record it",
    "compare": "compare estimators and interval methods on one recording",
    "noise": "measure which bounds on the torques' noise recordings need",
    "verify": "check a saved certificate of a motion anew, without ROS",
    "new-key": "make a key pair for signing certificates, without ROS",
    "sign": "sign saved certificates of motions with a private key, without ROS",
    "policy": "write who may do what on a network, for SROS 2",
    "completion": "print what makes a shell complete commands and options",
    "test": "run all tests, or with --quick what a commit needs",
    "docs": "build the documentation as a site, into site/",
    "python": "run a script in the same environment",
}


def is_asked(arguments: Sequence[str]) -> bool:
    """Tell whether somebody wants to know what there is."""
    return not arguments or arguments[0] in ASKED


def text() -> str:
    """Return what there is."""
    verbs = "\n".join(f"  {verb:<12}{said}" for verb, said in VERBS.items())
    return f"""\
usage: ./payload-id VERB ...

Identify the mass, centre of mass and inertia of a grasped payload, with intervals that contain the
truth whenever the stated noise and model bounds hold.

{verbs}

Any other call first makes the environment (.venv in this folder): one to two minutes with a fast
connection, about 2 GB; the compilers it needs are named if they are missing. Then
'./payload-id VERB --help' says more.
"""
