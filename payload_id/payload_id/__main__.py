"""`python -m payload_id` is the command line."""

import sys

if __name__ == "__main__":
    try:
        from .cli.main import main

        sys.exit(main())
    except KeyboardInterrupt:  # while modules are imported
        print("payload-id: interrupted.", file=sys.stderr)
        sys.exit(130)
