"""Bad input: one clear line, the exit code of its kind, nothing half-written. Every test provokes the real thing."""

import os
import sqlite3
import subprocess

import numpy
import onnx
import pytest
from PIL import Image

INVALID, NOT_FOUND, UNAVAILABLE, TIMEOUT, IO, CORRUPT, UNSUPPORTED = 2, 3, 4, 5, 6, 7, 8
QUICK = ("--warmup", 1, "--warmup-max-s", 0.1, "--repeat", 1)


def refused(neph, *arguments, code, says, **options):
    """Runs neph, wants the exit code and one line on stderr that says all of `says`; gives the line."""
    done = neph(*arguments, code=code, **options)
    lines = done.stderr.strip().splitlines()
    assert lines and lines[-1].startswith("neph: "), done.stderr
    for words in [says] if isinstance(says, str) else says:
        assert words in lines[-1], f"{words!r} is not in {lines[-1]!r}"
    return lines[-1]


def failed_run(neph, *arguments, says):
    """Runs an experiment whose only run fails; the reason stands in what is said while it runs."""
    done = neph("infer", *arguments, *QUICK, code=UNAVAILABLE)
    assert says in done.stderr, done.stderr
    assert done.stderr.count(says) == 1, f"said twice:\n{done.stderr}"
    assert "Traceback" not in done.stderr and "terminate called" not in done.stderr
    return done.stderr


# ---- models


@pytest.mark.smoke
def test_model_missing(neph, pictures):
    refused(neph, "infer", "absent.onnx", "--images", pictures, code=NOT_FOUND, says="absent.onnx")


def test_network_unknown(neph, pictures):
    refused(neph, "infer", "resnet5", "--images", pictures, code=NOT_FOUND, says="did you mean 'resnet50'?")


def test_model_empty(neph, pictures, tmp_path):
    (tmp_path / "empty.onnx").touch()
    refused(neph, "infer", "empty.onnx", "--images", pictures, code=CORRUPT, says="empty")


