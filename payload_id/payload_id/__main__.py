"""`python -m payload_id` is the command line."""

import signal
import sys


def run() -> int:
    """Run the command line; returns the exit code."""
    try:
        from .cli.main import main

        # An interrupt ends the process at once until here (`early_interrupt`); now main can.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # What ends a process does it in order, too; `nohup` has the second one ignored.
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.default_int_handler)
        return main()
    except KeyboardInterrupt:
        print("payload-id: interrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(run())
