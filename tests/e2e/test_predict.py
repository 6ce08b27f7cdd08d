"""`neph fit`, `neph predict` and `neph validate`: a table with a known law, and a public one."""

import contextlib
import csv
import json
import random
import re
import sqlite3

import onnx
import pytest
from paths import REPOSITORY
from tables import asked, known_runs, true_ms, write_csv

MEASURED = REPOSITORY.parent / "shared/data/prediction/vtrain-multi.csv"


@pytest.fixture(scope="module")
def known_rows():
    return known_runs()


@pytest.fixture
def fitted(neph, known_rows):
    write_csv(neph.folder / "runs.csv", known_rows)
    return neph("fit", "runs.csv", "--target", "step", "--machine", "machine")


@pytest.mark.smoke
def test_fit_says_in_three_lines_what_to_expect(neph, fitted):
    first, told, machines, heading, inside, beyond, unseen, last = fitted.stdout.splitlines()
    assert machines.startswith("'machine' names no known device ('fast'): ")
    assert told == "'run' only tells repeats of one point apart and is no feature; --use makes it one"
    assert "144 rows, 48 different points" in first and heading.split() == ["p50", "error", "p90", "error", "rests", "on"]
    for name, line, rests_on in (("inside", inside, "15 hold-outs, random folds"), ("beyond", beyond, "hold-outs of one or two steps"),
                                 ("unseen", unseen, "no category has three levels")):  # fmt: skip
        assert line.startswith(name) and rests_on in line
    assert "model.json" in last
    shown = neph("fit", "runs.csv", "--target", "step", "--machine", "machine", "--force", "--explain").stdout
    for words in ("replicate id", "feature, category", "repeats of one point differ by", "above the range of batch"):
        assert words in shown


def test_a_known_law_is_predicted_inside_and_beyond_the_table(neph, fitted):
    inside, beyond = asked(neph, (10, 10, "slow"), (64, 8, "fast"))
    assert inside["value"] == pytest.approx(true_ms(10, 10, "slow"), rel=0.05)
    assert inside["extrapolates"] == [] and inside["low"] < true_ms(10, 10, "slow") < inside["high"]
    assert beyond["value"] == pytest.approx(true_ms(64, 8, "fast"), rel=0.15)
    assert beyond["low"] < true_ms(64, 8, "fast") < beyond["high"]
    assert beyond["extrapolates"] == [{"column": "batch", "where": "above", "how_far": "64, measured up to 32"}]
    assert len(beyond["nearest"]) == 3
    assert beyond["nearest"][0]["differs"]["batch"] == 32 and beyond["nearest"][0]["value"] > 0


def test_a_machine_that_nobody_measured_is_refused(neph, fitted):
    (row,) = asked(neph, (8, 8, "new"))
    assert row["value"] is None and "no row of this machine was measured" in row["refused"]
    shown = neph("predict", "model.json", "ask.csv").stdout
    assert "refused: no row of this machine was measured" in shown


def test_a_network_that_cannot_be_built_so_is_refused_alone(neph):
    rows = [f"{model},{side},{batch},{side * side * batch}" for model in ("vgg16", "resnet50") for side in (64, 128) for batch in (1, 2, 4)]
    (neph.folder / "steps.csv").write_text("model,side,batch,ms\n" + "\n".join(rows))
    neph("fit", "steps.csv", "--target", "ms", "--network", "model", "--side", "side", "--batch", "batch", "--out", "steps.json")
    (neph.folder / "asked.csv").write_text("model,side,batch\nvgg16,8,4\nvgg16,96,4\n")
    small, usual = neph.json("predict", "steps.json", "asked.csv")["rows"]
    assert small["value"] is None and "the image is too small" in small["refused"]
    assert usual["refused"] == "" and usual["value"] == pytest.approx(96 * 96 * 4, rel=0.2)
    assert "refused: vgg16 cannot be built so" in neph("predict", "steps.json", "asked.csv").stdout


def write_pools(path, pools):
    """A network of nothing but pools that halve the picture, whose side is left open."""
    value = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    nodes = [onnx.helper.make_node("MaxPool", [f"x{i}"], [f"x{i + 1}"], kernel_shape=[2, 2], strides=[2, 2]) for i in range(pools)]
    graph = onnx.helper.make_graph(nodes, "pools", [value("x0", [1, 3, "h", "w"])], [value(f"x{pools}", None)])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)]), path)


