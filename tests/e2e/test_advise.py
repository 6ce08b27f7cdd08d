"""`neph advise`: of stored experiments and of tables, what it says, what it refuses. That choices are right is shown by
src/advise/*_test.cpp."""

import sqlite3

import pytest
from cells import TRAINED
from known import KnownServer

OFFERS = """provider,instance,region,vcpus,memory_gib,gpu,gpus,price,currency,date
aws,c.small,us-east-1,1,4,,,0.05,USD,2026-11-24
aws,c.medium,us-east-1,2,8,,,0.10,USD,2026-11-24
aws,c.large,us-east-1,8,32,,,0.40,USD,2026-11-24
aws,c.xlarge,us-east-1,16,64,,,0.80,USD,2026-11-24
lambda,gpu_1x,us-east-1,14,100,V100,1,4.00,USD,2026-11-24
"""
TIMES = """cores,gpu,train_s,train_s_low,train_s_high
8,,3600,3500,3700
16,,2400,2300,2500
4,V100,300,290,310
"""
SOON = ("--start", "2026-11-24T13:25Z")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "prices.csv").write_text(OFFERS)
    (tmp_path / "times.csv").write_text(TIMES)
    return tmp_path


@pytest.fixture
def trained(neph, folder):
    """An experiment of two numbers of threads, trained twice each by an engine of known step times."""
    (folder / "known.identity").write_text(f"service_ms = 10\n[training]\n{TRAINED}")
    neph("train", "known.identity", "--framework", "identity", "--data", "synth", "--synth-samples", 1280, "--batch", 32,
         "--repeat", 2, "--threads", "1,2")  # fmt: skip
    return neph


def chosen(advice):
    return advice["candidates"][advice["recommended"]]


def refused(neph, *arguments, code=2):
    """The one line of the error."""
    (line,) = neph("advise", *arguments, code=code).stderr.strip().splitlines()
    return line


def test_a_table_has_a_choice_with_its_bill(neph, folder):
    advice = neph.json("advise", "times.csv", "--offers", "prices.csv", "--time", "train_s", *SOON)
    best = chosen(advice)
    # Boot and installation are assumed: 340 s before the job; AWS does not bill switching off.
    assert best["offer"].startswith("aws/c.large") and best["seconds"]["value"] == 3940
    assert best["billed_s"] == pytest.approx(3940) and best["cost"] == {"amount": "0.437778", "currency": "USD"}
    assert best["rule"] == "aws-ec2" and best["why_not"] == "recommended"
    gpu = next(candidate for candidate in advice["candidates"] if candidate["gpus"])
    assert gpu["cost"]["amount"] == "0.733333", "lambda, by the minute: 11 of 4 USD an hour, switching off among them"
    # Assumed stages may be half or twice as long: (3700 - 3600) and 340 in quadrature.
    assert best["seconds"]["high"] == pytest.approx(3940 + (100**2 + 340**2) ** 0.5)
    assert best["cost_high"]["amount"] > best["cost"]["amount"] > best["cost_low"]["amount"]
    shares = [candidate["p_cheapest"] for candidate in advice["candidates"]]
    assert sum(shares) == pytest.approx(1)
    assert any("GPU" in sentence for sentence in advice["break_evens"])
    assert any("boot 40" in sentence and "half or twice" in sentence for sentence in advice["assumptions"])


def test_a_deadline_is_a_length_or_a_moment(neph, folder):
    by_length = neph.json("advise", "times.csv", "--offers", "prices.csv", "--deadline", "50min", *SOON)
    by_moment = neph.json("advise", "times.csv", "--offers", "prices.csv", "--deadline", "2026-11-24T14:15Z", *SOON)
    assert chosen(by_length) == chosen(by_moment)
    assert chosen(by_length)["cores"] == 16
    assert by_length["deadline_s"] == by_moment["deadline_s"] == 3000
    slow = next(candidate for candidate in by_length["candidates"] if candidate["cores"] == 8)
    assert slow["why_not"] == "too slow" and slow["why"] == "too slow by 15 min 40 s"


def test_a_budget_buys_the_fastest(neph, folder):
    advice = neph.json("advise", "times.csv", "--offers", "prices.csv", "--budget", "10USD", *SOON)
    assert chosen(advice)["gpu"] == "V100"


def test_the_same_seed_gives_the_same_bytes(neph, folder):
    ask = ("advise", "times.csv", "--offers", "prices.csv", "--json", *SOON)
    assert neph(*ask).stdout == neph(*ask).stdout != neph(*ask, "--seed", 5).stdout


