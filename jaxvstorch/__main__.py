"""``python -m jaxvstorch`` is the command ``jaxvstorch``."""

from jaxvstorch.cli import app

if __name__ == "__main__":
    app(prog_name="jaxvstorch")
