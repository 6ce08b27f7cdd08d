"""`neph bill`: of stages that are given, of stored experiments, and what of money other verbs show. That bills are right is
shown by src/price/*_test.cpp and test_bill_reference.py."""

import csv
import io
import json
from fractions import Fraction

import pytest
from cells import TRAINED
from conftest import Neph
from paths import REPOSITORY

SECONDS_OF_THE_CLOCK = """
name = "second"
step_s = 1
align = "clock"
source = "a test"
date = "2026-11-25"
"""
BERLIN_HOURS = SECONDS_OF_THE_CLOCK.replace("step_s = 1", 'step_s = 3600\ntime_zone = "Europe/Berlin"')
A_SECOND = ("--price", "3600USD/h")  # so that amounts are seconds
PUBLISHED = "boot=40s,install=5min,learn=20min,save=15s"
SELECTEL = ("--rule", "selectel", "--price", "100RUB/h")


def lengths(bill):
    """Of those that were there, in seconds."""
    return {line["stage"]: line["length_s"] for line in bill["lines"] if line.get("known", "absent") != "absent"}


def known(bill):
    return {line["stage"]: line["known"] for line in bill["lines"] if "known" in line}


def amount(bill):
    return bill["total"]["amount"]


def test_a_bill_from_now_begins_at_a_whole_second(neph):
    (neph.folder / "second.toml").write_text(SECONDS_OF_THE_CLOCK)
    phase = ("--price", "1USD/h", "--phase", "learn=1s")
    bill = neph.json("bill", "--rules", "second.toml", "--rule", "second", *phase)
    assert bill["billed_s"] == 1, "it touches no second second of the clock"


def test_lengths_on_the_command_line_are_given(neph):
    bill = neph.json("bill", "--price", "1USD/h", "--phase", "boot=40s,learn=1h")
    assert [line.get("known") for line in bill["lines"]] == ["given", "given", None]


def test_a_provider_that_keeps_machines_ready_is_paid_for_it(neph):
    arguments = ("bill", "--rule", "runpod-serverless", *A_SECOND, "--phase", "start=2s,learn=8s")
    bill = neph.json(*arguments)
    assert amount(bill) == "15.00" and known(bill)["idle"] == "assumed" and lengths(bill)["idle"] == 5
    assert amount(neph.json(*arguments, "--idle", "0")) == "10.00"


def test_the_published_example(neph):
    bill = neph.json("bill", *SELECTEL, "--start", "2026-11-24T13:25+03:00", "--phase", PUBLISHED)
    assert bill["total"] == {"amount": "100.00", "currency": "RUB"}
    assert bill["billed_s"] == 3600 and bill["exact_s"] == 1555
    assert bill["paid_until"] == "2026-11-24T14:00:00+03:00"
    text = neph("bill", *SELECTEL, "--start", "13:50", "--phase", PUBLISHED).stdout
    assert "200.00" in text and "docs.selectel.ru" in text and "Not in it: disk, address." in text


def test_rules_side_by_side_are_one_table_above_the_ledgers(neph):
    arguments = ("bill", "--rule", "scaleway-cpu,selectel,aws-ec2", "--price", "3USD/h", "--start", "2026-11-24T13:50+03:00")
    lines = neph(*arguments, "--phase", PUBLISHED).stdout.splitlines()
    assert lines[0].split() == ["rule", "takes", "billed", "USD", "paid", "until"]
    assert [line.split()[0] for line in lines[1:4]] == ["scaleway-cpu", "selectel", "aws-ec2"]
    assert " 6.00 " in lines[2] and "2026-11-24T15:00:00+03:00" in lines[2]
    bills = neph.json(*arguments, "--phase", PUBLISHED)
    assert [amount(bill) for bill in bills] == ["3.00", "6.00", "1.295833"]


