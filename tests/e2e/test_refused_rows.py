"""`neph predict`: a row that cannot be answered is refused with its number, and costs the others nothing."""

import pytest
from tables import asked, known_runs, write_csv


@pytest.fixture
def fitted(neph):
    write_csv(neph.folder / "runs.csv", known_runs())
    neph("fit", "runs.csv", "--target", "step", "--machine", "machine")


NO_ANSWERS = {
    "many,8,slow": "'batch' is 'many', and a number is needed (row {row})",
    ",8,slow": "row {row} has no 'batch', which every row that was fitted to had",
    "-1,8,slow": "'batch' is -1 in row {row}; a number above 0 is needed",
    "inf,8,slow": "'batch' is inf in row {row}; a number above 0 is needed",
    "8px,8,slow": "'batch' is given in 'px', as '8px', and was fitted as a number alone: give it so (row {row})",
    "8,8,new": "no row of this machine was measured",
}  # fmt: skip


def test_a_row_without_an_answer_costs_the_others_nothing(neph, fitted):
    alone = asked(neph, (3, 8, "slow"), (16, 6, "fast"))
    lines = ["3,8,slow", *NO_ANSWERS, "+16,6,fast"]
    (neph.folder / "ask.csv").write_text("\n".join(["batch,layers,machine", *lines]) + "\n")
    said = neph.json("predict", "model.json", "ask.csv")
    first, *refused, last = said["rows"]
    assert [first, last] == alone
    expected = [reason.format(row=row) for row, reason in enumerate(NO_ANSWERS.values(), 2)]
    for row, reason in zip(refused, expected, strict=True):
        assert row["value"] is row["low"] is row["high"] is None and reason in row["refused"]
    assert said["refused_rows"] == [{"row": row, "reason": each["refused"]} for row, each in enumerate(refused, 2)]
    shown = neph("predict", "model.json", "ask.csv").stdout.splitlines()
    for line, reason in zip(shown[2:], expected):
        assert f"refused: {reason}" in line
    assert "no answer for 6 of 8 rows: rows 2, 3, 4, 5, 6, 7" in shown


def test_a_row_that_cannot_be_read_costs_the_others_nothing(neph, fitted):
    (neph.folder / "ask.csv").write_text("batch,layers,machine\n3,8,slow\n3,5\n16,6,fast\n")
    first, short, last = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert first["value"] > 0 < last["value"]
    assert short == short | {"value": None, "extrapolates": [], "nearest": [], "refused": "line 3 has 2 cells and the heading 3"}
    shown = neph("predict", "model.json", "ask.csv").stdout
    assert "no answer for 1 of 3 rows: row 2" in shown and "refused: line 3 has 2 cells" in shown
    (neph.folder / "ask.jsonl").write_text('{"batch": [1], "layers": 8, "machine": "slow"}\n{"batch": 3, "layers": 8, "machine": "slow"}\n')
    unread, read = neph.json("predict", "model.json", "ask.jsonl")["rows"]
    assert unread["refused"] == "line 1: 'batch' is neither a number nor text" and read["value"] > 0


def test_all_columns_that_are_missing_are_named(neph, fitted):
    (neph.folder / "ask.csv").write_text("batch\n3\n")
    said = neph("predict", "model.json", "ask.csv", code=3).stderr
    assert "unknown column 'layers' in ask.csv" in said and "missing too: 'machine'" in said


def test_swapped_files_are_told(neph, fitted):
    (neph.folder / "ask.csv").write_text("batch,layers,machine\n3,8,slow\n")
    assert "neph predict model.json ask.csv" in neph("predict", "ask.csv", "model.json", code=2).stderr


def test_a_calibrated_model_is_not_written_over_a_file_unless_it_is_to_be(neph, fitted):
    write_csv(neph.folder / "few.csv", known_runs()[:8])
    (neph.folder / "ask.csv").write_text("batch,layers,machine\n3,8,slow\n")
    (neph.folder / "kept.json").write_text("kept")
    words = ("predict", "model.json", "--calibrate", "few.csv", "ask.csv", "--out", "kept.json")
    assert "--force writes over it" in neph(*words, code=2).stderr
    assert (neph.folder / "kept.json").read_text() == "kept"
    neph(*words, "--force")
    assert (neph.folder / "kept.json").read_text() != "kept"


def test_a_line_of_json_may_lack_what_the_others_have(neph, fitted):
    (neph.folder / "ask.jsonl").write_text('{"batch": 3, "layers": 8, "machine": "slow"}\n{"batch": 3, "machine": "slow"}\n')
    there, missing = neph.json("predict", "model.json", "ask.jsonl")["rows"]
    assert there["value"] > 0 and missing["refused"] == "row 2 has no 'layers', which every row that was fitted to had"


def test_rows_that_are_not_shown_say_why_they_are_refused(neph, fitted):
    (neph.folder / "ask.csv").write_text("batch,layers,machine\n" + "3,8,slow\n" * 120 + "many,8,slow\n")
    shown = neph("predict", "model.json", "ask.csv").stdout
    assert "no answer for 1 of 121 rows: row 121\nrow 121: 'batch' is 'many', and a number is needed" in shown


def test_a_network_that_nobody_knows_is_refused_alone(neph):
    rows = [f"{model},{batch},{cost * batch}" for model, cost in (("vgg16", 4), ("resnet50", 1)) for batch in (1, 2, 4, 8)]
    (neph.folder / "steps.csv").write_text("model,batch,ms\n" + "\n".join(rows))
    neph("fit", "steps.csv", "--target", "ms", "--network", "model")
    (neph.folder / "ask.csv").write_text("model,batch\nresnet51,4\nresnet50,4\n,4\n")
    unknown, known, empty = neph.json("predict", "model.json", "ask.csv")["rows"]
    assert unknown["refused"] == "unknown network 'resnet51'; did you mean 'resnet50'?" and empty["refused"]
    assert known["refused"] == "" and known["value"] == pytest.approx(4, rel=0.2)
