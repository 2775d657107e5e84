"""The ``philia`` program, also as ``python -m philia``."""

from __future__ import annotations

import sys


def main() -> None:
    """Load the command line and run it; Ctrl-C is as quiet while it is being loaded as it is later."""
    try:
        from philia.cli import main as run

        run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("Interrupted.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
