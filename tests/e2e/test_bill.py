"""`neph bill` from the command line: what only the program itself adds to a bill."""

SECONDS_OF_THE_CLOCK = """
name = "second"
step_s = 1
align = "clock"
source = "a test"
date = "2026-11-25"
"""


def test_a_bill_from_now_begins_at_a_whole_second(neph):
    (neph.folder / "second.toml").write_text(SECONDS_OF_THE_CLOCK)
    phase = ("--price", "1USD/h", "--phase", "learn=1s")
    bill = neph.json("bill", "--rules", "second.toml", "--rule", "second", *phase)
    assert bill["billed_s"] == 1, "it touches no second second of the clock"


def test_lengths_on_the_command_line_are_given(neph):
    bill = neph.json("bill", "--price", "1USD/h", "--phase", "boot=40s,learn=1h")
    assert [line.get("known") for line in bill["lines"]] == ["given", "given", None]
