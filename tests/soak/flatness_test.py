"""The slope finds what was put in, and its interval covers it as often as it says."""

import numpy
from flatness import slope


def walk(random, count, per_reading):
    """Readings that grow by `per_reading`, around which an error wanders that remembers (AR(1), 0.8)."""
    error, values = 0.0, []
    for number in range(count):
        error = 0.8 * error + random.normal()
        values.append(1000 + per_reading * number + error)
    return values


def test_the_interval_covers_the_truth():
    random = numpy.random.default_rng(20261121)
    times_s = numpy.arange(360) * 10.0
    for per_reading in (0.0, 0.05):
        covered = sum(
            found.low <= per_reading * 360 <= found.high
            for found in (slope(times_s, walk(random, 360, per_reading)) for _ in range(200))
        )
        assert covered >= 0.9 * 200
