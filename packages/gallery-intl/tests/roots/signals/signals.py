"""Signals."""


def smooth(values: list[float], width: int = 3) -> list[float]:
    """Return the mean of each value and its neighbours."""
    if len(values) < width:
        raise ValueError(f"{len(values)} values are fewer than {width}")
    middle = width // 2
    return [
        sum(part) / len(part)
        for at in range(len(values))
        if (part := values[max(at - middle, 0) : at + middle + 1])
    ]
