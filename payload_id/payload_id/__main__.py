"""`python -m payload_id` is the command line."""

import sys


def run() -> int:
    """Run the command line; returns the exit code."""
    try:
        from .cli.common.signals import raise_interrupts
        from .cli.main import main

        raise_interrupts()  # until here one ends the process at once (`early_interrupt`)
        return main()
    except KeyboardInterrupt:
        print("payload-id: interrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(run())
