"""The frame's statistics against published values, and its verdicts."""

import random

import pytest
from frame import Goal, Interval, Outcome, Row, Unavailable, against, measure, median_interval, table


@pytest.mark.parametrize("n, low, high", [(6, 1, 6), (7, 1, 7), (8, 1, 8), (9, 2, 8), (10, 2, 9), (20, 6, 15), (25, 8, 18)])
def test_interval_ranks_are_those_of_the_published_table(n, low, high):
    """Hahn, Meeker, Escobar: Statistical Intervals, 2nd ed., table J.16a: two-sided 95 % for the median."""
    interval = median_interval(random.Random(n).sample(range(1, n + 1), n))
    assert (interval.low, interval.high, interval.median) == (low, high, (n + 1) / 2)


def test_five_values_carry_no_interval():
    with pytest.raises(ValueError, match="5 values"):
        median_interval([1, 2, 3, 4, 5])


def test_interval_covers_the_median_of_a_skewed_distribution_as_often_as_it_says():
    source = random.Random(11)
    covered = 0
    for _ in range(4000):
        interval = median_interval([source.expovariate(1) for _ in range(9)])
        covered += interval.low <= 0.693147 <= interval.high
    assert covered / 4000 == pytest.approx(0.961, abs=0.012)


def row(ours=lambda: 2.0, theirs=None, **changes):
    return Row(**{"name": "r", "what": "w", "against": "", "goal": Goal(2), "ours": ours, "theirs": theirs} | changes)


def test_pairs_stay_pairs_whatever_their_order():
    calls = []
    speed = iter(range(100, 200))  # a machine that gets faster all the time

    def side(name, factor):
        calls.append(name)
        return factor * (next(speed) // 2)

    outcome = measure(row(lambda: side("ours", 3), lambda: side("theirs", 1)), random.Random(1))
    assert outcome.interval == Interval(3, 3, 3, 9)
    assert len(calls) == 20 and {"".join(pair) for pair in zip(calls[::2], calls[1::2])} == {"ourstheirs", "theirsours"}


def test_what_cannot_be_measured_says_why():
    def absent():
        raise Unavailable("x is not built")

    outcome = measure(row(absent))
    assert outcome.interval is None and outcome.verdict == "not measured"
    assert "x is not built" in table([outcome])[1]


def test_a_reference_that_did_nothing_makes_no_ratio():
    outcome = measure(row(theirs=lambda: 0, against="a server"))
    assert outcome.verdict == "not measured" and outcome.missing == "a server did nothing"


@pytest.mark.parametrize("at_least", [True, False])
def test_against_another_build_more_is_better_whatever_the_row_counts(at_least):
    doubled = against(row(lambda: 2.0, goal=Goal(9, at_least)), "abc", lambda figure: 2 * figure())
    outcome = measure(doubled)
    assert outcome.interval.median == (0.5 if at_least else 2) and doubled.against == "abc"
    assert outcome.verdict == ("NOT met" if at_least else "met")


def test_noise_is_not_called_slower_than_another_build():
    noisy = against(row(), "abc", lambda figure: figure())
    assert Outcome(noisy, Interval(0.95, 0.9, 0.98, 9)).verdict == "met"
    assert Outcome(noisy, Interval(0.95, 0.9, 0.96, 9)).verdict == "NOT met"


@pytest.mark.parametrize(
    "low, median, high, at_least, verdict",
    [(2.1, 2.2, 2.3, True, "met"), (1.9, 2.2, 2.3, True, "met, barely"), (1.7, 1.9, 2.1, True, "NOT met, barely"),
     (1, 1, 1, True, "NOT met"), (1, 1, 1, False, "met"), (2.1, 2.2, 2.3, False, "NOT met")],
)
def test_verdict(low, median, high, at_least, verdict):
    outcome = Outcome(row(goal=Goal(2, at_least)), Interval(median, low, high, 9))
    assert outcome.verdict == verdict
