"""`python -m payload_id` is the command line."""

import signal
import sys

if __name__ == "__main__":
    try:
        from .cli.main import main

        # An interrupt ends the process at once until here (`START` of the launcher); now main can.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.exit(main())
    except KeyboardInterrupt:
        print("payload-id: interrupted.", file=sys.stderr)
        sys.exit(130)
