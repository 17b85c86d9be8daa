"""The team node's services."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from pathlib import Path

import numpy as np
from payload_id_msgs.srv import GetGraspTransform, GetTeamEstimate, LetGo
from rclpy.node import Node
from std_srvs.srv import SetBool

from ...core.errors import PayloadIdError, UnknownNameError
from ...core.excitation.wrists import WristLimits
from ...files.configuration.input_path import from_home, place_below
from ...files.teams.team_file import TeamFile
from ..common.conversions import time_message, transform_message
from ..runs.run_control import Answer, RunControl
from ..runs.run_services import RunServices
from ..runs.run_worker import RunWorker
from .condition import rivalries
from .live_team import LiveTeam, TeamReport
from .publisher import TeamPublisher
from .robot_listener import RobotListener
from .wrist_motion import planned, sentence_of


class TeamServices(RunServices):
    """Answers the requests of a run, `~/plan_wrists`, `~/save` and the `~/get_...`.

    Attributes:
        guided: Whether a human guides the payload now, so that forces do not count.
    """

    def __init__(
        self,
        node: Node,
        team: TeamFile,
        control: RunControl[LiveTeam],
        worker: RunWorker,
        publisher: TeamPublisher,
        runs_folder: str,
        listeners: Sequence[RobotListener],
        limits: Callable[[], tuple[WristLimits, float]],
    ) -> None:
        """Create the services.

        Args:
            node: The node.
            team: The team.
            control: What the requests do.
            worker: The thread in which they are carried out.
            publisher: Makes messages of reports.
            runs_folder: Folder in which runs are saved.
            listeners: Hear the robots.
            limits: Returns what planned wrist motions may not exceed, and how long they take [s].
        """
        super().__init__(node, control)
        self._team, self._worker, self._publisher = team, worker, publisher
        self._run = control.run
        self._runs, self._listeners, self._limits = runs_folder, listeners, limits
        self.guided = False
        self._trigger("start", control.start)
        self._trigger("plan_wrists", self._planned)
        self._serve(SetBool, "guide", self._on_guide)
        self._serve(LetGo, "let_go", self._on_let_go)
        self._serve(GetTeamEstimate, "get_estimate", self._on_get_estimate)
        self._serve(GetGraspTransform, "get_grasp_transform", self._on_get_grasp_transform)

    def take(self) -> None:
        """Hand all messages that have arrived to the worker."""
        for listener in self._listeners:
            heard = listener.take(self.guided)
            if heard is not None:
                self._control.write(heard)

    def hand_over(self, action: Callable[[], Answer], divides: bool) -> Future[Answer]:
        """Hand a request to the worker, behind all that has arrived before it."""
        self.take()
        return self._worker.request(action)

    def written(self, asked: str) -> tuple[Callable[[], tuple[Path, str]], str]:
        """Return what writes the run, in a folder within `runs_folder`."""
        runs = from_home(self._runs, "runs_folder").resolve()
        folder = runs / datetime.now().strftime("team_%Y%m%d_%H%M%S_%f")
        if asked:
            folder = place_below(asked, runs, "path of a run (parameter runs_folder)", runs)
        return partial(self._run.save, folder), ""

    def remarks(self) -> str:
        """Return which topics of the robots several nodes publish; empty: none."""
        return " ".join(rivalries(self._listeners))

    def _planned(self) -> Answer:
        """Plan wrist motions from all data so far, within the limits of the parameters."""
        known = self._control.estimate()
        if not known.success:
            return self._control.answer(
                False,
                "Wrist motions are planned from a usable estimate: guide the payload by hand about "
                f"two axes, and hold it still in some orientations. {known.message}",
            )
        try:
            plan, held = planned(known.report, self._team, *self._limits())
        except PayloadIdError as error:
            return self._control.answer(False, f"Nothing was planned. {error}")
        self._publisher.publish_motion(plan, held)
        return self._control.answer(True, sentence_of(plan))

    async def _on_guide(
        self, request: SetBool.Request, response: SetBool.Response
    ) -> SetBool.Response:
        """Leave out forces from now on, while a human guides the payload; or count them again."""
        self.take()
        self.guided = bool(request.data)
        response.success = True
        response.message = (
            "A human guides the payload: motion counts, forces do not."
            if self.guided
            else "Nobody but the robots holds the payload: forces count."
        )
        self._log.info(response.message)
        return response

    async def _on_let_go(self, request: LetGo.Request, response: LetGo.Response) -> LetGo.Response:
        """Go on without a robot."""
        control = self._control
        return await self._fill_in(
            response,
            lambda: control.carry_out(lambda: self._run.let_go(request.robot, control.running)),
        )

    async def _on_get_estimate(
        self, request: GetTeamEstimate.Request, response: GetTeamEstimate.Response
    ) -> GetTeamEstimate.Response:
        """Answer with the estimate from all samples so far."""
        answer = await self._ask(self._control.estimate)
        response.success = answer.success
        response.message = f"{answer.message} {self.remarks()}".rstrip()
        response.estimate = self._publisher.message(answer.report)
        return response

    def _on_get_grasp_transform(
        self, request: GetGraspTransform.Request, response: GetGraspTransform.Response
    ) -> GetGraspTransform.Response:
        """Answer with where one robot grasps, seen from another one's grasp."""
        report = self._control.report
        response.rotation_bound = response.position_bound = np.full(3, np.inf)
        names = (request.from_robot, request.to_robot)
        try:
            one, two = (self._team.robot(name) for name in names)
        except UnknownNameError as error:
            response.message = str(error)
            return response
        response.transform.header.frame_id = one.grasp_frame
        response.transform.child_frame_id = two.grasp_frame
        response.transform.header.stamp = time_message(report.stamp_ns)
        response.success = _fill_transform(report, *names, response)
        if not response.success:
            response.message = (
                f"Where {' and '.join(names)} grasp is not known: {report.status.words}. "
                f"{report.message}"
            )
        return response


def _fill_transform(
    report: TeamReport, i: str, j: str, response: GetGraspTransform.Response
) -> bool:
    """Put T_ij and its bounds into a response; return whether both frames are known.

    p_ij = R_si' (p_sj - p_si): errors of R_si turn it by at most their size times its length.
    """
    frames = {} if report.estimate is None else report.estimate.frames
    one, two = frames.get(i), frames.get(j)
    if report.estimate is None or one is None or two is None or not (one.known and two.known):
        return False
    rotation, position = report.estimate.relative(i, j)
    response.transform.transform = transform_message(rotation, position)
    response.clock = float(two.clock - one.clock)
    if i == j:
        response.rotation_bound = response.position_bound = np.zeros(3)
        return True
    turned = float(np.linalg.norm(one.rotation_bound))
    apart = float(np.linalg.norm(one.position_bound) + np.linalg.norm(two.position_bound))
    response.rotation_bound = two.rotation_bound + turned
    response.position_bound = np.full(3, apart + turned * float(np.linalg.norm(position)) + 0.0)
    return True
