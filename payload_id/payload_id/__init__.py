"""Payload identification with guaranteed intervals: mass, centre of mass and inertia, online.

from payload_id import Recording, RobotModel, Uncertainty, identify

robot = RobotModel.from_urdf("arm.urdf", payload_frame="tool0")
recording = Recording.from_bag("run", joints=robot.joints)
estimate = identify(recording, robot, Uncertainty(torque_relative=0.025, link_relative=0.05))
print(estimate.phi, estimate.lower, estimate.upper)

`plan` finds a motion that teaches the payload, with its certificate; `certify` proves a motion of
one's own, and `verify` proves a saved certificate again.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import early_interrupt  # noqa: F401  # before all that takes long to import
from .core.body.payload_prior import PayloadPrior
from .core.errors import PayloadIdError
from .core.identification.estimate import Estimate
from .core.identification.headline import Enough
from .core.identification.identify import identify, replay
from .core.identification.online import OnlineIdentifier
from .core.identification.settings import Settings
from .core.identification.status import Status
from .core.identification.wrench.identify import WrenchEstimate, identify_wrench
from .core.identification.wrench.static import identify_poses, identify_static
from .core.motion.fourier import FourierSeries
from .core.motion.motion_sequence import motion_through
from .core.rows.joint_torque.uncertainty import Uncertainty
from .core.rows.wrench.uncertainty import WrenchUncertainty
from .core.safety.certificate.certificate import Certificate
from .core.safety.clearance.convex_body import ConvexBody
from .core.safety.margins.margin import Refusal
from .core.safety.speed.speed_limits import SpeedLimits
from .core.samples.wrench_samples import WrenchSamples
from .core.version import VERSION
from .files.notebooks import views as _views  # noqa: F401  # values show themselves
from .files.recordings.recording import Recording
from .files.recordings.wrench_recording import WrenchRecording
from .files.robots.robot_file import RobotFile
from .files.robots.robot_model import RobotModel

if TYPE_CHECKING:
    from .files.runs.certificate_file import SavedCertificate, load_certificate
    from .planning.api import MotionPlan, NotCertifiedError, certify, plan
    from .planning.verify import CheckedCertificate, verify

__version__ = VERSION

# Where names are that are imported when they are asked for: who identifies does not wait for them.
_LATER = {
    "CheckedCertificate": "planning.verify",
    "MotionPlan": "planning.api",
    "NotCertifiedError": "planning.api",
    "SavedCertificate": "files.runs.certificate_file",
    "certify": "planning.api",
    "load_certificate": "files.runs.certificate_file",
    "plan": "planning.api",
    "verify": "planning.verify",
}

__all__ = [
    "Certificate",
    "CheckedCertificate",
    "ConvexBody",
    "Enough",
    "Estimate",
    "FourierSeries",
    "MotionPlan",
    "NotCertifiedError",
    "OnlineIdentifier",
    "PayloadIdError",
    "PayloadPrior",
    "Recording",
    "Refusal",
    "RobotFile",
    "RobotModel",
    "SavedCertificate",
    "Settings",
    "SpeedLimits",
    "Status",
    "Uncertainty",
    "WrenchEstimate",
    "WrenchRecording",
    "WrenchSamples",
    "WrenchUncertainty",
    "certify",
    "identify",
    "identify_poses",
    "identify_static",
    "identify_wrench",
    "load_certificate",
    "motion_through",
    "plan",
    "replay",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Return a name that is imported late."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f".{_LATER[name]}", __name__), name)
    return found


def __dir__() -> list[str]:
    """Return all names, those that are imported late too."""
    return sorted({*globals(), *__all__})