def test_people_read_the_answer_first(neph, folder):
    text = neph("advise", "times.csv", "--offers", "prices.csv", "--deadline", "2h", *SOON).stdout
    assert "he cheapest within 2 h" in text.splitlines()[0]
    for heading in ("Why not:", "Where the choice turns:", "This rests on:"):
        assert heading in text
    assert len(neph("advise", "times.csv", "--offers", "prices.csv", "--limit", 1, *SOON).stdout) < len(text)


def test_other_currencies_need_a_rate(neph, folder):
    ask = ("times.csv", "--offers", "prices.csv", "--budget", "2EUR", *SOON)
    assert "--rate" in refused(neph, *ask)
    advice = neph.json("advise", *ask, "--rate", "EUR=2USD")
    assert chosen(advice)["cost"] == {"amount": "0.366667", "currency": "EUR"}, "11 minutes: lambda's boot is free"


def test_an_experiment_of_the_store_has_a_choice(trained):
    advice = trained.json("advise", 1, "--offers", "prices.csv", *SOON)
    best = chosen(advice)
    assert best["cores"] == 1 and best["offer"].startswith("aws/c.small"), "the engine is as fast on one core as on two"
    assert best["place"] == "process"
    stages = {stage["stage"]: stage for stage in advice["bill"]}
    assert stages["boot"]["known"] == "assumed" and stages["learn"]["known"] == "measured"
    assert 0.1 <= stages["learn"]["seconds"] <= 3
    bill = trained.json("bill", 1, "--cell", 0, "--rule", "aws-ec2", "--price", "0.05USD/h", *SOON)
    assert bill["total"]["amount"] == best["cost"]["amount"], "as neph bill has it"
    assert any("wherever as many cores are rented" in sentence for sentence in advice["assumptions"])
    assert trained.json("advise", "--offers", "prices.csv", *SOON)["candidates"] == advice["candidates"], "the newest"
    only = trained.json("advise", 1, "--offers", "prices.csv", "--where", "threads=2", *SOON)
    assert {candidate["cores"] for candidate in only["candidates"]} == {2}


def test_configurations_of_different_jobs_are_no_choice(neph, folder):
    for name in ("a", "b"):
        (folder / f"{name}.identity").write_text(f"service_ms = 5\n[training]\n{TRAINED}")
    neph("train", "a.identity,b.identity", "--framework", "identity", "--data", "synth", "--synth-samples", 320, "--batch", 8,
         "--repeat", 1)  # fmt: skip
    assert "--where model=a.identity" in refused(neph, 1, "--offers", "prices.csv")
    assert chosen(neph.json("advise", 1, "--offers", "prices.csv", "--where", "model=b.identity"))


UNMEASURED = """lambda,gpu_h100,us-east-1,14,100,H100,1,3.00,USD,2026-11-24
aws,g4dn.xlarge,us-east-1,4,16,T4,1,0.60,USD,2026-11-24
aws,abacus.xlarge,us-east-1,4,16,Abacus,1,0.60,USD,2026-11-24
aws,m7i.2xlarge,us-east-1,8,32,,,0.03,USD,2026-11-24
"""


def test_jobs_on_gpus_that_were_not_measured_are_predicted_and_never_recommended(neph, folder):
    """By its data sheet an H100 does in a quarter of the V100's time what takes a T4 twice as long."""
    (folder / "prices.csv").write_text(OFFERS + UNMEASURED.replace(",0.03,", ",0.50,"))
    ask = ("times.csv", "--offers", "prices.csv", "--unmeasured", *SOON)
    advice = neph.json("advise", *ask)
    predicted = {candidate["gpu"]: candidate for candidate in advice["candidates"] if candidate["predicted"]}
    assert set(predicted) == {"H100 SXM", "T4"} and not chosen(advice)["predicted"]
    assert all(candidate["why_not"] == "predicted only" and not candidate["on_front"] for candidate in predicted.values())
    h100, t4 = predicted["H100 SXM"], predicted["T4"]
    assert 340 + 40 < h100["seconds"]["value"] < 340 + 150 and 340 + 400 < t4["seconds"]["value"] < 340 + 1000
    assert h100["seconds"]["high"] / h100["seconds"]["low"] > 1.3
    first, *_ = advice["to_measure"]
    assert first["offer"].startswith("aws/g4dn.xlarge") and first["command"] == ""
    assert float(first["saving"]["amount"]) > 0 and first["p_better"] == t4["p_better"] > 0.9
    shown = neph("advise", *ask).stdout
    assert "Not measured, and perhaps cheaper: 1x T4 on aws/g4dn.xlarge@us-east-1" in shown.replace("\n  ", " ")
    assert "the first to measure:" in shown and "predicted only: measure it first" in shown


