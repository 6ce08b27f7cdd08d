"""A store whose JSON has other types than neph writes: each verb that reads it works or says what is wrong, and never ends by an
exception."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

OTHERS = [5, "x", [], [1], {"unit": 5}, None, True]
VERBS = [["runs"], ["runs", 1], ["show", 1], ["show", "--run", 1], ["export", 1, "--format", "json"], ["report", 1, "--out", "r.html"],
         ["script", 1, "--offer", "own/here", "--results", "/srv/x"], ["history"], ["compare", "others.db:1", "others.db:1"],
         ["advise", "others.db", "--offers", "prices.csv"]]  # fmt: skip


class Others:
    """Two experiments, and copies of their stores in which values of JSON are others."""

    def __init__(self, study):
        self.neph, self.folder = study, study.folder
        study("run", "study.toml", "--store", "infer.db")
        study("train", "--store", "command.db", "--repeat", 1, "--command", "true")
        (self.folder / "prices.csv").write_text("provider,instance,price,currency,vcpus\nown,box,1,USD,2\n")

    def write(self, kind, table, column, change):
        """Each value of that column, read as JSON, becomes what `change` makes of it."""
        shutil.copy(self.folder / f"{kind}.db", self.folder / "others.db")
        with closing(sqlite3.connect(self.folder / "others.db")) as store, store:
            for row, text in store.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
                store.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (json.dumps(change(json.loads(text))), row))

    def check(self, verbs):
        for verb in verbs:
            given = [] if "others.db" in str(verb) else ["--store", "others.db"]
            (self.folder / "r.html").unlink(missing_ok=True)
            done = self.neph(*verb, *given, code=None)
            assert 0 <= done.returncode != 9 and "report" not in done.stderr, (verb, done.returncode, done.stderr)
            assert done.returncode == 0 or done.stderr.strip(), verb


@pytest.fixture
def others(study):
    return Others(study)


class TestOtherTypes:
    @pytest.mark.parametrize("kind", ["infer", "command"])
    def test_of_a_specification_s_fields(self, others, kind):
        for other in OTHERS:
            others.write(kind, "experiment", "spec", lambda spec: {key: other for key in spec} | {"model": other, "command": other})
            others.check(VERBS[:4] + VERBS[6:7])

    def test_of_a_whole_specification(self, others):
        for other in OTHERS:
            others.write("command", "experiment", "spec", lambda _: other)
            others.check(VERBS[:1] + VERBS[6:7])