def test_the_minute_of_the_start_is_swept(neph):
    arguments = ("bill", *SELECTEL, "--start", "sweep", "--phase", PUBLISHED)
    assert "Start at :00, not at :35: 100.00 instead of 200.00 RUB." in neph(*arguments).stdout
    bill = neph.json(*arguments)
    assert bill["sweep"] == [
        {"from_minute": 0, "to_minute": 34, "total": "100.00"}, {"from_minute": 35, "to_minute": 59, "total": "200.00"}
    ]  # fmt: skip
    assert amount(bill) == "100.00", "the ledger is that of the best"


def test_several_jobs_idle_time_and_a_warm_machine(neph):
    stages = ("--rule", "exact", *A_SECOND, "--phase", "boot=40s,learn=100s,poweroff=10s")
    assert amount(neph.json("bill", *stages, "--jobs", 3)) == "350.00"
    assert amount(neph.json("bill", *stages, "--jobs", 3, "--idle", "20s")) == "410.00"
    starts = ("--start", "2026-11-24T13:00,2026-11-24T15:00")
    assert amount(neph.json("bill", *stages, *starts)) == "300.00"


def test_a_start_is_read_on_another_clock(neph):
    bill = neph.json("bill", *SELECTEL, "--start", "2026-11-24T13:25", "--zone", "Europe/Berlin", "--phase", "learn=15min")
    assert bill["start"] == "2026-11-24T15:25:00+03:00"


# ---- Of offers

LISTS = ("--offers", REPOSITORY / "examples/prices.csv")
AN_HOUR = ("--phase", "learn=1h")


def test_an_offer_has_its_price_its_rule_and_its_source(neph):
    bill = neph.json("bill", "--offer", "azure/Standard_NC6@westus2", *LISTS, *AN_HOUR)
    assert bill["rule"] == "azure" and bill["total"] == {"amount": "0.90", "currency": "USD"}
    assert bill["offer"]["region"] == "westus2" and bill["offer"]["catalogue"].endswith("prices.csv") and bill["offer"]["date"]
    text = neph("bill", "--offer", "azure/Standard_NC6@westus2", *LISTS, *AN_HOUR).stdout
    assert text.startswith("azure/Standard_NC6@westus2, on demand, of ") and "not confirmed" in text


def test_an_offer_for_spot_and_by_another_rule(neph):
    spot = neph.json("bill", "--offer", "azure/Standard_NC6", "--spot", *LISTS, *AN_HOUR)
    assert amount(spot) == "0.099" and spot["offer"]["spot"]
    assert "Spot: " in neph("bill", "--offer", "azure/Standard_NC6", "--spot", *LISTS, *AN_HOUR).stdout
    others = neph.json("bill", "--offer", "azure/Standard_NC6", "--rule", "gcp,scaleway-cpu", *LISTS, *AN_HOUR)
    assert [bill["rule"] for bill in others] == ["gcp", "scaleway-cpu"]


def test_an_offer_whose_provider_has_no_rule_is_billed_per_second_and_says_so(neph):
    arguments = ("bill", "--offer", "nebius/cpu-d3_8vcpu-32gb", *LISTS, *AN_HOUR)
    assert neph.json(*arguments)["rule"] == "per-second"
    assert "assumed: no rule of 'nebius' is known" in neph(*arguments).stdout


@pytest.mark.parametrize(
    ("offer", "said"),
    [("azure", "PROVIDER/MACHINE"), ("azzure/Standard_NC6", "did you mean 'azure'?"),
     ("azure/Standard_NC66", "did you mean 'Standard_NC6'?"), ("azure/Standard_NC6@moon", "region 'moon'")],
)  # fmt: skip
def test_an_unknown_offer_is_told_in_a_line(neph, offer, said):
    done = neph("bill", "--offer", offer, *LISTS, *AN_HOUR, code=None)
    assert done.returncode in (2, 3) and said in done.stderr and done.stderr.count("\n") == 1, done.stderr