def test_so_is_an_onnx_file_whose_side_is_open_and_a_broken_one(neph):
    for pools in (2, 4):
        write_pools(neph.folder / f"{pools}.onnx", pools)
    rows = [f"{pools}.onnx,{side},{batch},{side * side * batch / 1000}" for pools in (2, 4) for side in (32, 64, 128) for batch in (1, 2, 4)]
    (neph.folder / "steps.csv").write_text("net,side,batch,ms\n" + "\n".join(rows))
    neph("fit", "steps.csv", "--target", "ms", "--network", "net", "--side", "side", "--batch", "batch")
    (neph.folder / "ask.csv").write_text("net,side,batch\n4.onnx,8,2\n2.onnx,8,2\n4.onnx,96,2\n4.onnx,1e300,2\n")
    small, smaller, usual, huge = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert "the image is too small (side 8)" in small["refused"] and small["value"] is None
    assert smaller["refused"] == "" and usual["value"] == pytest.approx(96 * 96 * 2 / 1000, rel=0.1)
    assert "no picture has a side of 1e+300 pixels" in huge["refused"]
    (neph.folder / "4.onnx").write_bytes(b"none")
    broken, *_ = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert broken["value"] is None and "4.onnx" in broken["refused"]
    assert "4.onnx" in neph("fit", "steps.csv", "--target", "ms", "--network", "net", "--side", "side", "--out", "none.json", code=7).stderr
    for pools in (2, 4):
        (neph.folder / f"{pools}.onnx").unlink()
    (neph.folder / "other.csv").write_text("net,side,batch\nresnet18,96,2\n")
    (other,) = neph.json("predict", "model.json", "other.csv")["rows"]
    assert other["value"] is None and "the model's own rows are needed" in other["refused"] and ".onnx" in other["refused"]


def test_a_column_with_a_role_is_a_feature_whatever_it_looks_like(neph):
    table = [{"host": f"host{i}", "batch": 1 + i % 8, "ms": 3 * (1 + i % 8)} for i in range(16)]
    write_csv(neph.folder / "hosts.csv", table)
    assert "excluded (tells runs apart)" in neph("fit", "hosts.csv", "--target", "ms", "--explain").stdout
    said = neph("fit", "hosts.csv", "--target", "ms", "--machine", "host", "--force", "--explain").stdout
    assert re.search(r"host +feature, category +16", said), said


def test_a_few_rows_calibrate_a_model_to_a_new_machine(neph, fitted):
    true = {batch: true_ms(batch, 8, "fast") * 1.7 for batch in (1, 2, 4, 8, 16, 24, 32)}
    write_csv(neph.folder / "few.csv", [{"machine": "new", "layers": 8, "batch": batch, "step (ms)": true[batch]} for batch in (1, 4, 8, 16, 32)])
    write_csv(neph.folder / "ask.csv", [{"batch": batch, "layers": 8, "machine": "new"} for batch in (2, 24)])
    rows = neph.json("predict", "model.json", "--calibrate", "few.csv", "ask.csv", "--out", "calibrated.json")["rows"]
    for row, batch in zip(rows, (2, 24)):
        assert row["value"] == pytest.approx(true[batch], rel=0.1) and row["low"] < true[batch] < row["high"]
    assert neph.json("predict", "calibrated.json", "ask.csv")["rows"] == rows
    assert neph.json("predict", "model.json", "ask.csv")["rows"][0]["refused"], "the model itself stays as it was"


@pytest.mark.parametrize("text, complaint", [
    ("batch,layers,machine\n1,4,new\n", "add what was measured"),
    ("batch,layers,machine,step (ms)\n1,4,new,0\n", "'step (ms)' is 0 in row 1; a finite number above 0 is needed"),
    ("batch,layers,step (ms)\n1,4,3\n", "unknown column 'machine'"),
])  # fmt: skip
def test_rows_that_cannot_calibrate_are_refused_in_a_line(neph, fitted, text, complaint):
    (neph.folder / "few.csv").write_text(text)
    (neph.folder / "ask.csv").write_text("batch,layers,machine\n1,4,new\n")
    done = neph("predict", "model.json", "--calibrate", "few.csv", "ask.csv", code=None)
    assert done.returncode != 0 and complaint in done.stderr and done.stderr.count("\n") == 1
    assert "--calibrate FEW.csv is missing" in neph("predict", "model.json", "ask.csv", "--out", "x.json", code=None).stderr


