"""Durations as text."""


def seconds(value: float | None) -> str:
    """A time with three digits and its unit, such as ``"3.73 µs"``; a dash for ``None``."""
    if value is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if value >= 0.9995 * scale or unit == "ns":
            break
    scaled = value / scale
    digits = 2 if scaled < 9.995 else 1 if scaled < 99.95 else 0
    return f"{scaled:.{digits}f}\N{NO-BREAK SPACE}{unit}"