def test_an_offer_without_a_price_for_spot(neph):
    done = neph("bill", "--offer", "lambda/cpu_4x_general", "--spot", *LISTS, *AN_HOUR, code=3)
    assert "has no price for spot in these lists; leave --spot out" in done.stderr


def test_the_cheapest_offer_is_not_chosen_among_currencies_by_their_numbers(neph):
    (neph.folder / "own.csv").write_text(
        "instance,region,price,currency\ndesk,a,100,RUB\ndesk,b,2,USD\n", encoding="utf-8"
    )
    arguments = ("bill", "--offer", "own/desk", "--offers", "own.csv", *AN_HOUR)
    assert "which are not compared without a rate: --rate" in neph(*arguments, code=2).stderr
    bill = neph.json(*arguments, "--rate", "USD=90RUB")
    assert bill["total"] == {"amount": "100.00", "currency": "RUB"} and bill["offer"]["region"] == "a"
    assert amount(neph.json("bill", "--offer", "own/desk@b", *arguments[3:])) == "2.00", "there is one"


def test_an_offer_in_a_region_is_not_that_of_a_longer_name(neph):
    (neph.folder / "azure.csv").write_text("instance,region,price\nNC6,westus2,1\nNC6,westus,3\n")
    assert amount(neph.json("bill", "--offer", "azure/NC6@westus", "--offers", "azure.csv", *AN_HOUR)) == "3.00"


