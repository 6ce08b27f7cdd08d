"""Stores of earlier schemas, as the neph of their time wrote them: exports tell the same figures as its own exports did.

tests/golden/stores has a store of each schema (`schema-N.db`) and what a neph of that schema (of 3 one of 4) exported of it
(`schema-N-E.json` and `.csv`, E the experiment), without what is words: findings, and messages and advice of warnings. Two things
are of now: an interval of a latency percentile begins no lower than the least sample, which it did with few batches; `n` of a figure is
the number of runs, where it was what one run counted itself.
"""

import contextlib
import json
import shutil
import sqlite3

import pytest
from paths import REPOSITORY

STORES = REPOSITORY / "tests/golden/stores"
EXPORTS = sorted(path.stem for path in STORES.glob("schema-*-*.json"))


def without_words(value):
    if isinstance(value, list):
        return [without_words(each) for each in value]
    if isinstance(value, dict):
        return {key: without_words(each) for key, each in value.items() if key not in ("findings", "message", "advice")}
    return value


def is_within(old, new, path=""):
    """Whether all of `old` is in `new`, which may have more keys."""
    if isinstance(old, dict):
        for key, value in old.items():
            assert key in new, f"{path}.{key}"
            is_within(value, new[key], f"{path}.{key}")
    elif isinstance(old, list):
        assert len(old) == len(new), path
        for place, (one, other) in enumerate(zip(old, new)):
            is_within(one, other, f"{path}[{place}]")
    else:
        assert old == new, path


@pytest.fixture(params=EXPORTS)
def old(request, neph):
    """The store in the test's folder, its experiment, and what was exported of it."""
    store, experiment = request.param.rsplit("-", 1)
    shutil.copy(STORES / f"{store}.db", neph.folder / "neph.db")
    return experiment, STORES / request.param


def exports(neph, experiment):
    return json.loads(neph("export", experiment, "--format", "json").stdout), neph("export", experiment, "--format", "csv").stdout


def schema(neph):
    with contextlib.closing(sqlite3.connect(neph.folder / "neph.db")) as store:
        return store.execute("PRAGMA user_version").fetchone()[0]


def test_an_old_store_exports_what_it_did(neph, old, pictures):
    experiment, kept = old
    for grown in (False, True):
        if grown:
            neph("infer", "mnist", "--images", pictures, "--count", 4, "--warmup", 1, "--warmup-max-s", 0.1)
            assert schema(neph) == 6
        results, table = exports(neph, experiment)
        is_within(json.loads(kept.with_suffix(".json").read_text()), without_words(results))
        assert table == kept.with_suffix(".csv").read_text()
        (machine,) = results["machines"]
        assert {run["machine"] for run in results["runs"]} == {machine["id"]}
        assert machine["fingerprint"] == results["machine"]
    neph("report", experiment)
    assert "Intel(R) Xeon(R) Processor" in (neph.folder / "neph-report.html").read_text()


def test_an_old_store_is_a_table(neph):
    shutil.copy(STORES / "schema-3.db", neph.folder / "neph.db")
    shown = neph("fit", "neph.db", "--target", "images_per_s", "--force", "--explain").stdout
    assert all(f"\n{column} " in shown for column in ("provider", "instance_type", "processor", "cores", "memory_bytes", "gpu", "gpus"))
    assert schema(neph) == 3, "reading changes nothing"
