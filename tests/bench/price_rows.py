"""How long a price list of 50,000 rows takes to be read and linted, and a bill from the start of the program."""

import subprocess
import sys
import time
from functools import cache, partial

from frame import Goal, Row, Unavailable
from programs import REPOSITORY, program

sys.path.append(str(REPOSITORY / "tests/e2e"))
from price_lists import aws_like  # noqa: E402

ROWS = 50_000


@cache
def price_list():
    path = REPOSITORY / "build/bench/v8/aws/vms.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(aws_like(ROWS))
    return path


def wall_s(*arguments):
    """From before fork to after wait. A lint that finds something ends with 1."""
    command = [program("neph"), *map(str, arguments)]
    begin = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    took = time.monotonic() - begin
    if done.returncode not in (0, 1):
        raise Unavailable(done.stderr.decode().strip())
    return took


def bill_ms():
    return 1000 * wall_s("bill", "--rule", "selectel", "--price", "100RUB/h", "--start", "2026-11-24T13:25+03:00",
                         "--phase", "boot=40s,install=5min,learn=20min,save=15s")  # fmt: skip


def rows():
    at_most = partial(Goal, at_least=False)
    return [
        Row("price-lint-50k", f"neph price lint, {ROWS:,} rows in the shape of AWS's, process start to end", "",
            at_most(0.3), lambda: wall_s("price", "lint", price_list()), unit="s"),
        Row("price-list-50k", f"neph price list of the same {ROWS:,} rows", "", at_most(0.3),
            lambda: wall_s("price", "list", "--offers", price_list(), "--cores", "8"), unit="s"),
        Row("bill", "neph bill by the clock hour, process start to end", "", at_most(20), bill_ms, unit="ms", rounds=21),
    ]
