"""Whatever ends a node or fills a disk: what was recorded is there, bit for bit; gaps are told.

One driver speaks all the time; sampler and estimator are killed, the disk is full for a while. In
the end all that was sent is in the recordings, but for what nobody could keep.
"""

from __future__ import annotations

import json
import resource
from pathlib import Path

import numpy as np
import pytest
from payload_id_msgs.msg import PayloadEstimate
from payload_id_msgs.srv import Save

from payload_id import PayloadIdError, Recording

from .arms import Motion, drawn_payload
from .command_line import payload_id
from .own_arm import JOINTS
from .recorded import noisy, signs
from .streams import ESTIMATOR, Listeners

pytestmark = pytest.mark.slow  # nodes in real time, or processes

NOISE = 0.02
PHI = drawn_payload(np.random.default_rng(51), 0.8, 1.4)
BEFORE = 3  # reports of a sampler, one a second, after which all is on disk that it took before


class Driven(Listeners):
    """Both nodes, and what of the driver's words must be on disk, and what may be.

    Attributes:
        certain: Stamps of samples that must be on disk.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.certain: list[int] = []

    def moved(self, seed: int, seconds: float = 1.2, certain: bool = True) -> list[int]:
        """Send a motion with the payload; return its stamps."""
        motion, tau = self.motion(seed, seconds)
        stamps = self.send(motion, tau)
        self.certain += stamps if certain else []
        return stamps

    def motion(self, seed: int, seconds: float) -> tuple[Motion, np.ndarray]:
        """Return a motion and the torques that sensors say."""
        rng = np.random.default_rng(seed)
        motion = self.arm.motion(rng, seconds)
        return motion, noisy(rng, self.arm.torques(motion, PHI), NOISE)

    def some(self, count: int) -> None:
        """Say something that nobody needs to keep, so that time passes for the nodes."""
        motion, tau = self.motion(99, 0.4)
        for k in range(count):
            row = motion.q[k % 100], motion.dq[k % 100], tau[k % 100]
            self.sent[self.say(*row)] = row

    def reported(self, times: int = BEFORE) -> None:
        """Wait until the sampler has said some times how it is."""
        wanted = len(self.condition) + times
        self.observer.wait(lambda: len(self.condition) >= wanted, "reports of the sampler")

    def figures(self) -> dict[str, str]:
        """Return the figures of the sampler's newest report."""
        return {x.key: x.value for x in self.condition[-1].values}

    def recordings(self) -> dict[Path, Recording]:
        """Return all recordings that hold anything by their folder, in the order of their begin."""
        folders = sorted(self.folder.glob("bag*"), key=lambda x: x.stat().st_ctime_ns)
        sign, found = tuple(signs(self.arm)), {}
        for folder in folders:
            try:
                found[folder] = Recording.from_bag(folder, joints=JOINTS, effort_sign=sign)
            except PayloadIdError as error:  # begun when the disk was full: hardly anything fits
                few = "nor any other messages", "Known: none", "two or more are needed"
                assert any(words in str(error) for words in few), error
        return found

    @staticmethod
    def stamps(recording: Recording) -> np.ndarray:
        """Return a recording's stamps [ns]."""
        return recording.start_ns + np.rint(recording.stamp * 1e9).astype(np.int64)

    def check(self) -> set[int]:
        """Check that what is on disk is what was sent, and all that must be; return its stamps."""
        found: set[int] = set()
        for recording in self.recordings().values():
            for k, stamp in enumerate(map(int, self.stamps(recording))):
                if stamp in self.sent:  # else one of those with which the nodes met
                    q, dq, tau = self.sent[stamp]
                    assert recording.q[k].tolist() == list(q)
                    assert recording.dq[k].tolist() == list(dq)
                    assert recording.tau[k].tolist() == list(tau)
                    assert stamp not in found
                    found.add(stamp)
        missing = [x for x in self.certain if x not in found]
        assert not missing, f"{len(missing)} of {len(self.certain)} are not on disk"
        return found


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    driven = Driven(tmp_path_factory.mktemp("lost"))
    yield driven
    driven.close()
    driven.check()  # with what was written as the sampler ended