def test_jobs_on_cpus_that_were_not_measured_are_predicted(trained, folder):
    with sqlite3.connect(folder / "neph.db") as store:
        store.execute("UPDATE machine SET processor = 'AMD EPYC 7763 64-Core Processor', cores = 2, provider = '', instance_type = ''")
    (folder / "prices.csv").write_text(OFFERS + UNMEASURED)
    advice = trained.json("advise", 1, "--offers", "prices.csv", "--unmeasured", *SOON)
    measured = [candidate for candidate in advice["candidates"] if not candidate["predicted"]]
    predicted = [candidate for candidate in advice["candidates"] if candidate["predicted"]]
    assert {candidate["offer"] for candidate in predicted} == {"aws/m7i.2xlarge@us-east-1"} and len(predicted) == 2
    assert not any("m7i" in candidate["offer"] for candidate in measured), "its CPU is known to be another"
    (first,) = advice["to_measure"]
    assert first["command"].startswith("neph script 1 --cell ") and "--offer aws/m7i.2xlarge@us-east-1" in first["command"]
    script = trained(*first["command"].replace("ADDRESS > run.sh", "results").split()[1:]).stdout
    assert script.startswith("#!/bin/sh") and "m7i.2xlarge" in script


def test_whole_instances_are_predicted_as_what_they_have(neph, folder):
    """A GPU's instance on other GPUs, a CPU's on as many vCPUs of other CPUs, whatever part of it was used."""
    (folder / "prices.csv").write_text(OFFERS + UNMEASURED + "aws,p3.2xlarge,us-east-1,8,61,V100,1,3.06,USD,2026-11-24\n"
                                       "aws,m7a.2xlarge,us-east-1,8,32,,,0.40,USD,2026-11-24\n")  # fmt: skip
    (folder / "gpus.csv").write_text("instance,train_s\np3.2xlarge,3000\n")
    ask = ("--offers", "prices.csv", "--unmeasured", *SOON)
    predicted = [candidate for candidate in neph.json("advise", "gpus.csv", *ask)["candidates"] if candidate["predicted"]]
    assert {candidate["gpu"] for candidate in predicted} == {"H100 SXM", "T4"}
    (folder / "cpus.csv").write_text("instance,cores,train_s\nm7a.2xlarge,2,4000\nm7a.2xlarge,8,1000\n")
    by_cores = {candidate["cores"]: candidate["seconds"]["value"] - 340 for candidate in neph.json("advise", "cpus.csv", *ask)["candidates"]
                if candidate["predicted"]}  # fmt: skip
    assert set(by_cores) == {2, 8} and 2000 < by_cores[2] < 8000 and 500 < by_cores[8] < 2000


def test_what_is_on_no_known_device_cannot_be_predicted_elsewhere(neph, folder):
    (folder / "cores.csv").write_text("cores,train_s\n8,3600\n16,2400\n")
    assert "--unmeasured is of jobs that end" in refused(neph, "--infer", 1, "--rate", 5, "--unmeasured")
    assert "--machines is for --unmeasured" in refused(neph, "times.csv", "--machines", "own.toml")
    assert "no time is of a known device" in refused(neph, "cores.csv", "--offers", "prices.csv", "--unmeasured", *SOON)
    (folder / "own.toml").write_text('[[device]]\nname = "Abacus"\nfp32_tflops = 8\nbandwidth_gb_s = 300\n')
    (folder / "prices.csv").write_text(OFFERS + UNMEASURED)
    ask = ("advise", "times.csv", "--offers", "prices.csv", "--unmeasured", "--machines", "own.toml", *SOON)
    assert any(candidate["gpu"] == "Abacus" for candidate in neph.json(*ask)["candidates"])


def test_a_table_of_predictions_recommends_none(neph, folder):
    (folder / "predicted.csv").write_text("cores,predicted_s\n8,100\n16,60\n")
    assert "only predicted" in refused(neph, "predicted.csv", "--offers", "prices.csv", *SOON, code=3)


