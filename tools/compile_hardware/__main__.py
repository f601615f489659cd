"""``python -m tools.compile_hardware``, which ``nox -s hardware`` runs."""

from tools.compile_hardware.compiling import main

if __name__ == "__main__":
    main()
