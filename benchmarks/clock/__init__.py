"""Is the harness's clock right? ``nox -s clock`` compares it with two other clocks."""

TRUST = 0.03  # how far the harness's clock may be from another, so how far it is trusted