def test_machines_of_ones_own_are_known_by_their_data_sheets(neph):
    example = REPOSITORY / "examples/machines.toml"
    write_csv(neph.folder / "runs.csv", [{"net": net, "batch": batch, "host": host, "t": batch * (1 + (net == "lenet5")) / (1 + (host == "desk"))}
                                         for net in ("mnist", "lenet5", "cifar10") for batch in (1, 2, 4, 8) for host in ("desk", "T4")])  # fmt: skip
    words = ("runs.csv", "--target", "t", "--network", "net", "--machine", "host", "--force")
    neph("fit", *words, "--machines", example)
    assert "RTX 3060" in (neph.folder / "model.json").read_text(), "--calibrate needs them again"
    (neph.folder / "bad.toml").write_text('[[machine]]\nname = "x"\ndevice = "abacus"\n')
    assert "bad.toml: [[machine]] 'x' has the device 'abacus'" in neph("fit", *words, "--machines", "bad.toml", code=None).stderr
    assert "taken for the machine: 'host'" in neph("fit", "runs.csv", "--target", "t", "--machines", example, "--force").stdout
    write_csv(neph.folder / "plain.csv", [{"batch": batch, "t": batch} for batch in (1, 2, 4, 8, 16, 32)])
    assert "no column names any: give --machine" in neph("fit", "plain.csv", "--target", "t", "--machines", example, "--force", code=None).stderr


MACHINE = ("provider", "instance_type", "processor", "cores", "memory_bytes", "gpu", "gpus")


@pytest.fixture
def experiment(neph, small_model, pictures):
    neph("infer", small_model, "--images", pictures, "--batch", "1,2,4", "--mode", "sync,async", "--count", 16, "--warmup", 1,
         "--warmup-max-s", 0.1, "--repeat", 2)  # fmt: skip


@pytest.mark.smoke
def test_an_experiment_of_the_store_is_a_table(neph, experiment):
    shown = neph("fit", "neph.db", "--experiment", 1, "--target", "images_per_s", "--explain").stdout
    assert "experiment 1 of neph.db: 12 rows, 6 different points" in shown
    named = [line.split()[0] for line in shown.split("\nrepeats of")[0].splitlines()[2:]]
    assert set(named) == {"batch", "mode", "hardware", *MACHINE, "images_per_s"}, "nothing that was measured may be a feature"
    (machine,) = neph.json("show", 1)["machines"]
    here = {name: machine[name] or "unknown" for name in MACHINE[:5]} | {"gpu": machine["gpu"] or "none", "gpus": machine["gpus"]}
    write_csv(neph.folder / "ask.csv", [{"batch": 3, "mode": "async"} | here, {"batch": 3, "mode": "async"} | here | {"cores": 99}])
    row, elsewhere = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert row["low"] < row["value"] < row["high"] and row["extrapolates"] == []
    assert "cores" in str(elsewhere["extrapolates"]), "another machine does not go unseen"
    used = neph("fit", "neph.db", "--target", "images_per_s", "--use", "phase_model_compile_s", "--force", "--explain").stdout
    assert "phase_model_compile_s" in used
    assert neph.json("validate", "neph.db", "--target", "images_per_s", "--folds", 6)["target"] == "images_per_s"


