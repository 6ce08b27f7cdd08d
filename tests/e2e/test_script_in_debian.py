"""Scripts of `neph script` in an empty Debian 12, with the real bundle and a program of the provider that writes down what it
was asked."""

import shutil

import pytest
from bundle_roots import NoSuchSuite, Root, can_have_roots, debian
from script_runs import marks_in, script

pytestmark = pytest.mark.slow
ASKED = "az vm deallocate --no-wait --name"


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """An empty Debian 12."""
    if not can_have_roots():
        pytest.skip("this user may not make namespaces")
    folder = tmp_path_factory.mktemp("debian") / "root"
    try:
        yield debian("bookworm", folder)
    except NoSuchSuite as why:
        pytest.skip(str(why))
    shutil.rmtree(folder)  # a fifth of a gigabyte; nothing is mounted in it any more


@pytest.fixture
def machine(bare, study, archive):
    """Azure's, with what lies beside the script in /job."""
    for folder in ("job", "tmp"):
        shutil.rmtree(bare / folder, ignore_errors=True)
        (bare / folder).mkdir()
    (bare / "asked").unlink(missing_ok=True)
    (bare / "usr/local/bin/az").write_text('#!/bin/sh\necho "az $*" >>/asked\n')
    (bare / "usr/local/bin/az").chmod(0o755)
    shutil.copy(archive, bare / "job")
    shutil.copy(study.folder / "model.identity", bare / "job")
    shutil.copytree(study.folder / "pictures", bare / "job/pictures")
    (bare / "job/run.sh").write_text(script(study, offer="azure/Standard_NC6", results="/results"))
    return Root(bare, {})


def asked(machine):
    file = machine.folder / "asked"
    return file.read_text().splitlines() if file.exists() else []


def test_it_measures_saves_and_deallocates(machine, study):
    out = machine("/bin/sh", "-c", "/bin/sh /job/run.sh")
    assert "boot: absent, this is a container" in out and "all steps have ended" in out
    assert len(asked(machine)) == 1 and asked(machine)[0].startswith(ASKED)
    (experiment,) = study.json("runs", "--store", machine.folder / "results/neph.db")
    runs = study.json("runs", experiment["id"], "--store", machine.folder / "results/neph.db")
    assert [run["status"] for run in runs] == ["ok"]
    marks = marks_in(machine.folder / "results/marks.jsonl")
    assert [mark["stage"] for mark in marks] == ["install", "install", "data_load", "learn", "save"]
    machine("/bin/sh", "-c", "/bin/sh /job/run.sh")
    assert len(asked(machine)) == 2 and marks_in(machine.folder / "results/marks.jsonl") == marks


@pytest.mark.parametrize("how", ["TERM", "KILL"])
def test_killed_while_it_learns(machine, how):
    text = (machine.folder / "job/run.sh").read_text().replace("count = 30", "count = 100000000")
    (machine.folder / "job/run.sh").write_text(text)
    machine("/bin/sh", "-c", f"/bin/sh /job/run.sh & until [ -e /tmp/neph-*/neph.db ]; do sleep 0.1; done; kill -{how} $!; "
                             "wait; for _ in 1 2 3 4 5 6 7 8 9 10; do [ -e /asked ] || sleep 1; done; sleep 1")
    assert len(asked(machine)) == 1 and asked(machine)[0].startswith(ASKED)
    assert (machine.folder / "results/marks.jsonl").exists()
