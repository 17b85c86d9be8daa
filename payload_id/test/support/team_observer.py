"""A client of a team node, as a program: waits for the end of what robots send, prints the result.

`python team_observer.py SECONDS`: once no new sample has come for a while, at the latest after so
many seconds, the run is ended and its last estimate printed as JSON.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import rclpy

from payload_id.ros.client.team_client import TeamClient

QUIET = 4.0  # [s] without a new sample


def main(seconds: str) -> int:
    """Watch, end the run, print."""
    rclpy.init()
    with TeamClient() as client:
        client.wait_until_ready(60.0)
        end, newest, since = time.monotonic() + float(seconds), 0, time.monotonic()
        while time.monotonic() < end:
            found = client.newest(60.0)
            count = sum(x.samples for x in found.members)
            if count > newest:
                newest, since = count, time.monotonic()
            elif newest and time.monotonic() - since > QUIET:
                break
            time.sleep(0.5)
        said = client.stop_quietly(120.0)
        found = client.newest(60.0)
    print(
        json.dumps(
            {
                "said": said,
                "status": found.status,
                "phi": list(map(float, found.phi)),
                "lower": np.nan_to_num(np.array(found.lower)).tolist(),
                "upper": np.nan_to_num(np.array(found.upper)).tolist(),
                "samples": {x.robot: x.samples for x in found.members},
                "clocks": {x.robot: x.clock for x in found.frames},
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