def test_runs_on_two_machines_are_told_apart(neph, experiment):
    """One cell's repeats, of which the second says that it ran on a machine with twice the cores of another provider."""
    with contextlib.closing(sqlite3.connect(neph.folder / "neph.db")) as store, store:
        store.execute("""INSERT INTO machine SELECT 2, 'Hetzner', 'cx42', processor, 2 * cores, memory_bytes, gpu, gpus,
                         json_set(fingerprint, '$.effective_cores', 2 * cores) FROM machine""")
        store.execute("UPDATE run SET machine_id = 2 WHERE repeat = 1")
    shown = neph("fit", "neph.db", "--target", "images_per_s", "--force", "--explain").stdout
    assert "12 rows, 12 different points" in shown, "a cell on two machines is two points"
    columns = shown.split("\ncolumn ")[1].split("\nrepeats of")[0].splitlines()[1:]
    differ = {line.split()[0] for line in columns if line.strip() and " constant " not in line}
    assert {"provider", "instance_type", "cores"} <= differ and not {"processor", "gpu", "gpus"} & differ
    results = neph.json("show", 1)
    assert results["machine"] is None and [each["provider"] for each in results["machines"]] == ["", "Hetzner"]
    for cell in results["cells"]:
        (warning,) = [each for each in cell["warnings"] if each["code"] == "machines_differ"]
        assert warning["message"] == "the compared runs are from 2 machines; of this configuration 1 on machine #1, 1 on machine #2"
    assert "| \\#2 | Hetzner | cx42 |" in neph("export", 1, "--format", "markdown").stdout
    neph("report", 1)
    assert "The machines" in (neph.folder / "neph-report.html").read_text()


def test_an_export_is_a_table_whose_results_are_no_features(neph, experiment):
    (neph.folder / "runs.csv").write_text(neph("export", "1", "--format", "csv").stdout)
    shown = neph("fit", "runs.csv", "--target", "images_per_s", "--explain").stdout
    assert "runs.csv is a table of neph export" in shown
    table = shown.split(" is a table of neph export")[0].splitlines()
    features = {line.split()[0] for line in table if re.search(r" (feature, |excluded \(another|constant) *", line)}
    assert features == {"batch", "mode"}
    (neph.folder / "ask.csv").write_text("batch,mode\n3,async\n")
    (row,) = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert row["value"] > 0
    (note,) = neph.json("validate", "runs.csv", "--target", "images_per_s", "--folds", 6)["notes"]
    assert "no features" in note
    with (neph.folder / "runs.csv").open(newline="") as file:  # as measured, the interval may begin at 0 in all rows
        rows = [row | {"images_per_s_low": 10 + number} for number, row in enumerate(csv.DictReader(file))]
    write_csv(neph.folder / "known.csv", rows)
    used = neph("fit", "known.csv", "--target", "images_per_s", "--use", "images_per_s_low", "--ignore", "runs_ok", "--force", "--explain").stdout
    assert re.search(r"^images_per_s_low +feature, number ", used, re.M)


def test_what_is_no_experiment_of_the_store_is_said(neph, experiment):
    for words, said in ((("--experiment", 7, "--target", "images_per_s"), "7"), (("--target", "image_per_s"), "did you mean 'images_per_s'")):
        assert said in neph("fit", "neph.db", *words, code=None).stderr
    (neph.folder / "runs.csv").write_text("a,t\n1,2\n")
    assert "--experiment is of a store" in neph("fit", "runs.csv", "--experiment", 1, "--target", "t", code=None).stderr


def test_trees_by_name(neph, known_rows):
    write_csv(neph.folder / "runs.csv", known_rows)
    fitted = neph("fit", "runs.csv", "--target", "step", "--machine", "machine", "--method", "trees", "--explain")
    assert fitted.stderr == "" and "log-linear + trees (100 %)" in fitted.stdout
    first = (neph.folder / "model.json").read_bytes()
    inside, beyond = asked(neph, (8, 8, "slow"), (64, 8, "fast"))
    assert inside["value"] == pytest.approx(true_ms(8, 8, "slow"), rel=0.2)
    assert inside["extrapolates"] == [] and beyond["extrapolates"][0]["column"] == "batch"
    neph("fit", "runs.csv", "--target", "step", "--machine", "machine", "--method", "trees", "--force")
    assert (neph.folder / "model.json").read_bytes() == first


def test_many_rows_have_the_answers_that_each_has_alone(neph, fitted):
    rows = [(batch, layers, machine) for batch in range(1, 48) for layers in range(3, 15) for machine in ("slow", "fast", "new")]
    together = asked(neph, *rows)
    for place in range(0, len(rows), 211):
        assert asked(neph, rows[place]) == [together[place]]


def test_the_same_table_gives_the_same_file(neph, fitted):
    first = (neph.folder / "model.json").read_bytes()
    neph("fit", "runs.csv", "--target", "step (ms)", "--machine", "machine", "--force")
    assert (neph.folder / "model.json").read_bytes() == first


