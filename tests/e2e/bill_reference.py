"""Bills in Python, written from the keys of a billing rule (`neph price rules --json`, src/price/rules/*.toml) and from
what providers say, not from the program. Fractions, no floating point.

What a rule says:

* A stage is paid where `billed` says so. A start of which no stage is paid costs nothing.
* `align = "start"`: what is paid of a start is the sum of its paid stages, at least `minimum_s` (`minimum_per = "start"`), in
  whole steps of `step_s`, up or down, and never less than the minimum; 0 is no step. A provider that keeps a machine
  ready after a job has it paid: `idle_s`, unless the stages say otherwise.
* `align = "clock"`: all steps of the wall clock of `time_zone` that a paid stretch touches. A step lasts until the clock
  comes to read the beginning of another, counted from midnight, or is moved onto or over one: a day has 23 to 25 hours.
  Stages that follow each other are one stretch, and one of no length touches nothing; a minimum makes the last one longer.
  `within = "most"`: a step that several starts touch is paid once.
* `minimum_per = "bill"`: the minimum, in whole steps, is paid once for all starts, if any time at all was paid.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import gcd
from zoneinfo import ZoneInfo

SECOND = 10**9  # nanoseconds
QUARTER = 900  # seconds
DEFAULTS = {
    "step_s": 1, "rounding": "up", "minimum_s": 0, "minimum_per": "start", "align": "start", "within": "sum", "time_zone": "UTC"
}
BILLED = {
    "provision": False, "boot": True, "install": True, "data_load": True, "start": True, "learn": True, "verify": True,
    "save": True, "idle": True, "poweroff": True, "off": False,
}
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass
class Start:
    begin: int  # nanoseconds since 1970
    stages: list  # of (name, nanoseconds)


def bill(rule, per_hour, starts):
    """(paid nanoseconds, nanoseconds of paid stages, exact amount)."""
    rule = DEFAULTS | rule
    billed = BILLED | rule.get("billed", {})
    exact, paid, touched = 0, 0, set()
    for start in starts:
        stretches = paid_stretches(start, billed)
        used = sum(end - begin for begin, end in stretches)
        exact += used
        if not stretches:
            continue
        least = rule["minimum_s"] * SECOND if rule["minimum_per"] == "start" else 0
        if rule["align"] == "start":
            paid += max(in_steps(rule, max(used, least)), least)
            continue
        begin, end = stretches.pop()
        stretches.append((begin, end + max(least - used, 0)))
        steps = set().union(*(steps_touched(rule, *stretch) for stretch in stretches))
        if rule["within"] == "sum":
            paid += total(steps)
        touched |= steps
    if rule["within"] == "most":
        paid = total(touched)
    if rule["minimum_per"] == "bill" and exact > 0:
        paid = max(paid, in_steps(rule, rule["minimum_s"] * SECOND), rule["minimum_s"] * SECOND)
    return paid, exact, per_hour * Fraction(paid, 3600 * SECOND)


def paid_stretches(start, billed):
    stretches, now = [], start.begin
    for name, length in start.stages:
        if billed[name]:
            joined = stretches and stretches[-1][1] == now
            begin = stretches.pop()[0] if joined else now
            stretches.append((begin, now + length))
        now += length
    return stretches


def with_idle(rule, stages, jobs_end):
    """The stages of one job with the idle time of the rule, before those that come after a job (`jobs_end`)."""
    names = [stage[0] for stage in stages]
    if not rule.get("idle_s") or "idle" in names or not set(names) & {"data_load", "start", "learn", "verify", "save"}:
        return stages
    before = [stage for stage in stages if stage[0] not in jobs_end]
    return [*before, ("idle", rule["idle_s"] * SECOND), *stages[len(before):]]


def in_steps(rule, length):
    step = rule["step_s"] * SECOND
    if step == 0:
        return length
    whole = length // step
    return (whole + (1 if rule["rounding"] == "up" and length % step else 0)) * step


def total(steps):
    return sum(end - begin for begin, end in steps)


def steps_touched(rule, begin, end):
    """(begin, end) of all steps of the wall clock that the stretch touches, in nanoseconds since 1970."""
    if begin == end:
        return set()
    grain = gcd(rule["step_s"], QUARTER) * SECOND  # clocks differ by quarters of an hour
    bound = begin // grain * grain
    while not is_step_begin(rule, bound):
        bound -= grain
    steps = set()
    while bound < end:
        last, bound = bound, bound + grain
        while not is_step_begin(rule, bound):
            bound += grain
        steps.add((last, bound))
    return steps


@cache
def begins_by_rule(step_s, zone, instant):
    """Whether the clock reads a whole step at that moment, would have read one, or was moved over one."""
    reads = wall_second(zone, instant)
    expected = wall_second(zone, instant - SECOND) + 1
    return reads % step_s == 0 or expected % step_s == 0 or (reads > expected and reads // step_s > expected // step_s)


def is_step_begin(rule, instant):
    return begins_by_rule(rule["step_s"], rule["time_zone"], instant)


def wall_second(zone, instant):
    """Seconds that the wall clock reads since a midnight long ago; days are whole multiples of each step."""
    wall = (EPOCH + timedelta(seconds=instant // SECOND)).astimezone(ZoneInfo(zone))
    return wall.toordinal() * 86400 + wall.hour * 3600 + wall.minute * 60 + wall.second


def money(amount):
    """Half up at the sixth decimal; two decimals at least."""
    with localcontext() as context:
        context.prec = 80
        millionths = Decimal((amount * 10**6 * 2 + 1) // 2)  # half up, of what is not below 0
        text = f"{(millionths / 10**6).quantize(Decimal('0.000001'), rounding=ROUND_HALF_UP):f}"
    whole, decimals = text.split(".")
    return f"{whole}.{decimals.rstrip('0').ljust(2, '0')}"
