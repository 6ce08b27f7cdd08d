"""`neph bill` and an independent implementation of bills agree on cases at random: all rules that are built in, and rules of
any keys, with starts around the days on which clocks are moved."""

import json
import random
import tomllib
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

import bill_reference as reference
from paths import REPOSITORY

CASES = 10_000
ZONES = ["Europe/Moscow", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]
MOVED = ["2026-03-29T01:00", "2026-10-25T01:00", "2026-03-08T07:00", "2026-11-01T06:00",  # UTC: Berlin, New York
         "2026-04-04T15:00", "2026-10-03T15:30"]  # Lord Howe, by half an hour
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
STAGES = list(reference.BILLED)
PRICES = ["100RUB/h", "0.40 USD/h", "$12.24/h", "0.000386EUR/s", "3 EUR/day", "1e-05USD/h", "0USD/h", "365 USD/month"]
PER_HOUR = [Fraction(100), Fraction(2, 5), Fraction(1224, 100), Fraction(386 * 3600, 10**6), Fraction(3, 24),
            Fraction(1, 10**5), Fraction(0), Fraction(365, 730)]


def built_in():
    files = sorted((REPOSITORY / "src/price/rules").glob("*.toml"))
    return [tomllib.loads(file.read_text()) for file in files]


def any_rule(draw):
    align = draw.choice(["start", "clock"])
    rule = {
        "name": "any", "source": "a test", "date": "2026-11-25", "align": align,
        "step_s": draw.choice([60, 600, 900, 3600, 7200, 21600, 86400] if align == "clock" else [0, 1, 60, 600, 3600]),
        "minimum_s": draw.choice([0, 0, 60, 100, 3600]), "minimum_per": draw.choice(["start", "bill"]),
        "time_zone": draw.choice(ZONES), "idle_s": draw.choice([0, 0, 5, 300]),
        "billed": {stage: draw.random() < 0.8 for stage in STAGES},
    }
    if align == "start":
        return rule | {"rounding": draw.choice(["up", "up", "down"])}
    return rule | {"within": draw.choice(["sum", "most"])}


def any_length(draw):
    """As text and in nanoseconds; whole steps often, because that is where rounding turns."""
    kind = draw.randrange(6)
    if kind == 0:
        return "0", 0
    if kind == 1:
        hours, minutes = draw.randrange(4), draw.randrange(60)
        return f"{hours}h{minutes}min", (hours * 60 + minutes) * UNITS["min"]
    if kind == 2:
        tenths = draw.randrange(1, 400)
        return f"{tenths // 10}.{tenths % 10}min", tenths * UNITS["min"] // 10
    unit = draw.choice(["ns", "us", "ms", "s", "s", "s"])
    number = draw.randrange(10_000)
    return f"{number}{unit}", number * UNITS[unit]


def any_begin(draw, zone):
    """A moment in whole seconds, and how a person of that zone writes it."""
    if draw.random() < 0.5:
        moved = datetime.fromisoformat(draw.choice(MOVED)).replace(tzinfo=timezone.utc)
        moment = moved + timedelta(seconds=draw.randrange(-6 * 3600, 6 * 3600))
    else:
        moment = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=draw.randrange(365 * 86400))
    if draw.random() < 0.3:
        moment = moment.replace(minute=0, second=0)
    wall = moment.astimezone(ZoneInfo(zone))
    is_twice = wall.replace(fold=0).utcoffset() != wall.replace(fold=1).utcoffset()
    text = wall.strftime("%Y-%m-%dT%H:%M:%S")
    if is_twice or draw.random() < 0.5:
        text = wall.isoformat()
    return moment, text


def any_case(draw, rules):
    rule = draw.choice(rules) if draw.random() < 0.5 else any_rule(draw)
    which = draw.randrange(len(PRICES))
    zone = draw.choice(["", "Europe/Berlin", "America/New_York", "Europe/Moscow"])
    read_on = zone or rule.get("time_zone", "UTC")
    jobs = draw.choice([1, 1, 1, 2, 5])
    moment, text = any_begin(draw, read_on)
    asked, starts = [], []
    for _ in range(draw.choice([1, 1, 2, 3])):
        lengths = [(stage, *any_length(draw)) for stage in sorted(draw.sample(STAGES, draw.randrange(1, 6)), key=STAGES.index)]
        asked.append({"start": text, "phases": [f"{stage}={length}" for stage, length, _ in lengths]})
        stages = in_jobs(reference.with_idle(rule, [(stage, ns) for stage, _, ns in lengths], ("poweroff", "off")), jobs)
        begin = int((moment - reference.EPOCH).total_seconds()) * reference.SECOND
        starts.append(reference.Start(begin, stages))
        taken_s = sum(ns for _, ns in stages) // reference.SECOND + 1
        moment += timedelta(seconds=taken_s + draw.choice([0, draw.randrange(600), draw.randrange(7200)]))
        text = moment.astimezone(timezone.utc).isoformat()
    name = rule["name"] if rule in rules else rule
    case = {"rule": name, "price": PRICES[which], "jobs": jobs, "starts": asked} | ({"zone": zone} if zone else {})
    return case, (rule, PER_HOUR[which], starts)


def in_jobs(stages, jobs):
    """From data_load to idle as often as there are jobs, between what a machine does once."""
    once = {"provision", "boot", "install", "poweroff", "off"}
    before = [each for each in stages if each[0] in ("provision", "boot", "install")]
    job = [each for each in stages if each[0] not in once]
    return before + job * jobs + [each for each in stages if each[0] in ("poweroff", "off")]


def test_ten_thousand_bills_are_those_of_an_independent_implementation(neph):
    draw, rules = random.Random(26), built_in()
    cases = [any_case(draw, rules) for _ in range(CASES)]
    (neph.folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case, _ in cases))
    lines = neph("bill", "--cases", "cases.jsonl").stdout.splitlines()
    assert len(lines) == CASES
    totals = set()
    for (case, given), line in zip(cases, lines, strict=True):
        found = json.loads(line)
        paid, exact, amount = reference.bill(*given)
        assert found["total"]["amount"] == reference.money(amount), (case, found)
        assert (found["billed_s"], found["exact_s"]) == (paid / 10**9, exact / 10**9), (case, found)
        totals.add(found["total"]["amount"])
    assert len(totals) > CASES / 10, "cases that differ"
    assert {case["rule"] for case, _ in cases if isinstance(case["rule"], str)} == {rule["name"] for rule in rules}


def test_a_case_that_makes_no_sense_has_its_error_and_others_their_bill(neph):
    good = {"rule": "gcp", "price": "1USD/h", "starts": [{"start": "2026-11-24T13:25", "phases": ["learn=1h"]}]}
    skipped = good | {"zone": "Europe/Berlin", "starts": [{"start": "2026-03-29T02:30", "phases": ["learn=1h"]}]}
    lines = [good, good | {"rule": "gpc"}, skipped, good | {"starts": []}, "{"]
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (neph.folder / "cases.jsonl").write_text(text)
    done = neph("bill", "--cases", "cases.jsonl", code=2)
    assert "4 of 5 cases are refused" in done.stderr
    bills = [json.loads(line) for line in done.stdout.splitlines()]
    assert bills[0]["total"]["amount"] == "1.00"
    assert "did you mean 'gcp'?" in bills[1]["error"]
    assert "the clock skips it" in bills[2]["error"]
    assert "starts: none" in bills[3]["error"] and "line 5" in bills[4]["error"]
