"""`neph fit` and what is no table, or one of extremes: refused in a line, or borne."""

import os
import re
import resource
import threading

import pytest
from tables import write_csv

NO_TABLES = {
    "": "it is empty",
    "a,t\n": "it has a heading and no rows",
    "a,t\n1,2\n": "no column tells its rows apart but 't'",
    "t\n1\n2\n3\n4\n5\n6\n": "no column tells its rows apart but 't'",
    "a,t\n1,2\n2,3\n": "2 different rows are too few",
    "a,b\n1,2\n2,3\n": "unknown column 't'",
    "a,t\n1,x\n2,y\n": "the target 't' is no number in row 1 ('x')",
    "a,t\n1,5\n2,OOM\n": "the target 't' is no number in row 2 ('OOM'): leave the row out",
    "a,t\n1,1\n1,1\n1,1\n1,1\n1,1\n": "no column tells its rows apart but 't'",
    "a,t\n1,nan\n2,nan\n": "no row has a 't' above 0",
    "a,t\n1,-1\n2,0\n": "no row has a 't' above 0",
    "a,t\n1,inf\n2,inf\n": "the target 't' is no number in row 2 ('inf')",
    "a,t\n1,2\n3\n": "line 3 has 1 cell and the heading 2",
    "a,t\n1,\"2\n": "a quote is opened and never closed",
    "a,a\n1,2\n": "two columns are called 'a'",
    "\x00\x01\x02\x03": "it is no text",
    '{"a": [1], "t": 2}\n': "neither a number nor text",
}  # fmt: skip


@pytest.mark.parametrize("text, complaint", NO_TABLES.items(), ids=range(len(NO_TABLES)))
def test_what_cannot_be_fitted_to_is_refused_in_a_line(neph, text, complaint):
    (neph.folder / "runs.csv").write_text(text)
    done = neph("fit", "runs.csv", "--target", "t", code=None)
    assert done.returncode in (2, 3, 7) and complaint in done.stderr
    assert not (neph.folder / "model.json").exists()


def test_a_name_that_ends_in_a_carriage_return_is_shown_with_it(neph):
    (neph.folder / "runs.jsonl").write_text("".join(f'{{"x": {i}, "seconds\\r": {i + 1}}}\n' for i in range(1, 9)))
    assert r"unknown column 'second' in runs.jsonl; did you mean 'seconds\r'?" in neph("fit", "runs.jsonl", "--target", "second", code=3).stderr
    assert r"seconds\r  target" in neph("fit", "runs.jsonl", "--target", "seconds\r", "--explain").stdout


@pytest.mark.parametrize("words, complaint", [
    (("--network", "modl"), "unknown column 'modl' in runs.csv; did you mean 'model'?"),
    (("--machine", "t"), "--machine t: it is the --target, which is to be predicted"),
    (("--network", "model", "--ignore", "x,model"), "--network model: it is to be ignored too (--ignore)"),
    (("--use", "x", "--ignore", "x"), "--use x: it is to be ignored too (--ignore)"),
    (("--ignore", "t"), "--ignore t: it is the --target, which is to be predicted"),
    (("--use", "model,t"), "--use t: it is the --target, which is to be predicted"),
    (("--side", "x", "--batch", "x"), "--batch x: it is the --side too"),
])  # fmt: skip
def test_a_column_has_one_purpose_and_is_there(neph, words, complaint):
    (neph.folder / "runs.csv").write_text("model,x,t\n" + "".join(f"resnet50,{i},{i}\n" for i in range(1, 9)))
    assert complaint in neph("fit", "runs.csv", "--target", "t", *words, code=None).stderr


def test_a_table_with_text_comes_through_a_pipe(neph):
    rows = "".join(f"{'ab'[i % 2]},{i % 7 + 1},{i % 7 + 1 + i % 2}\n" for i in range(40))
    os.mkfifo(neph.folder / "pipe")
    writer = threading.Thread(target=lambda: (neph.folder / "pipe").write_text("k,x,t\n" + rows), daemon=True)
    writer.start()
    assert "k       feature, category" in neph("fit", "pipe", "--target", "t", "--explain").stdout
    writer.join()


