"""`python -m payload_id` is the command line."""

import os
import sys


def run() -> int:
    """Run the command line; returns the exit code."""
    os.environ["MPLBACKEND"] = "agg"  # pictures go to files, whatever a notebook or IDE has set
    try:
        from .cli.common.signals import raise_interrupts
        from .cli.main import main

        raise_interrupts()  # until here one ends the process at once (`early_interrupt`)
        return main()
    except KeyboardInterrupt:
        print("payload-id: interrupted.", file=sys.stderr)
        return 130


def view() -> int:
    """Run `payload-id view`, as `ros2 run payload_id view` does; returns the exit code."""
    sys.argv.insert(1, "view")
    return run()


if __name__ == "__main__":
    sys.exit(run())
