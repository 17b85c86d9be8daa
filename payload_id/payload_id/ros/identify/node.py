"""Sampler and estimator in one process."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..common.main_loop import run
from ..estimator.node import EstimatorNode
from ..sampler.node import SamplerNode


def main(args: Sequence[str] | None = None) -> int:
    """Run both nodes until SIGINT or SIGTERM; returns the exit code.

    Parameters for one of them are given with its name (`-p payload_sampler:bag:=/tmp/run`), or in a
    file of parameters, which a namespace requires. Those given without a name go to both, and the
    node that has none of that name warns.
    """
    return run([SamplerNode, EstimatorNode], args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