def test_a_killed_sampler_has_written_all_but_its_last_second(nodes):
    nodes.begin()
    nodes.moved(1)
    nodes.reported()
    last = nodes.moved(2, 0.2, certain=False)
    bag = nodes.recording
    nodes.killed(nodes.sampler)
    nodes.some(50)
    (cut,) = nodes.recordings().values()
    assert any("cut off" in x for x in cut.notes), cut.notes
    before = nodes.check()
    assert before <= {*nodes.certain, *last}
    nodes.sampler = nodes.start_sampler()
    nodes.meet()
    # goes on beside what there is, which stays as it was
    nodes.observer.wait(lambda: nodes.recording != bag, "another recording")
    nodes.moved(3)
    nodes.reported()
    assert nodes.check() >= before
    answer = nodes.trigger("stop")
    assert "sampler" in answer.message, answer.message
    assert not any(lies(x) for x in nodes.estimates)


def lies(estimate: PayloadEstimate) -> bool:
    """Whether an estimate is given as usable that does not contain the truth."""
    usable = (PayloadEstimate.GOOD, PayloadEstimate.TOO_WIDE, PayloadEstimate.SMALL_LOAD)
    contained = (estimate.lower <= PHI) & (PHI <= estimate.upper)
    return estimate.status in usable and not contained.all()


def test_a_full_disk_costs_what_did_not_fit_and_is_told(nodes):
    nodes.begin()
    nodes.moved(4)
    nodes.reported()
    reports = len(nodes.condition)
    unlimited = resource.prlimit(nodes.sampler.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(nodes.sampler.process.pid, resource.RLIMIT_FSIZE, (4096, unlimited[1]))

    def told() -> bool:
        nodes.some(20)
        return any("missing" in x.message for x in nodes.condition[reports:])

    nodes.observer.wait(told, "a report of what is missing")
    nodes.moved(5, 0.8, certain=False)  # what is kept until there is room again may be there
    assert nodes.sampler.alive and int(nodes.figures()["accepted"]) > 0
    answer = nodes.observer.call(Save, f"{ESTIMATOR}/save", path="")
    assert "missing" in answer.message, answer.message
    resource.prlimit(nodes.sampler.process.pid, resource.RLIMIT_FSIZE, unlimited)
    newest = max(nodes.sent)  # what is under way as there is room again may be lost, and is told

    def goes_on() -> bool:
        nodes.some(20)
        return any(nodes.stamps(x).max() > newest for x in nodes.recordings().values())

    nodes.observer.wait(goes_on, "a recording that goes on")
    nodes.moved(6)
    nodes.reported()
    nodes.check()
    answer = nodes.trigger("stop")
    assert answer.success, answer.message  # the estimator has heard all of it
    assert not any(lies(x) for x in nodes.estimates)


def test_a_killed_estimator_loses_no_sample_and_the_next_run_is_sound(nodes, capsys):
    nodes.begin()
    first = nodes.moved(7, 1.6)
    nodes.killed(nodes.estimator)
    nodes.moved(8, 0.4)
    nodes.estimator = nodes.start_estimator()
    nodes.answered()
    nodes.meet()
    nodes.begin()
    nodes.moved(9, 1.6)
    answer = nodes.trigger("stop")
    estimate = nodes.get().estimate
    assert answer.success and not lies(estimate) and "(400 samples" in answer.message
    nodes.reported()
    nodes.check()
    begin = nodes.recordings()[nodes.recording].start_ns
    part = ("--from", (first[0] - begin) / 1e9 - 1e-3, "--to", (first[-1] - begin) / 1e9 + 1e-3)
    told = payload_id(capsys, "identify", nodes.recording, "--robot", nodes.arm.name, "--json",
                      "--intervals", "hull_lp", *part)  # fmt: skip
    found = json.loads(told.out)
    assert found["samples"] == len(first) and found["status"] == "GOOD", told.text
    assert (found["lower"] <= PHI).all() and (PHI <= found["upper"]).all()


def test_a_pause_of_the_driver_is_counted_and_nothing_is_made_up_across_it(nodes):
    nodes.begin()
    before = nodes.blocks[-1]
    nodes.moved(10, 0.8)  # after a pause, as all motions here
    nodes.moved(11, 0.8)
    block = nodes.blocks[-1]
    assert block.gaps == before.gaps + 2
    assert block.first_index + len(block.stamp_ns) == (
        before.first_index + len(before.stamp_ns) + 400
    )
    assert [x.sequence for x in nodes.blocks[-20:]] == list(
        range(block.sequence - 19, block.sequence + 1)
    )
    answer = nodes.trigger("stop")
    estimate = nodes.get().estimate
    assert not lies(estimate) and "(400 samples" in answer.message, answer.message
