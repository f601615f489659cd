"""The command ``jaxvstorch``, which ``python -m jaxvstorch`` is too."""

import sys

from jaxvstorch._command import exit_status


def main() -> None:
    """Run the command; the process ends with its status."""
    exit_status.stop_at_once()  # the next line takes most of a short command's time
    from jaxvstorch._command.cli import app

    sys.exit(exit_status.run("jaxvstorch", lambda: app(prog_name="jaxvstorch")))


if __name__ == "__main__":
    main()
