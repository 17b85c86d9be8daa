"""Payload identification with guaranteed intervals: mass, centre of mass and inertia, online.

from payload_id import Recording, RobotModel, Uncertainty, identify

robot = RobotModel.from_urdf("arm.urdf", payload_frame="tool0")
recording = Recording.from_bag("run", joints=robot.joints)
estimate = identify(recording, robot, Uncertainty(torque_relative=0.025, link_relative=0.05))
print(estimate.phi, estimate.lower, estimate.upper)
"""

from .core.errors import PayloadIdError
from .core.estimate import Estimate
from .core.identify import identify, replay
from .core.online import OnlineIdentifier
from .core.settings import Settings
from .core.status import Status
from .core.uncertainty import PayloadPrior, Uncertainty
from .core.version import VERSION
from .core.wrench.identify import WrenchEstimate, identify_wrench
from .core.wrench.samples import WrenchSamples
from .core.wrench.static import identify_poses, identify_static
from .core.wrench.uncertainty import WrenchUncertainty
from .files.recording import Recording
from .files.robot_file import RobotFile
from .files.robot_model import RobotModel
from .files.wrench_recording import WrenchRecording

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