def test_repeats_of_a_table_are_repeats_whatever_they_gave(neph, folder):
    """A choice among runs would take the luckiest one; of the means 16 cores at twice the price are the dearer."""
    runs = [(8, 1, 0.91, 98), (8, 2, 0.93, 100), (8, 3, 0.90, 102), (16, 1, 0.92, 60), (16, 2, 0.9, 61), (16, 3, 0.94, 62)]
    lines = [",".join(map(str, run)) for run in runs]
    (folder / "runs.csv").write_text("\n".join(["cores,seed,accuracy,train_s", *lines]))
    advice = neph.json("advise", "runs.csv", "--offers", "prices.csv", *SOON)
    assert {candidate["configuration"] for candidate in advice["candidates"]} == {"cores 8", "cores 16"}
    assert chosen(advice)["seconds"]["value"] == 440 and chosen(advice)["seconds"]["n"] == 3
    assert chosen(advice)["p_cheapest"] is not None
    assert any("accuracy" in sentence for sentence in advice["assumptions"])


def test_a_machine_of_another_architecture_is_not_taken(neph, folder):
    (folder / "arm.csv").write_text(
        "provider,instance,vcpus,price,currency,arch\naws,m6g,8,0.10,USD,arm64\naws,m5,8,0.40,USD,x86_64\n"
    )
    (folder / "arch.csv").write_text("cores,arch,train_s\n8,arm64,3600\n")
    advice = neph.json("advise", "times.csv", "--offers", "arm.csv", "--where", "cores=8", *SOON)
    assert chosen(advice)["offer"].startswith("aws/m5")
    assert any("x86_64" in sentence for sentence in advice["assumptions"])
    assert chosen(neph.json("advise", "arch.csv", "--offers", "arm.csv", *SOON))["offer"].startswith("aws/m6g")


def test_a_rate_needs_machines(neph, folder):
    with KnownServer(folder, service=0.005) as server:
        neph("load", server.http, "--model", "known", "--clients", 1, "--duration", "3s", "--warmup", "200ms")
    ask = ("advise", "--infer", 1, "--offers", "prices.csv")
    each = neph.json(*ask, "--rate", 1)["candidates"][0]["sustained_per_s"]["value"]
    assert 20 < each < 200
    advice = neph.json(*ask, "--rate", 2.5 * each)
    best = chosen(advice)
    assert best["machines"] == 3
    hourly = float(best["per_hour"]["amount"])
    assert float(best["cost"]["amount"]) == pytest.approx(3 * hourly)
    assert float(best["per_million"]["amount"]) == pytest.approx(3 * hourly * 1e6 / (2.5 * each * 3600), rel=1e-4)
    closed = refused(neph, "--infer", 1, "--offers", "prices.csv", "--rate", 10, "--p99", "10s", code=3)
    assert "clients that wait" in closed and "--model known --find-max-rate --p99 10s" in closed
    assert any("queue without bound" in sentence for sentence in advice["assumptions"])


def test_a_p99_is_that_of_requests_that_were_offered(neph, folder):
    with KnownServer(folder, service=0.002) as server:
        load = ("load", server.http, "--model", "known", "--rate", 50, "--duration", "8s", "--warmup", "200ms")
        neph(*load, "--p99", "5s")  # the schedule may slip by a share of it before the run is invalid
    ask = ("--infer", 1, "--offers", "prices.csv")
    best = chosen(neph.json("advise", *ask, "--rate", 125, "--p99", "1s"))
    assert best["sustained_per_s"]["value"] == 50 and best["machines"] == 3
    late = refused(neph, *ask, "--rate", 10, "--p99", "1us", code=3)
    shown = neph.json("show", 1)["cells"][0]["latency_ms"]["p99"]["value"]
    assert "its p99 is" in late and "should be within" in late
    assert float(late.split("its p99 is ")[1].split()[0]) == pytest.approx(shown, rel=5e-3), "the table's"


GPU_TIMES = "gpu,gpus,cores,train_s,train_s_low,train_s_high\nB200,1,4,100,95,105\nH200,1,4,150,140,160\n"


