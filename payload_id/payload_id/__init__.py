"""Payload identification with guaranteed intervals: mass, centre of mass and inertia, online.

from payload_id import Recording, RobotModel, Uncertainty, identify

robot = RobotModel.from_urdf("arm.urdf", payload_frame="tool0")
recording = Recording.from_bag("run", joints=robot.joints)
estimate = identify(recording, robot, Uncertainty(torque_relative=0.025, link_relative=0.05))
print(estimate.phi, estimate.lower, estimate.upper)
"""

from . import early_interrupt  # noqa: F401  # before all that takes long to import
from .core.body.payload_prior import PayloadPrior
from .core.errors import PayloadIdError
from .core.identification.estimate import Estimate
from .core.identification.identify import identify, replay
from .core.identification.online import OnlineIdentifier
from .core.identification.settings import Settings
from .core.identification.status import Status
from .core.identification.wrench.identify import WrenchEstimate, identify_wrench
from .core.identification.wrench.static import identify_poses, identify_static
from .core.rows.joint_torque.uncertainty import Uncertainty
from .core.rows.wrench.uncertainty import WrenchUncertainty
from .core.samples.wrench_samples import WrenchSamples
from .core.version import VERSION
from .files.notebooks import views as _views  # noqa: F401  # values show themselves
from .files.recordings.recording import Recording
from .files.recordings.wrench_recording import WrenchRecording
from .files.robots.robot_file import RobotFile
from .files.robots.robot_model import RobotModel

__version__ = VERSION

__all__ = [
    "Estimate",
    "OnlineIdentifier",
    "PayloadIdError",
    "PayloadPrior",
    "Recording",
    "RobotFile",
    "RobotModel",
    "Settings",
    "Status",
    "Uncertainty",
    "WrenchEstimate",
    "WrenchRecording",
    "WrenchSamples",
    "WrenchUncertainty",
    "identify",
    "identify_poses",
    "identify_static",
    "identify_wrench",
    "replay",
]