def test_a_shuffled_table_gives_the_same_answers(neph, known_rows):
    answers = []
    for seed in range(3):
        rows = random.Random(seed).sample(known_rows, 12) if seed == 0 else random.Random(seed).sample(rows, 12)
        write_csv(neph.folder / "runs.csv", rows)
        neph("fit", "runs.csv", "--target", "step", "--ignore", "run", "--force")
        answers.append(asked(neph, (3, 5, "slow"), (64, 8, "fast")))
    assert answers[0] == answers[1] == answers[2]


def test_another_unit_is_no_number(neph):
    write_csv(neph.folder / "runs.csv", [{"size": f"{2**i}MB", "t": 1 + 2**i} for i in range(8)])
    neph("fit", "runs.csv", "--target", "t")
    (neph.folder / "ask.csv").write_text("size\n24MB\n")
    alone = neph.json("predict", "model.json", "ask.csv")
    (neph.folder / "ask.csv").write_text("size\n24\n")
    assert neph.json("predict", "model.json", "ask.csv")["rows"] == alone["rows"]
    (neph.folder / "ask.csv").write_text("size\n24GB\n")
    assert "'size' is given in 'GB', as '24GB', and was fitted in 'MB'" in neph.json("predict", "model.json", "ask.csv")["rows"][0]["refused"]
    (neph.folder / "ask.csv").write_text("size (GB)\n24\n")
    assert "here is 'size (GB)': call it the same if it is" in neph("predict", "model.json", "ask.csv", code=3).stderr


def test_two_thousand_columns_of_which_two_count(neph):
    draw = random.Random(1)
    rows = [{f"c{i}": draw.randint(1, 50) for i in range(2000)} for _ in range(60)]
    for row in rows:
        row["t"] = (row["c7"] + row["c8"]) * draw.lognormvariate(0, 0.01)
    write_csv(neph.folder / "runs.csv", rows[:50])
    neph("fit", "runs.csv", "--target", "t")
    write_csv(neph.folder / "ask.csv", rows[50:])
    for row, said in zip(rows[50:], neph.json("predict", "model.json", "ask.csv")["rows"]):
        assert said["value"] == pytest.approx(row["t"], rel=0.3)
    assert "the table has 1989 more columns, which are not shown" in neph("predict", "model.json", "ask.csv").stdout


def test_a_public_table_with_a_byte_order_mark(neph):
    with MEASURED.open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    write_csv(neph.folder / "train.csv", rows[::2])
    write_csv(neph.folder / "ask.csv", [{name: cell for name, cell in row.items() if "time" not in name} for row in rows[1::2]])
    neph("fit", "train.csv", "--target", "iteration time")
    predicted = neph.json("predict", "model.json", "ask.csv")["rows"]
    true = [float(row["iteration time (ms)"]) for row in rows[1::2]]
    errors = [abs(row["value"] / truth - 1) for row, truth in zip(predicted, true)]
    assert sum(errors) / len(errors) < 0.11, "what the literature reaches"
    assert sum(row["low"] <= truth <= row["high"] for row, truth in zip(predicted, true)) >= 0.8 * len(true)
    neph("fit", MEASURED, "--target", "iteration time", "--force")


def test_rows_that_do_not_fit_the_model(neph, fitted):
    ask = neph.folder / "ask.csv"
    ask.write_text("batch,layers\n1,2\n")
    missing = "unknown column 'machine' in ask.csv; known: batch, layers; the model was fitted to it"
    assert missing in neph("predict", "model.json", "ask.csv", code=3).stderr
    ask.write_text("more,machine,batch,layers\nx,slow,1,4\n")
    neph("predict", "model.json", "ask.csv")


def test_a_model_is_not_written_over_unasked(neph, fitted):
    model = (neph.folder / "model.json").read_bytes()
    done = neph("fit", "runs.csv", "--target", "step", code=2)
    assert "--out model.json: there is such a file; name another, or --force writes over it" in done.stderr
    assert (neph.folder / "model.json").read_bytes() == model
    neph("fit", "runs.csv", "--target", "step", "--force")
    assert (neph.folder / "model.json").read_bytes() != model