# ---- Of experiments


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A store with an experiment of two configurations, two runs each, of which 20 steps were measured; its machine has a
    price."""
    neph = Neph(tmp_path_factory.mktemp("trained"))
    (neph.folder / "known.identity").write_text(f"service_ms = 2\n[training]\nwander = 0.05\n{TRAINED}")
    data = ("--framework", "identity", "--data", "synth", "--synth-samples", 640, "--batch", "32,64")
    neph("train", "known.identity", *data, "--epochs", 50, "--steps", 40, "--repeat", 2, "--price", "3.6USD/h", "--rule", "gcp")
    return neph


@pytest.fixture(scope="module")
def exported(trained):
    return json.loads(trained("export", "--format", "json").stdout)


def test_an_experiment_is_billed_as_it_was_measured(trained, exported):
    bills = trained.json("bill", 1, "--rule", "exact", *A_SECOND)
    assert [bill["configuration"] for bill in bills] == ["batch 32", "batch 64"]
    for bill, cell in zip(bills, exported["cells"], strict=True):
        phases = {name: phase["value"] for name, phase in cell["phases"].items()}
        whole = cell["figures"]["training_s"]["value"]
        start = sum(phases.get(name, 0) for name in ("process_start", "prepare"))
        wanted = 40 + 300 + 30 + start + whole + phases["save"]
        assert float(amount(bill)) == pytest.approx(wanted, abs=1e-5)
        found = lengths(bill)
        assert found["verify"] == pytest.approx(50 * cell["figures"]["verify_s"]["value"], abs=1e-6)
        steps = phases["first_step"]
        assert found["learn"] + found["verify"] + steps == pytest.approx(whole, abs=1e-6), "the whole training's"
        assert known(bill)["boot"] == "assumed" and known(bill)["learn"] == "measured"
        assert Fraction(bill["total_low"]) < Fraction(amount(bill)) < Fraction(bill["total_high"])


def test_configurations_are_a_table_and_one_is_a_ledger(trained):
    table = trained("bill", 1, "--rule", "exact", *A_SECOND).stdout
    assert table.splitlines()[0].startswith("configuration") and "range" in table and "batch 64" in table
    assert "rule of 2026: docs.boxlite.ai" in table and "Assumed: boot" in table
    ledgers = {trained("bill", 1, *A_SECOND, "--cell", cell, "--start", "2026-11-24T13:25").stdout for cell in ("1", "batch 64")}
    (ledger,) = ledgers
    assert ledger.startswith("experiment 1, batch 64 (2 runs)") and "learn" in ledger
    assert "Assumed: boot 40.0 s, install 5 min 0 s, poweroff 30.0 s; each may take half or twice as long." in ledger
    assert "where all stages are at the ends of their 95 % intervals" in ledger


def test_each_configuration_has_its_best_minute(trained):
    table = trained("bill", 1, *SELECTEL, "--start", "sweep").stdout
    assert "start at" in table.splitlines()[0] and "at worst" in table.splitlines()[0] and " 200.00 " in table


def test_one_run_has_no_interval_of_what_was_measured_once(trained):
    bill = trained.json("bill", "--run", 2, "--rule", "exact", *A_SECOND)
    assert bill["run"] == 2 and bill["experiment"] == 1
    text = trained("bill", 1, "--run", 2, *A_SECOND).stdout
    assert "start" in text and ("have none" in text or "No interval: too few runs of" in text)


def test_a_warm_machine_is_neither_started_nor_switched_off(trained):
    bill = trained.json("bill", 1, "--cell", 0, "--warm", "--idle", "1min", "--rule", "exact", *A_SECOND)
    assert not {"boot", "install", "poweroff"} & set(lengths(bill)) and lengths(bill)["idle"] == 60


def test_what_is_assumed_and_given_goes_before_the_usual(trained):
    around = ("--assume", "boot=10s,provision=20s", "--phase", "install=1min")
    bill = trained.json("bill", 1, "--cell", 0, "--rule", "exact", *A_SECOND, *around)
    assert {stage: lengths(bill)[stage] for stage in ("provision", "boot", "install", "poweroff")} == {
        "provision": 20, "boot": 10, "install": 60, "poweroff": 30
    }  # fmt: skip
    assert known(bill)["install"] == "given" and known(bill)["provision"] == "assumed"


def test_marks_of_a_script_are_measured(trained):
    marks = [("boot", 0, 41.5), ("install", 41.5, 90), ("data_load", 90, 93), ("learn", 93, 200), ("save", 200, 204)]
    lines = [json.dumps({"stage": stage, "begin_s": begin, "end_s": end}) for stage, begin, end in marks]
    (trained.folder / "run.marks").write_text("\n".join(lines))
    marked = ("--marks", "run.marks", "--rule", "exact", *A_SECOND)
    bill = trained.json("bill", 1, "--cell", 0, *marked)
    assert lengths(bill)["boot"] == 41.5 and known(bill)["install"] == "measured"
    assert known(bill)["poweroff"] == "assumed", "nobody sees his own end"
    assert lengths(bill)["learn"] != 107, "a job's own times go before those of the script"
    alone = trained.json("bill", *marked)
    assert amount(alone) == "234.00" and lengths(alone)["learn"] == 107
    again = [{"stage": "boot", "begin_s": 40000, "end_s": 40030}, {"stage": "learn", "begin_s": 40030, "end_s": 40060}]
    (trained.folder / "twice.marks").write_text("\n".join([*lines, *map(json.dumps, again)]))
    twice = trained.json("bill", "--marks", "twice.marks", "--rule", "gcp-2017", "--price", "0.6USD/h", "--start", "10:00")
    assert amount(twice) == "0.20", "two starts of ten minutes at least"
    refused = trained("bill", 1, "--marks", "twice.marks", *A_SECOND, code=None)
    assert "2 starts are marked in it" in refused.stderr
    (trained.folder / "container.marks").write_text("\n".join(lines[1:]))
    inside = trained.json("bill", 1, "--cell", 0, "--marks", "container.marks", *A_SECOND)
    assert known(inside)["boot"] == "absent" and "boot" not in lengths(inside)


# ---- Money beside other results


def test_costs_stand_beside_what_was_measured(exported):
    cell = exported["cells"][0]
    figures = cell["figures"]
    assert exported["currency"] == "USD" and exported["experiment"]["price"] == "3.6USD/h"
    epoch, cost = figures["epoch_s"], figures["cost_per_epoch"]
    assert cost["value"] == pytest.approx(0.001 * epoch["value"]) and cost["low"] == pytest.approx(0.001 * epoch["low"])
    training = figures["training_s"]["value"]
    whole = Fraction(max(60, -int(-training // 1)), 1000)
    assert figures["cost_of_training"]["value"] == pytest.approx(float(whole)), "gcp: whole seconds, 60 at least"
    assert sum(cost["value"] for cost in cell["costs"].values()) == pytest.approx(figures["cost_of_run"]["value"])
    assert cell["costs"]["boot (assumed)"]["value"] == pytest.approx(0.04)


def test_costs_are_in_tables_and_pages(trained):
    rows = list(csv.DictReader(io.StringIO(trained("export").stdout)))
    assert rows[0]["currency"] == "USD" and float(rows[0]["cost_of_run"]) > 0
    assert "USD/training" in trained("export", "--format", "markdown").stdout
    assert "USD/training" in trained("show", 1).stdout
    trained("report", 1)
    page = (trained.folder / "neph-report.html").read_text()
    assert "What a run costs" in page and "USD/training" in page


def test_a_report_takes_another_price(trained):
    other = json.loads(trained("export", 1, "--format", "json", "--price", "100RUB/h", "--rule", "selectel").stdout)
    assert other["currency"] == "RUB" and other["cells"][0]["figures"]["cost_of_run"]["value"] == 100
    again = json.loads(trained("export", 1, "--format", "json").stdout)
    assert again["currency"] == "USD", "it is of that export alone"


def test_an_experiment_of_a_file_has_a_price(neph):
    (neph.folder / "known.identity").write_text(f"service_ms = 1\n{TRAINED}")
    (neph.folder / "x.toml").write_text(
        'repeat = 1\nprice = "1USD/h"\n[train]\nmodel = "known.identity"\ndata = "synth"\nengine = "identity"\nsynth_samples = 640\n'
    )
    document = neph.json("run", "x.toml")
    assert document["currency"] == "USD" and "--price 1USD/h" in document["experiment"]["command"]
    assert neph.json("run", "x.toml", "--price", "2EUR/h")["currency"] == "EUR"


# ---- What makes no sense

WRONG = [
    (("--price", "1USD/h"), "what is billed? Name an experiment"),
    (("--phase", "learn=1h"), "no price given"),
    (("--price", "-1USD/h", "--phase", "learn=1h"), "price '-1USD/h' is below 0"),
    (("--price", "nanUSD/h", "--phase", "learn=1h"), "'nan' is no number"),
    (("--price", "1/h", "--phase", "learn=1h"), "in which currency?"),
    (("--price", "1USD", "--phase", "learn=1h"), "per what time?"),
    (("--price", "1USD/h,2EUR/h", "--phase", "learn=1h"), "is no unit of time"),
    (("--price", "1USD/h", "--phase", "learn=-1h"), "-1h"),
    (("--price", "1USD/h", "--phase", "learn"), "--phase learn: how long?"),
    (("--price", "1USD/h", "--phase", "laern=1h"), "did you mean 'learn'?"),
    (("--price", "1USD/h", "--phase", "learn=1h", "--rule", "selektel"), "did you mean 'selectel'?"),
    (("--price", "1USD/h", "--phase", "learn=1h", "--start", "25:00"), "25:00"),
    (("--price", "1USD/h", "--phase", "learn=1h", "--start", "2026-02-30T10:00"), "2026-02-30"),
    (("--price", "1USD/h", "--phase", "learn=1h", "--zone", "Mars/Base", "--start", "10:00"), "no time zone 'Mars/Base'"),
    (("--price", "1USD/h", "--phase", "learn=1h", "--start", "2026-11-24T13:00,2026-11-24T13:30"), "start 2 begins before start 1 has ended"),
    (("--price", "1USD/h", "--phase", "learn=1h", "--jobs", "0"), "--jobs: 0 is below 1"),
    (("--price", "1USD/h", "--phase", "learn=1h", "--jobs", "10001"), "--jobs: 10001 is above 10000"),
    (("--price", "1USD/h", "--phase", "learn=1h", "--idle", "10"), "10"),
    (("--price", "1USD/h", "--phase", "learn=200y"), "200y"),
    (("--price", "1USD/h", "--phase", "learn=1h", "--spot"), "--spot goes with --offer"),
    (("--price", "1USD/h", "--offer", "aws/x", "--phase", "learn=1h"), "which of the two is it?"),
    (("--price", "1USD/h", "--cell", "1", "--phase", "learn=1h"), "of which experiment?"),
    (("--price", "1USD/h", "--marks", "none.marks"), "none.marks"),
    (("--cases", "none.jsonl"), "none.jsonl"),
    ((1, "--price", "1USD/h"), "no such store"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_makes_no_sense_is_told_in_a_line(neph, arguments, said):
    done = neph("bill", *arguments, code=None)
    assert done.returncode in (2, 3, 4), done.stderr
    assert said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout, done.stderr


def test_a_start_that_the_clock_skips_or_has_twice(neph):
    (neph.folder / "berlin.toml").write_text(BERLIN_HOURS)
    arguments = ("bill", "--rules", "berlin.toml", "--rule", "second", "--price", "1EUR/h", "--phase", "learn=1h")
    assert "the clock skips it" in neph(*arguments, "--start", "2026-03-29T02:30", code=2).stderr
    assert "is there twice" in neph(*arguments, "--start", "2026-10-25T02:30", code=2).stderr
    assert amount(neph.json(*arguments, "--start", "2026-10-25T02:30+02:00")) == "2.00"


MARKS = [
    ('{"stage": "boot", "begin_s": 5, "end_s": 4}', "line 1: boot ends before it begins"),
    ('{"stage": "boot", "begin_s": 0, "end_s": 4}\n{"stage": "learn", "begin_s": 3, "end_s": 9}', "begins before boot"),
    ('{"stage": "bot", "begin_s": 0, "end_s": 4}', "did you mean 'boot'?"),
    ('{"stage": "boot", "begin_s": "now", "end_s": 4}', "no number begin_s"),
    ("", "no marks in it"),
    ("\x00\xff", "line 1"),
]


@pytest.mark.parametrize(("marks", "said"), MARKS, ids=[said for _, said in MARKS])
def test_wrong_marks_are_told_with_their_line(neph, marks, said):
    (neph.folder / "run.marks").write_text(marks, encoding="latin-1")
    done = neph("bill", "--price", "1USD/h", "--marks", "run.marks", code=None)
    assert done.returncode in (2, 7) and said in done.stderr and done.stderr.count("\n") == 1


def test_wrong_choices_of_an_experiment(trained):
    price = ("--price", "1USD/h")
    assert "no experiment 7" in trained("bill", 7, *price, code=3).stderr
    assert "configuration" in trained("bill", 1, "--cell", "5", *price, code=3).stderr
    assert "batch 32" in trained("bill", 1, "--cell", "batch 3", *price, code=3).stderr
    assert "run 99" in trained("bill", "--run", 99, *price, code=3).stderr
    assert "belongs to experiment 1, not 2" in trained("bill", 2, "--run", 1, *price, code=3).stderr


@pytest.mark.parametrize(
    ("money", "said"),
    [(("--price", "1USD"), "per what time?"), (("--rule", "gcp"), "of which price?"),
     (("--price", "1USD/h", "--rule", "gpc"), "did you mean 'gcp'?")],
)  # fmt: skip
def test_a_wrong_price_ends_an_experiment_before_it_begins(neph, money, said):
    assert said in neph("train", "mnist-cnn", "--data", "synth", *money, code=None).stderr
    assert not (neph.folder / "neph.db").exists()
