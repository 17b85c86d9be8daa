"""All nodes in one process: a program, started by tests."""

import sys

from payload_id.ros.bridge.node import BridgeNode
from payload_id.ros.common.main_loop import run
from payload_id.ros.estimator.node import EstimatorNode
from payload_id.ros.planner.node import PlannerNode
from payload_id.ros.sampler.node import SamplerNode
from payload_id.ros.simulated_arm.node import moving_arm
from payload_id.ros.team.node import TeamNode

if __name__ == "__main__":
    nodes = (SamplerNode, EstimatorNode, PlannerNode, BridgeNode, TeamNode, moving_arm)
    sys.exit(run(nodes, sys.argv[1:]))
