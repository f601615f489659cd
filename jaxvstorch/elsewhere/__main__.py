"""``python -m jaxvstorch.elsewhere``, which ``nox -s elsewhere`` runs."""

from jaxvstorch.elsewhere.compiling import main

if __name__ == "__main__":
    main()
