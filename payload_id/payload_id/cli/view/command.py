"""`payload-id view`: options; the view itself needs ROS and is imported when run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ...core.errors import InputError
from ...ros.view.node_names import NodeNames
from ..common.nodes import needing_ros
from ..common.options import Frame, RecordingOptions, Source, argument, file, flag, option

NODES = "Nodes"


@dataclass(frozen=True, kw_only=True)
class View(Source):
    """What is shown, and where."""

    recording: Annotated[
        Path | None,
        argument(
            parser=Path,
            metavar="RECORDING",
            help="bag, table or run to be replayed and shown with a slider of time (default: the "
            "running nodes)",
        ),
    ] = None
    team: Annotated[bool, flag("the robots of a running team node, instead", "--team")] = False
    allow_motion: Annotated[
        bool,
        flag(
            "let who has typed the token MOVE THE ARM; each motion is confirmed on the page",
            "--allow-motion",
        ),
    ] = False
    port: Annotated[int, option("0: any that is free (default: 8080)", metavar="NUMBER")] = 8080
    host: Annotated[str, option("address (default: 127.0.0.1)", metavar="HOST")] = "127.0.0.1"
    payload_frame: Frame = None
    packages: Annotated[
        Path | None,
        file(
            "folder of packages with the meshes of package:// (default: ROS_PACKAGE_PATH, then "
            "what is installed)",
            metavar="FOLDER",
        ),
    ] = None
    sampler: Annotated[
        str, option("default: the one that the estimator listens to", metavar="NODE", panel=NODES)
    ] = NodeNames.sampler
    estimator: Annotated[str, option("default: payload_estimator", metavar="NODE", panel=NODES)] = (
        NodeNames.estimator
    )
    planner: Annotated[str, option("default: payload_planner", metavar="NODE", panel=NODES)] = (
        NodeNames.planner
    )
    bridge: Annotated[str, option("default: payload_bridge", metavar="NODE", panel=NODES)] = (
        NodeNames.bridge
    )


def view(view: View) -> int:
    """Show running nodes, or a recording, in the browser, until interrupted."""
    if view.packages is not None:
        os.environ["ROS_PACKAGE_PATH"] = str(view.packages.resolve())
    with needing_ros("The view is served", "view"):
        from ...ros.view.node import serve
    if view.team:
        from ...ros.view.team_page import serve_team

        return serve_team("payload_team", view.host, view.port)
    if view.recording is not None:
        return _show_recording(view, view.recording)
    of_recording = (view.columns, view.topic or None, view.payload_frame, view.start, view.end)
    if any(x is not None for x in of_recording):
        raise InputError("--columns, --topic, --payload-frame, --from and --to are of a recording.")
    names = NodeNames(view.sampler, view.estimator, view.planner, view.bridge)
    return serve(view.robot or "", names, view.host, view.port, view.allow_motion)


def _show_recording(view: View, path: Path) -> int:
    """Identify from a recording, and serve it."""
    from ...files.robots.arm_frames import ArmFrames
    from ...files.robots.robot_file import RobotFile
    from ...ros.view.recorded import Film, serve_film
    from ..common.progress import progress
    from ..common.reading import remarks
    from ..identify.loading import load

    asked = RecordingOptions(
        recordings=[str(path)],
        robot=view.robot,
        columns=view.columns,
        topic=view.topic,
        payload_frame=view.payload_frame,
        start=view.start,
        end=view.end,
    )
    loaded = load(asked)
    job, about = loaded.job, loaded.about
    if about.wrench is not None:
        raise InputError(
            "A recording of a force-torque sensor has no arm to be shown; see it with "
            f"./payload-id identify {path} --figure intervals.png."
        )
    with progress("identifying") as show:
        _, history = job.run(show)
    folder = RobotFile.load(view.robot).urdf_path.parent if view.robot else path
    taken, frames = job.recording, ArmFrames(about.urdf)
    film = Film(taken.stamp, taken.q, job.robot, frames, history, remarks(taken))
    return serve_film(film, about.urdf, folder, view.host, view.port)