def test_model_cut_short(neph, pictures, tmp_path, small_model):
    content = small_model.read_bytes()
    (tmp_path / "short.onnx").write_bytes(content[: len(content) // 2])
    refused(neph, "infer", "short.onnx", "--images", pictures, code=CORRUPT, says="short.onnx")


def test_model_not_a_model(neph, pictures, tmp_path):
    (tmp_path / "text.onnx").write_text("this is a letter to a friend\n" * 50)
    refused(neph, "infer", "text.onnx", "--images", pictures, code=CORRUPT, says="text.onnx")


def one_layer_model(path, op, domain, shape):
    node = onnx.helper.make_node(op, ["input"], ["output"], domain=domain)
    value = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    graph = onnx.helper.make_graph([node], "one", [value("input")], [value("output")])
    imports = [onnx.helper.make_opsetid("", 17)] + ([onnx.helper.make_opsetid(domain, 1)] if domain else [])
    model = onnx.helper.make_model(graph, opset_imports=imports)
    model.ir_version = 8
    onnx.save(model, path)


def test_model_of_wrong_rank(neph, pictures, tmp_path):
    one_layer_model(tmp_path / "flat.onnx", "Relu", "", ["n", 10])
    refused(neph, "infer", "flat.onnx", "--images", pictures, code=UNSUPPORTED, says="images need")


def test_model_without_output(neph, pictures, tmp_path):
    one_layer_model(tmp_path / "mute.onnx", "Relu", "", ["n", 3, 64, 64])
    mute = onnx.load(tmp_path / "mute.onnx")
    del mute.graph.output[:]
    onnx.save(mute, tmp_path / "mute.onnx")
    refused(neph, "infer", "mute.onnx", "--images", pictures, code=UNSUPPORTED, says="no output")


def test_options_that_are_for_networks_given_by_name(neph, small_model, pictures):
    refused(neph, "infer", small_model, "--images", pictures, "--classes", 5, code=INVALID, says="given by name")
    refused(neph, "net", small_model, "--classes", 5, code=INVALID, says="given by name")
    refused(neph, "net", "--onnx", "lost.onnx", code=INVALID, says="which network")


def test_model_is_not_written_over_itself(neph, tmp_path):
    neph("net", "mnist", "--onnx", "mine.onnx")
    before = (tmp_path / "mine.onnx").read_bytes()
    refused(neph, "net", "mine.onnx", "--onnx", "./mine.onnx", "--seed", 2, code=INVALID, says="mine.onnx")
    assert (tmp_path / "mine.onnx").read_bytes() == before


def test_model_with_unsupported_operator(neph, pictures, tmp_path):
    one_layer_model(tmp_path / "odd.onnx", "Frobnicate", "org.example", ["n", 3, 64, 64])
    refused(neph, "infer", "odd.onnx", "--images", pictures, code=UNSUPPORTED, says="Frobnicate")


# ---- pictures


def test_folder_missing(neph, small_model):
    refused(neph, "infer", small_model, "--images", "absent", code=NOT_FOUND, says="absent")


def test_folder_empty(neph, small_model, tmp_path):
    (tmp_path / "nothing").mkdir()
    refused(neph, "images", "check", "nothing", code=INVALID, says="no usable image")
    refused(neph, "infer", small_model, "--images", "nothing", code=INVALID, says="no usable image")
    (tmp_path / "nothing/small.png").write_bytes(b"x")
    says = "nothing/small.png: too small a file: 1 bytes, 2052 are the least (--min-file-bytes"
    refused(neph, "infer", small_model, "--images", "nothing", code=INVALID, says=says)
    assert not (tmp_path / "neph.db").exists(), "what cannot run is not stored"


def test_every_kind_of_bad_picture_is_named_with_its_reason(neph, tmp_path, pictures):
    folder = tmp_path / "mixed"
    folder.mkdir()
    good = (pictures / "00.jpg").read_bytes()
    (folder / "good.jpg").write_bytes(good)
    (folder / "truncated.jpg").write_bytes(good[: len(good) // 2])
    (folder / "empty.jpg").touch()
    (folder / "png.jpg").write_bytes(png_bytes(300, 300))  # the suffix lies, the content is fine
    (folder / "text.jpg").write_text("no picture at all " * 200)
    (folder / "bomb.jpg").write_bytes(jpeg_of_claimed_size(good, 65500, 65500))
    Image.new("RGB", (400, 8), (9, 99, 199)).resize((400, 8)).save(folder / "flat.png")
    (folder / "flat.png").write_bytes((folder / "flat.png").read_bytes() + bytes(3000))
    (folder / "directory.jpg").mkdir()
    (folder / "secret.jpg").write_bytes(good)
    (folder / "secret.jpg").chmod(0)

    found = neph.json("images", "check", folder, **as_nobody(tmp_path))
    usable = {os.path.basename(picture["path"]) for picture in found["usable"]}
    reasons = {os.path.basename(item["path"]): item["reason"] for item in found["rejected"]}
    assert usable == {"good.jpg", "png.jpg"}
    assert "cut short" in reasons["truncated.jpg"] or "truncated" in reasons["truncated.jpg"]
    assert "empty" in reasons["empty.jpg"]
    assert "text.jpg" in reasons
    assert "65500" in reasons["bomb.jpg"]
    assert "8" in reasons["flat.png"]
    assert "ermission" in reasons["secret.jpg"]
    assert "directory.jpg" in reasons


def as_nobody(folder):
    """Options that start neph without root's right to read everything; the folder is made enterable for it."""
    if os.geteuid() != 0:
        return {}
    for part in [folder, *folder.parents]:
        if os.stat(part).st_uid == 0 and str(part).startswith("/tmp"):
            os.chmod(part, os.stat(part).st_mode | 0o055)
    return {"user": 65534, "group": 65534, "extra_groups": []}


def png_bytes(width, height):
    import io

    noise = numpy.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=numpy.uint8)
    out = io.BytesIO()
    Image.fromarray(noise).save(out, "PNG")
    return out.getvalue()


def jpeg_of_claimed_size(jpeg, width, height):
    """The JPEG with another size in its frame header (marker SOF0 or SOF2)."""
    for marker in (b"\xff\xc0", b"\xff\xc2"):
        if (at := jpeg.find(marker)) >= 0:
            return jpeg[: at + 5] + height.to_bytes(2, "big") + width.to_bytes(2, "big") + jpeg[at + 9:]
    raise AssertionError("no frame header")


# ---- options


@pytest.mark.parametrize("batch", ["0", "-1", "1e9", "x", "1,,2", "8..1"])
def test_batch_that_makes_no_sense(neph, small_model, pictures, batch):
    refused(neph, "infer", small_model, "--images", pictures, f"--batch={batch}", code=INVALID, says="--batch")


def test_batch_that_needs_more_memory_than_there_is(neph, pictures):
    failed_run(neph, "resnet50", "--images", pictures, "--batch", 65536, says="batch 65536")


@pytest.mark.smoke
def test_unknown_words_are_answered_with_the_nearest_known_one(neph, small_model, pictures, tmp_path):
    run = ("infer", small_model, "--images", pictures)
    refused(neph, *run, "--precision", "bf61", code=INVALID, says="did you mean 'bf16'?")
    refused(neph, *run, "--bacth", 8, code=INVALID, says=["did you mean '--batch'?", "(neph infer --help)"])
    refused(neph, "infre", code=INVALID, says="did you mean 'infer'?")
    refused(neph, *run, "--engine", "openvno", code=NOT_FOUND, says="did you mean 'openvino'?")
    refused(neph, *run, "--device", "CUP", code=NOT_FOUND, says="did you mean 'CPU'?")
    refused(neph, *run, "--device", "GPU", code=NOT_FOUND, says="known: CPU")
    (tmp_path / "x.toml").write_text(f'[infer]\nmodel = "{small_model}"\nimages = "{pictures}"\nbacth = 8\n')
    refused(neph, "run", "x.toml", code=INVALID, says=["x.toml", "did you mean 'batch'?"])
    (tmp_path / "y.toml").write_text("[infer]\nmodel = = 3\n")
    refused(neph, "run", "y.toml", code=CORRUPT, says="y.toml:2")
    refused(neph, "run", "absent.toml", code=NOT_FOUND, says="absent.toml")


def test_options_that_are_not_as_they_should_be(neph, small_model, pictures):
    run = ("infer", small_model, "--images", pictures)
    refused(neph, *run, "--batch", 1, "--batch", 2, code=INVALID, says="--batch is given twice")
    refused(neph, *run, "--batch", code=INVALID, says="--batch needs a value")
    refused(neph, *run, "--batch", 1, 2, code=INVALID, says="too many arguments: '2'")
    refused(neph, "infer", small_model, "--images", "", code=INVALID, says="no images given")
    refused(neph, "infer", "", "--images", pictures, code=INVALID, says="no model given")
    refused(neph, "infre", "--help", code=INVALID, says="did you mean 'infer'?")


def test_a_folder_of_a_networks_name_hides_it_not(neph, tmp_path, pictures):
    (tmp_path / "mnist").mkdir()
    assert "1,199,882" in neph("net", "mnist").stdout
    neph("infer", "mnist", "--images", pictures, "--count", 8, *QUICK)


# ---- the store


def measure(neph, model, pictures, **options):
    return neph("infer", model, "--images", pictures, "--count", 8, *QUICK, code=None, **options)


def test_store_not_writable(neph, small_model, pictures, tmp_path):
    done = neph("infer", small_model, "--images", pictures, "--store", "/proc/neph.db", *QUICK, code=None)
    assert done.returncode in (NOT_FOUND, UNAVAILABLE, IO)
    assert done.stderr.strip().splitlines()[-1].startswith("neph: ") and "/proc/neph.db" in done.stderr


def test_store_locked_by_another_process(neph, small_model, pictures, tmp_path):
    measure(neph, small_model, pictures)
    other = sqlite3.connect(tmp_path / "neph.db")
    other.execute("BEGIN EXCLUSIVE")
    done = measure(neph, small_model, pictures)
    other.close()
    assert done.returncode == UNAVAILABLE and "neph.db" in done.stderr.strip().splitlines()[-1]


def test_store_from_a_newer_version(neph, small_model, pictures, tmp_path):
    measure(neph, small_model, pictures)
    with sqlite3.connect(tmp_path / "neph.db") as store:
        store.execute("PRAGMA user_version = 999")
    store.close()
    refused(neph, "report", code=UNSUPPORTED, says="neph.db")


@pytest.mark.smoke
def test_store_damaged(neph, small_model, pictures, tmp_path):
    (tmp_path / "neph.db").write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 40)
    refused(neph, "report", code=CORRUPT, says="neph.db")
    assert measure(neph, small_model, pictures).returncode == CORRUPT


def test_store_with_a_run_of_no_cell(neph, small_model, pictures, tmp_path):
    measure(neph, small_model, pictures)
    with sqlite3.connect(tmp_path / "neph.db") as store:
        store.execute("UPDATE run SET cell = 99")
    store.close()
    refused(neph, "runs", 1, code=CORRUPT, says=["neph.db", "configuration 99"])


def test_store_deleted_while_it_is_in_use(neph, small_model, pictures, tmp_path):
    running = neph.start("infer", small_model, "--images", pictures, "--count", 400, "--warmup", 1, "--repeat", 3)
    wait_for_worker(running)
    (tmp_path / "neph.db").unlink()
    _, err = running.communicate(timeout=120)
    assert running.returncode == NOT_FOUND and "moved or deleted" in err.splitlines()[-1], err


def test_store_missing(neph):
    refused(neph, "report", code=NOT_FOUND, says="neph.db")


def test_disk_full_while_storing_and_reporting(neph, small_model, pictures, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", small], check=True)
    try:
        done = neph("infer", small_model, "--images", pictures, "--count", 400, "--store", small / "neph.db",
                    "--warmup", 1, "--repeat", 3, code=None)
        assert done.returncode == IO and "full" in done.stderr.strip().splitlines()[-1]
        measure(neph, small_model, pictures)
        refused(neph, "report", "--out", small / "page.html", code=IO, says="page.html")
        assert not list(small.glob("page.html*")), "a half-written page was left"
    finally:
        subprocess.run(["umount", small], check=True)


# ---- faults of a run


def test_worker_killed_in_the_middle(neph, small_model, pictures):
    running = neph.start("infer", small_model, "--images", pictures, "--count", 100000, *QUICK)
    worker = wait_for_worker(running)
    os.kill(worker, 9)
    _, err = running.communicate(timeout=60)
    assert running.returncode == UNAVAILABLE
    assert "SIGKILL" in err


def wait_for_worker(running):
    """The process id of the worker, once it measures."""
    import time

    def children():
        return subprocess.run(["ps", "-o", "pid=", "--ppid", str(running.pid)], capture_output=True, text=True).stdout.split()

    for _ in range(600):
        if now := children():
            time.sleep(1.5)
            if children() == now:  # and no process that prepared the runs
                return int(now[0])
        time.sleep(0.05)
    raise AssertionError("no worker was started")


@pytest.mark.address_space
def test_memory_limit_hit(neph, pictures):
    """An address space of 1.5 GiB cannot hold ResNet-50 with a batch of 512: the run fails, the program does not."""
    limit = 1536 * 1024
    command = f"ulimit -v {limit}; exec {neph.program} infer resnet50 --images {pictures} --batch 512 " + " ".join(map(str, QUICK))
    done = subprocess.run(["bash", "-c", command], cwd=neph.folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == UNAVAILABLE, done.stderr
    assert "memory" in done.stderr


# ---- standard output and standard error


def test_output_that_cannot_be_written(neph):
    """A full disk behind stdout, or none: the reader has not got the result, so it is no success."""
    for arguments in (["net", "mnist"], ["net", "resnet152", "--json"]):  # less and more than a buffer
        with open("/dev/full", "w") as full:
            done = subprocess.run(neph.command(*arguments), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == IO and done.stderr.startswith("neph: cannot write standard output: No space")
        closed = subprocess.run(["bash", "-c", 'exec "$@" >&-', "bash", *neph.command(*arguments)],
                                stderr=subprocess.PIPE, text=True, timeout=60)
        assert closed.returncode == IO and "standard output" in closed.stderr, closed.stderr


@pytest.mark.parametrize("stderr", ["/dev/full", "&-"])
def test_nobody_to_talk_to_ends_no_measurement(neph, small_model, pictures, stderr):
    command = neph.command("infer", small_model, "--images", pictures, "--count", 8, *QUICK)
    done = subprocess.run(["bash", "-c", f'exec "$@" 2>{stderr}', "bash", *command], cwd=neph.folder, timeout=120)
    assert done.returncode == 0
    assert [run["status"] for run in neph.json("runs", 1)] == ["ok"]


@pytest.mark.address_space
def test_more_pictures_than_memory_holds_answers_for(neph, small_model, pictures):
    refused(neph, "infer", small_model, "--images", pictures, "--count", 2**63 - 1, code=INVALID, says="count")
    command = f"ulimit -v 2000000; exec {neph.program} infer {small_model} --images {pictures} --count 1000000000 " + " ".join(map(str, QUICK))
    done = subprocess.run(["bash", "-c", command], cwd=neph.folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == UNAVAILABLE and "not enough memory" in done.stderr, done.stderr


def test_file_larger_than_allowed(neph, tmp_path):
    """`ulimit -f`: an error that names the file, and no part of it left."""
    command = neph.command("net", "mnist", "--onnx", "big.onnx")
    done = subprocess.run(["bash", "-c", 'ulimit -f 10; exec "$@"', "bash", *command], cwd=tmp_path,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == IO and "big.onnx" in done.stderr
    assert not list(tmp_path.iterdir())


def test_times_have_units_and_their_old_names_are_taken(neph, small_model):
    for words in (("--wait", "0.2s"), ("--wait-s", "200ms"), ("--wait-s", 0.2), ("--wait", 0.2)):
        refused(neph, "ready", "http://127.0.0.1:9", *words, code=UNAVAILABLE, says="127.0.0.1:9")
    refused(neph, "ready", "http://127.0.0.1:9", "--wait-s", "5x", code=INVALID, says="--wait: '5x' is no length of time")
    run = ("infer", small_model, "--count", 2, "--repeat", 1)
    for words in (("--timeout", "2min", "--warmup-max", "100ms,200ms"), ("--timeout-s", 120, "--warmup-max-s", "0.1,0.2")):
        cells = neph.json(*run, *words)["cells"]
        assert [cell["factors"] for cell in cells] == [{"warmup_max_s": 0.1}, {"warmup_max_s": 0.2}]
    helped = neph("infer", "--help").stdout
    assert "--warmup-max TIME [10s]" in helped and "--warmup-max-s" not in helped and "--timeout TIME [3600s]" in helped


def test_an_image_is_no_folder_of_images(neph, small_model, pictures):
    says = f"--image {pictures}: that is the Docker image of a server (--server-in docker); a folder of images is --images {pictures}"
    refused(neph, "infer", small_model, "--image", pictures, code=INVALID, says=says)
