"""What several tests of the doctor need."""

from jaxvstorch._doctor import Check


def named(checks: list[Check], name: str) -> Check:
    (found,) = [check for check in checks if check.name == name]
    return found
