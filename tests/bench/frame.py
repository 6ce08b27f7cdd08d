"""The frame of `./dev bench`: what a row is, how it is measured, and when its goal counts as met.

A row either compares two programs that do the same work (its figure is the ratio of their rates, ours to theirs), or
looks at one quantity of ours. Compared programs are run in pairs, one right after the other and in random order within
the pair, so that a machine that drifts, heats up or is shared moves both sides of a ratio and not the ratio. The figure
is the median over the pairs, its interval the distribution-free one between two order statistics.
"""

import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import comb

MIN_PAIRS = 7  # the fewest that carry a 95 % interval of a median with something to spare (5 would not, 6 just)
NO_SLOWER = 0.97  # of another build's speed


class Unavailable(Exception):
    """A row cannot be measured here; the text says what is missing."""


@dataclass(frozen=True)
class Goal:
    limit: float
    at_least: bool = True  # False: at most
    by_interval: bool = False  # met where the interval reaches it, whatever the median

    def __str__(self):
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}"

    def holds(self, value):
        return value >= self.limit if self.at_least else value <= self.limit


@dataclass(frozen=True)
class Row:
    """One line of the speed table. `ours` and `theirs` measure once and return the figure; they raise Unavailable."""

    name: str  # for the command line: ./dev bench NAME
    what: str
    against: str  # the reference in words; "" for a quantity of ours alone
    goal: Goal
    ours: Callable[[], float]
    theirs: Callable[[], float] | None = None
    unit: str = "×"
    rounds: int = 9  # pairs, or single measurements


@dataclass(frozen=True)
class Interval:
    median: float
    low: float
    high: float
    n: int


@dataclass
class Outcome:
    row: Row
    interval: Interval | None = None
    missing: str = ""  # why there is no interval
    pairs: list[tuple[float, float | None]] = field(default_factory=list)  # (ours, theirs) in the order measured

    @property
    def verdict(self):
        """The goal is judged by the median; "barely" marks an interval that reaches across it."""
        if self.interval is None:
            return "not measured"
        if self.row.goal.by_interval:
            return "met" if self.row.goal.holds(self.interval.high) else "NOT met"
        met = self.row.goal.holds(self.interval.median)
        whole = self.row.goal.holds(self.interval.low) == self.row.goal.holds(self.interval.high)
        return ("met" if met else "NOT met") + ("" if whole else ", barely")


def against(row, name, of_other):
    """The same quantity of ours as another build has it. `of_other` calls a function with that build's programs.

    A ratio of rates, whichever way the row's own goal points: below 1 the other build was better. The goal is to be no
    slower than noise shows.
    """
    rate = (lambda figure: figure) if row.goal.at_least else (lambda figure: 1 / figure)
    return replace(row, against=name, goal=Goal(NO_SLOWER, by_interval=True), unit="×",
                   ours=lambda: rate(row.ours()), theirs=lambda: rate(of_other(row.ours)))


def median_interval(values, confidence=0.95):
    """The median and the narrowest symmetric pair of order statistics that covers the true median with `confidence`.

    The k-th smallest and k-th largest of n miss it with probability 2 P(Binomial(n, 1/2) < k), whatever the
    distribution (Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2). Needs at least 6 values at 0.95.
    """
    ordered, n = sorted(values), len(values)
    rank, missed = 0, 2.0 ** (1 - n)
    while missed <= 1 - confidence:
        rank += 1
        missed += comb(n, rank) * 2.0 ** (1 - n)
    if rank == 0:
        raise ValueError(f"{n} values carry no {confidence:.0%} interval of the median")
    return Interval(statistics.median(ordered), ordered[rank - 1], ordered[n - rank], n)


def measure(row, order=None, progress=lambda done, of: None):
    """Measures a row: one unrecorded round to warm caches, then `row.rounds` recorded ones. `order`: random source."""
    order = order or random.Random()
    outcome = Outcome(row)
    try:
        for number in range(row.rounds + 1):
            progress(number, row.rounds + 1)
            sides = [row.ours] + ([row.theirs] if row.theirs else [])
            order.shuffle(sides)
            figures = {side: side() for side in sides}
            if row.theirs and figures[row.theirs] <= 0:
                raise Unavailable(f"{row.against} did nothing")
            if number > 0:
                outcome.pairs.append((figures[row.ours], figures.get(row.theirs)))
    except Unavailable as reason:
        outcome.missing = str(reason)
        return outcome
    outcome.interval = median_interval([ours / theirs if row.theirs else ours for ours, theirs in outcome.pairs])
    return outcome


def table(outcomes):
    """The outcomes as lines of text, columns aligned."""
    lines = [("row", "what", "against", "median", "95 % interval", "n", "goal", "verdict")]
    for outcome in outcomes:
        row, at = outcome.row, outcome.interval
        figures = (f"{at.median:.3g} {row.unit}", f"{at.low:.3g} .. {at.high:.3g}", str(at.n)) if at else ("–", "–", "–")
        verdict = outcome.verdict if at else f"{outcome.verdict}: {outcome.missing}"
        lines.append((row.name, row.what, row.against or "–", *figures, f"{row.goal} {row.unit}", verdict))
    widths = [max(map(len, column)) for column in zip(*lines)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
