"""``python -m jaxvstorch._hardware``, which ``nox -s hardware`` runs."""

from jaxvstorch._hardware.compiling import main

if __name__ == "__main__":
    main()
