"""The team node's services."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from payload_id_msgs.srv import GetGraspTransform, GetGravityShare, GetTeamEstimate, LetGo, Save
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future as RosFuture
from std_srvs.srv import SetBool, Trigger

from ...core.errors import ConfigurationError, PayloadIdError, UnknownNameError
from ...core.excitation.wrists import WristLimits
from ...files.configuration.input_path import from_home, place_below
from ...files.teams.team_file import TeamFile
from ..common.awaited_answers import AwaitedAnswers
from ..common.conversions import time_message
from ..common.steady_timer import steady_timer
from ..estimator.run_worker import RunWorker
from .messages import shares_of, transform_message
from .publisher import TeamPublisher
from .team_control import TeamControl
from .team_report import TeamAnswer, TeamReport
from .wrist_motion import planned, sentence_of

CHECK_PERIOD = 0.02  # [s] between two looks for answers of the worker


class TeamServices:
    """Answers the requests of a run, `~/plan_wrists`, `~/save` and the `~/get_...`.

    Attributes:
        guided: Whether a human guides the payload now, so that forces do not count.
    """

    def __init__(
        self,
        node: Node,
        team: TeamFile,
        control: TeamControl,
        worker: RunWorker,
        publisher: TeamPublisher,
        runs_folder: str,
        take: Callable[[], None],
        remarks: Callable[[], Sequence[str]],
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
            take: Hands over all messages that have arrived so far.
            remarks: Returns what is wrong with who publishes for the robots, a sentence each.
            limits: Returns what planned wrist motions may not exceed, and how long they take [s].
        """
        self._log, self._team, self._control = node.get_logger(), team, control
        self._worker = worker
        self._publisher, self._runs, self._take, self.guided = publisher, runs_folder, take, False
        self._limits, self._remarks = limits, remarks
        self._answers = AwaitedAnswers()
        group = ReentrantCallbackGroup()
        for kind, name, callback in (
            (Trigger, "~/start", self._trigger(control.start)),
            (Trigger, "~/stop", self._trigger(control.stop)),
            (Trigger, "~/reset", self._trigger(control.reset)),
            (Trigger, "~/plan_wrists", self._trigger(self._planned)),
            (SetBool, "~/guide", self._on_guide),
            (LetGo, "~/let_go", self._on_let_go),
            (Save, "~/save", self._on_save),
            (GetTeamEstimate, "~/get_estimate", self._on_get_estimate),
            (GetGraspTransform, "~/get_grasp_transform", self._on_get_grasp_transform),
            (GetGravityShare, "~/get_gravity_share", self._on_get_gravity_share),
        ):
            node.create_service(kind, name, callback, callback_group=group)
        steady_timer(node, CHECK_PERIOD, self._answers.pass_on)

    async def end_run(self) -> None:
        """End the run in progress; its data are kept for `~/save`."""
        answer = await self._ask(self._control.stop)
        self._log.info(answer.message)

    def _ask(self, action: Callable[[], TeamAnswer]) -> RosFuture:
        """Hand a request to the worker, behind all that has arrived before it."""
        self._take()
        return self._answers.awaitable(self._worker.request(action))

    def _planned(self) -> TeamAnswer:
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

    def _trigger(
        self, action: Callable[[], TeamAnswer]
    ) -> Callable[[Trigger.Request, Trigger.Response], Awaitable[Trigger.Response]]:
        async def answer(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
            await self._fill_in(response, action)
            response.message = " ".join([response.message, *self._remarks()])
            return response

        return answer

    async def _fill_in(self, response: Any, action: Callable[[], TeamAnswer]) -> TeamAnswer:
        """Carry out a request, and fill in and log what happened."""
        answer: TeamAnswer = await self._ask(action)
        response.success, response.message = answer.success, answer.message
        self._log.info(answer.message)
        return answer

    async def _on_guide(
        self, request: SetBool.Request, response: SetBool.Response
    ) -> SetBool.Response:
        """Leave out forces from now on, while a human guides the payload; or count them again."""
        self._take()
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
        await self._fill_in(response, lambda: self._control.let_go(request.robot))
        return response

    async def _on_save(self, request: Save.Request, response: Save.Response) -> Save.Response:
        """Save the run in a folder within `runs_folder`."""
        try:
            folder = self._folder(request.path)
        except ConfigurationError as error:
            response.success, response.message = False, str(error)
            self._log.warning(response.message)
            return response
        answer = await self._fill_in(response, lambda: self._control.save(folder))
        response.path = str(answer.path or "")
        return response

    def _folder(self, asked: str) -> Path:
        """Return where to save a run.

        Raises:
            ConfigurationError: Nothing may be written there.
        """
        runs = from_home(self._runs, "runs_folder").resolve()
        if asked:
            return place_below(asked, runs, "path of a run (parameter runs_folder)", runs)
        return runs / datetime.now().strftime("team_%Y%m%d_%H%M%S_%f")

    async def _on_get_estimate(
        self, request: GetTeamEstimate.Request, response: GetTeamEstimate.Response
    ) -> GetTeamEstimate.Response:
        """Answer with the estimate from all samples so far."""
        answer = await self._ask(self._control.estimate)
        response.success = answer.success
        response.message = " ".join([answer.message, *self._remarks()])
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
                f"Where {' and '.join(names)} grasp is not known: {report.status}. {report.message}"
            )
        return response

    def _on_get_gravity_share(
        self, request: GetGravityShare.Request, response: GetGravityShare.Response
    ) -> GetGravityShare.Response:
        """Answer with what a robot carries."""
        try:
            self._team.robot(request.robot)
        except UnknownNameError as error:
            response.message = str(error)
            return response
        shares = shares_of(self._control.report, self._team)
        response.share = shares[self._team.names.index(request.robot)]
        response.success, response.message = response.share.valid, response.share.message
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