@pytest.mark.parametrize("words", [("fit", "--out"), ("validate", "--html")])
def test_what_is_read_is_not_written_over(neph, words):
    table = neph.folder / "runs.csv"
    table.write_text("x,t\n" + "".join(f"{i},{i + 1}\n" for i in range(1, 12)))
    before = table.read_text()
    done = neph(words[0], "runs.csv", "--target", "t", words[1], "./runs.csv", code=None)
    assert done.returncode == 2 and "that file is read and would be lost" in done.stderr
    assert table.read_text() == before


def test_a_batch_without_pictures_is_no_batch(neph):
    rows = [{"model": model, "side": side, "batch": batch, "t": batch * side + 1}
            for model in ("resnet18", "vgg16") for side in (64, 128) for batch in (0, 1, 8)]  # fmt: skip
    write_csv(neph.folder / "runs.csv", rows)
    done = neph("fit", "runs.csv", "--target", "t", "--network", "model", "--side", "side", code=None)
    assert done.returncode == 2 and "no batch has 0 pictures (batch)" in done.stderr


def limited(neph, megabytes, *words):
    """What is left of `neph WORDS` where the program may have so much memory for data."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))  # noqa: E731
    return neph(*words, code=None, preexec_fn=limit)


@pytest.mark.address_space
def test_a_table_that_is_larger_than_the_memory_is_refused_in_a_line(neph):
    table = neph.folder / "runs.csv"
    table.write_text("a,b,t\n" + "".join(f"{i % 7},{i % 3},{i % 11 + 1}\n" for i in range(100)))
    assert limited(neph, 64, "fit", "runs.csv", "--target", "t", "--method", "terms").returncode == 0, "the limit itself is none"
    with table.open("a") as file:
        for _ in range(60):
            file.write("1,2,3\n4,5,6\n" * 50_000)
    done = limited(neph, 64, "fit", "runs.csv", "--target", "t", "--force")
    assert done.returncode > 0, "killed"
    assert "there is no memory for more than its first" in done.stderr and "give a part of it" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.address_space
@pytest.mark.parametrize("begin, complaint", [("", "it is no text"), ("a,t\n1,2\n", "it is no text")])
def test_two_gigabytes_of_nothing_are_refused_at_once(neph, begin, complaint):
    with (neph.folder / "runs.csv").open("w") as file:
        file.write(begin)
        file.truncate(2 << 30)  # takes no place on the disk
    assert complaint in limited(neph, 64, "fit", "runs.csv", "--target", "t").stderr


def test_extreme_numbers_are_no_trouble(neph):
    (neph.folder / "runs.csv").write_text("a,t\n1e308,1\n1e-308,2\n1,3\n2,4\n3,1e308\n4,1e-300\n1e999,7\n")
    neph("fit", "runs.csv", "--target", "t")


def test_a_category_with_very_many_levels(neph):
    write_csv(neph.folder / "runs.csv", [{"k": f"level{i // 2}", "x": i % 7 + 1, "t": i % 7 + 1} for i in range(3000)])
    neph("fit", "runs.csv", "--target", "t", timeout_s=600)


def test_a_category_with_a_hundred_thousand_levels(neph):
    write_csv(neph.folder / "runs.csv", [{"k": f"level{i // 2}", "x": i % 7 + 1, "t": i % 7 + 1} for i in range(200_000)])
    shown = neph("fit", "runs.csv", "--target", "t", "--use", "k", "--explain", timeout_s=600).stdout
    assert re.search("feature, category +100000", shown)


def test_a_wrong_target_is_told_before_a_file_that_exists(neph):
    (neph.folder / "runs.csv").write_text("x,t\n" + "".join(f"{i},{i}\n" for i in range(1, 9)))
    (neph.folder / "model.json").write_text("a model")
    assert "unknown column 'time'" in neph("fit", "runs.csv", "--target", "time", code=3).stderr
    assert "there is such a file" in neph("fit", "runs.csv", "--target", "t", code=2).stderr


def test_predict_names_what_it_needs_where_a_table_stands_for_the_model(neph):
    (neph.folder / "runs.csv").write_text("x,t\n" + "".join(f"{i},{i}\n" for i in range(1, 9)))
    needs = "runs.csv: this has measurements, and a model is needed: neph fit runs.csv --target COLUMN makes one"
    assert needs in neph("predict", "runs.csv", "runs.csv", code=2).stderr
    neph("fit", "runs.csv", "--target", "t")
    assert "model.json is the model, which goes first" in neph("predict", "runs.csv", "model.json", code=2).stderr


def test_numbers_with_commas_in_groups_of_three_are_numbers(neph):
    (neph.folder / "runs.csv").write_text("x,t\n" + "".join(f'{i},"{1000.5 * i:,.1f}"\n' for i in range(1, 9)))
    neph("fit", "runs.csv", "--target", "t")
    (neph.folder / "ask.csv").write_text("x\n5\n")
    (row,) = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert row["value"] == pytest.approx(5002.5, rel=0.02)


def test_an_extrapolation_that_was_never_tried_has_no_interval(neph):
    """Two algorithms: none can be left out, so nothing shows how far off a third is."""
    rows = [{"batch": batch, "algorithm": name, "t": (1 + batch) / speed} for batch in (1, 2, 4, 8, 16) for name, speed in (("direct", 1), ("winograd", 2))]
    write_csv(neph.folder / "runs.csv", rows)
    said = neph("fit", "runs.csv", "--target", "t").stdout
    assert re.search(r"^unseen +unknown +unknown ", said, re.M)
    write_csv(neph.folder / "ask.csv", [{"batch": 4, "algorithm": name} for name in ("direct", "fft")])
    known, new = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert known["no_interval"] == "" and known["low"] < known["high"]
    assert new["value"] > 0 and new["low"] is None and new["high"] is None
    assert new["no_interval"].startswith("unseen category of algorithm: ") and "--calibrate" in new["no_interval"]
    shown = neph("predict", "model.json", "ask.csv").stdout
    assert "no interval for 1 of 2 rows: unseen category of algorithm: " in shown
    judged = neph.json("validate", "runs.csv", "--target", "t", "--leave-out", "algorithm")
    assert judged["methods"][0]["score"]["coverage"] is None and judged["methods"][0]["score"]["mean"] > 0
    assert "10 predictions without an interval" in str(judged["notes"])
    neph("validate", "runs.csv", "--target", "t", "--leave-out", "algorithm", "--html", "page.html")
    assert "hold what was measured" not in (neph.folder / "page.html").read_text().split("<table")[0]


def test_a_third_machine_has_an_interval_from_two(neph):
    """None of two can be left out while fitting: the interval of a third rests on priors from public tables, and is wide."""
    rows = [{"batch": batch, "gpu": gpu, "t": (1 + batch) / speed} for batch in (1, 2, 4, 8, 16) for gpu, speed in (("T4", 1), ("V100", 2.4))]
    write_csv(neph.folder / "runs.csv", rows)
    neph("fit", "runs.csv", "--target", "t")
    write_csv(neph.folder / "ask.csv", [{"batch": 4, "gpu": gpu} for gpu in ("T4", "A100", "A100x")])
    known, new, unknown = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert known["low"] < 5 < known["high"] < 1.2 * known["low"]
    assert new["low"] < 5 / 3.5 < new["high"] and 2 < new["high"] / new["low"] < 6 and new["value"] < 5 / 2.4
    assert unknown["value"] is None and "unknown device 'A100x'" in unknown["refused"]
    score = neph.json("validate", "runs.csv", "--target", "t", "--leave-out", "gpu")["methods"][0]["score"]
    assert score["mean"] < 0.6 and score["coverage"] == 1