def test_a_price_too_low_to_be_true_is_no_choice(neph, folder):
    (folder / "gpus.csv").write_text(GPU_TIMES)
    (folder / "v8" / "mithril").mkdir(parents=True)
    (folder / "v8" / "mithril" / "vms.csv").write_text(
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region\n"
        "ccs-h200.sxm.1x,H200,1,20,200,1.0,1.0,us-central2-b\nneb-b200.sxm.1x,B200,1,20,200,0.01,0.01,us-central5-a\n"
    )
    advice = neph.json("advise", "gpus.csv", "--offers", "v8/mithril/vms.csv", *SOON)
    assert chosen(advice)["offer"] == "mithril/ccs-h200.sxm.1x@us-central2-b"
    assert any("1 offer of v8/mithril/vms.csv left out: prices too low" in sentence for sentence in advice["assumptions"])
    found = neph.json("price", "lint", "v8/mithril/vms.csv", code=1)["counts"]
    assert found["implausible-price"] == 1
    (folder / "own.csv").write_text("instance,gpu,gpus,vcpus,price,currency\nours,B200,1,20,0.01,USD\n")
    own = neph.json("advise", "gpus.csv", "--offers", "own.csv", "--where", "gpu=B200", *SOON)
    assert chosen(own)["offer"] == "own/ours", "a list of one's own may have any price"


def test_one_row_is_named_by_what_it_is(neph, folder):
    (folder / "one.csv").write_text("cores,time\n2,100\n")
    advice = neph.json("advise", "one.csv", "--offers", "prices.csv", *SOON)
    assert chosen(advice)["configuration"] == "cores 2"


def test_the_page_needs_nothing_else(neph, folder):
    neph("advise", "times.csv", "--offers", "prices.csv", "--html", "advice.html", *SOON)
    page = (folder / "advice.html").read_text()
    for part in ("Which machine to rent", "Cost against time", "Cost by cores and GPUs", "What is paid for", "Why not"):
        assert part in page
    assert "https://" not in page.split("<script>")[0].replace("https://vega.github.io/schema", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("times.csv", "--deadline", "-2h"), "--deadline"),
        (("times.csv", "--deadline", "soon"), "--deadline"),
        (("times.csv", "--deadline", "0s"), "over before a machine is started"),
        (("times.csv", "--deadline", "2026-11-24T13:00Z"), "over before the machine is started"),
        (("times.csv", "--budget", "0USD"), "buys nothing"),
        (("times.csv", "--budget", "10"), "as 10USD"),
        (("times.csv", "--budget", "-1USD"), "above 0"),
        (("times.csv", "--time", "tarin_s"), "train_s"),
        (("times.csv", "--where", "cores"), "COLUMN=VALUE"),
        (("times.csv", "--assume", "boot=x"), "no length of time"),
        (("times.csv", "--rate", "200"), "--infer"),
        (("times.csv", "--rate", "EUR"), "--rate EUR"),
        (("--infer", "1"), "--rate 200"),
        (("1", "--time", "train_s"), "--time is of a table"),
        (("empty.csv",), "empty.csv"),
        (("nan.csv",), "row 2: train_s"),
        (("rates.csv", "--time", "images_per_s"), "is a rate, and no time"),
        (("models.csv",), "--where model=resnet50"),
        (("gpus.csv",), "gpus_used"),
        (("times.csv", "--simulations", "10"), "--simulations"),
        (("times.csv", "--offers", "empty.csv"), "empty.csv"),
    ],
)
def test_what_is_no_question_is_refused_in_a_line(neph, folder, arguments, words):
    (folder / "empty.csv").write_text("")
    (folder / "nan.csv").write_text("cores,train_s\n1,10\n2,nan\n")
    (folder / "rates.csv").write_text("cores,images_per_s\n1,10\n2,20\n")
    (folder / "models.csv").write_text("model,cores,train_s\nresnet50,8,100\nmobilenet,8,10\n")
    (folder / "gpus.csv").write_text("cores,gpus_used,train_s\n8,0,100\n8,1,10\n")
    offers = () if "--offers" in arguments else ("--offers", "prices.csv")
    assert words in refused(neph, *arguments, *offers, *SOON, code=None)


def test_where_nothing_fits_it_says_what_to_loosen(neph, folder):
    ask = ("times.csv", "--offers", "prices.csv", *SOON)
    line = refused(neph, *ask, "--deadline", "5min", code=3)
    assert "--deadline 11min" in line
    assert neph.json("advise", *ask, "--deadline", "11min")
    line = refused(neph, *ask, "--budget", "0.1USD", code=3)
    assert "--budget 0.438USD" in line
    assert neph.json("advise", *ask, "--budget", "0.438USD")
    (folder / "many.csv").write_text("cores,train_s\n64,10\n")
    assert "it needs 64 cores, and the largest offer has 16" in refused(neph, "many.csv", *ask[1:], code=3)
