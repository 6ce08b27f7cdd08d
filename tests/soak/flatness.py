"""Whether a quantity that was read again and again grew: its slope, with an interval that neighbouring readings, which
resemble each other, do not make too narrow."""

from dataclasses import dataclass

import numpy
import scipy.stats

BLOCKS = 12  # their means are nearly independent of each other


@dataclass(frozen=True)
class Slope:
    per_hour: float
    low: float
    high: float


def slope(times_s, values):
    """Least squares through the means of BLOCKS stretches of equal length, 95 % by Student's t (Law, 9.5.3: batch means)."""
    times_s, values = numpy.asarray(times_s, float), numpy.asarray(values, float)
    if len(values) < 2 * BLOCKS:
        raise ValueError(f"{len(values)} readings are too few for a slope; {2 * BLOCKS} are needed")
    x = [part.mean() for part in numpy.array_split(times_s / 3600, BLOCKS)]
    y = [part.mean() for part in numpy.array_split(values, BLOCKS)]
    fit = scipy.stats.linregress(x, y)
    half = scipy.stats.t.ppf(0.975, BLOCKS - 2) * fit.stderr
    return Slope(fit.slope, fit.slope - half, fit.slope + half)