def test_a_model_that_was_cut_or_edited_is_refused(neph, fitted):
    model, whole = neph.folder / "model.json", (neph.folder / "model.json").read_text()
    (neph.folder / "ask.csv").write_text("batch,layers,machine\n1,4,slow\n")
    document = json.loads(whole)
    for text in (whole[: len(whole) // 2], "{}", json.dumps(document | {"version": 9}), json.dumps(document | {"scores": None})):
        model.write_text(text)
        done = neph("predict", "model.json", "ask.csv", code=None)
        assert done.returncode != 0 and done.stderr.count("\n") == 1 and "not a model that can be used" in done.stderr


@pytest.fixture
def table(neph, known_rows):
    write_csv(neph.folder / "runs.csv", known_rows)
    return ("runs.csv", "--target", "step", "--machine", "machine")


def test_validation_inside_and_beyond(neph, table):
    (inside,) = neph.json("validate", *table)["methods"]
    assert inside["method"] == "auto" and len(inside["splits"]) == 5 and inside["score"]["rows"] == 48
    assert inside["score"]["mean"] < 0.03 and inside["score"]["coverage"] > 0.85 and inside["score"]["flagged"] < 0.05
    assert {each["column"] for each in inside["slices"]} >= {"batch", "layers", "machine"}
    (beyond,) = neph.json("validate", *table, "--split", "batch<=16 -> batch=32")["methods"]
    assert beyond["score"]["rows"] == 8 and beyond["score"]["flagged"] == 1 and beyond["score"]["mean"] < 0.15


def test_validation_of_all_methods_as_a_table(neph, table):
    shown = neph("validate", *table, "--leave-out", "layers", "--method", "all").stdout
    for words in ("layers 12 left out", "auto", "terms", "process", "log-linear", "In 90 % interval"):
        assert words in shown
    assert len([line for line in shown.splitlines() if line.startswith("all ")]) >= 3


def test_a_machine_needs_rows_of_its_own(neph, table):
    (none,) = neph.json("validate", *table, "--leave-out", "machine")["methods"]
    assert none["score"]["refused"] == none["score"]["rows"] == 48 and none["score"]["mean"] is None
    assert " nan" not in neph("validate", *table, "--leave-out", "machine").stdout
    (some,) = neph.json("validate", *table, "--leave-out", "machine", "--keep", 4, "--draws", 2)["methods"]
    assert len(some["splits"]) == 4 and some["score"]["refused"] == 0 and some["score"]["mean"] < 0.2


def test_the_same_seed_gives_the_same_validation(neph, table):
    first, second, other = (neph.json("validate", *table, "--sample", 20, "--seed", seed)["methods"][0] for seed in (1, 1, 2))
    assert first == second != other
    assert first["score"]["rows"] == 28


@pytest.mark.parametrize("words, said", [
    (("--folds", 5, "--sample", 20), "give one of them"),
    (("--split", "batch<=16"), "has no '->'"),
    (("--split", "bach<=16 -> batch=32"), "batch"),
    (("--split", "batch<=16 -> batch>=16"), "both sides"),
    (("--split", "batch<=16 -> batch>64"), "no row is on the right side"),
    (("--method", "magic"), "none of auto"),
    (("--leave-out", "nothing"), "nothing"),
    (("--leave-out", "step (ms)"), "; 'step (ms)' is the target"),
    (("--leave-out", "run"), "; 'run' is no feature (repeat), --use makes it one"),
    (("--leave-out", "batch", "--ignore", "batch"), "; 'batch' is not looked at (--ignore)"),
    (("--split", "batch<=16 & machine!=m9 -> batch=32"), "no row that is fitted to has 'm9' in 'machine'"),
    (("--sample", 3), "sample"),
    (("--sample", 48), "there are 48 different rows, and none would be left to predict"),
    (("--folds", 49), "--folds 49: there are 48 different rows"),
    (("--leave-out", "machine", "--keep", 48), "none would be left to predict"),
    (("--leave-out", "machine", "--keep", 4, "--draws", 1001), "draws"),
    (("--keep", 3), "--keep is of the values of --leave-out"),
    (("--draws", 3), "--draws is of --keep or --sample"),
    (("--method", ","), "--method names none of auto"),
    (("--variants", "profet"), "--variants is of the networks of --network"),
    (("--html", "nowhere/page.html"), "there is no folder nowhere"),
])  # fmt: skip
def test_validation_says_what_is_wrong_with_a_question(neph, table, words, said):
    done = neph("validate", *table, *words, code=None)
    assert done.returncode != 0 and said in done.stderr
