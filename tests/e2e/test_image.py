"""The container image: what is in it, and that it serves, measures and says how it is, as anybody would run it."""

import json
import subprocess
import tarfile
import time

import pytest
from identity_repository import PICTURE, write_repository
from paths import BUILD, REPOSITORY

ALLOWED_FOLDERS = {"usr/bin", "usr/lib/neph", "usr/lib/neph/lib", "lib64", "lib"}
STRICT = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]


@pytest.fixture(scope="module")
def contents(docker, image, tmp_path_factory):
    """{path: its bytes' beginning, mode} of all files of the image."""
    archive = tmp_path_factory.mktemp("saved") / "saved.tar"
    docker("save", "--output", archive, image)
    with tarfile.open(archive) as saved:
        manifest = json.load(saved.extractfile("manifest.json"))
        (layer,) = manifest[0]["Layers"]
        with tarfile.open(fileobj=saved.extractfile(layer)) as files:
            return {each.name: (files.extractfile(each).read(4), each) for each in files if each.isfile()}


def test_it_holds_the_program_and_its_libraries_only(contents):
    for name, (begin, info) in contents.items():
        assert begin == b"\x7fELF", f"{name} is neither program nor library"
        assert name.rpartition("/")[0] in ALLOWED_FOLDERS, name
        assert not info.mode & 0o6022, f"{name}: mode {info.mode:o}"
    programs = [name for name in contents if name.startswith("usr/bin/")]
    assert programs == ["usr/bin/neph"]


def test_every_library_is_needed(docker, image, contents):
    """The loader itself, inside the image, finds all that each program and plugin needs there, and nothing is left over."""
    loader = next(name for name in contents if "ld-linux" in name)
    for_torch = {f"usr/lib/neph/lib/{name}" for name in ("libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1")}
    assert for_torch <= set(contents), "a libtorch that is mounted asks for them"
    opened_by_name = ("libopenvino_", "libtbbbind")
    begun = [n for n in contents if n.startswith("usr/bin") or n.startswith("usr/lib/neph/neph-") or
             n.rpartition("/")[2].startswith(opened_by_name)]
    needed = {loader, *begun}
    for name in begun:
        listed = docker("run", "--rm", "--entrypoint", f"/{loader}", image, "--list", f"/{name}")
        assert "not found" not in listed, f"{name}: {listed}"
        needed |= {line.split()[2].lstrip("/") for line in listed.splitlines() if "=> /" in line}
    assert set(contents) == needed | for_torch


def test_it_is_small(docker, image):
    assert docker.inspect(image)["Size"] < 300 * 2**20


def test_it_runs_as_nobody_on_a_read_only_root(docker, image):
    assert docker.inspect(image)["Config"]["User"] == "65532:65532"
    engines = json.loads(docker("run", "--rm", *STRICT, "--network", "none", image, "engines", "--json"))
    assert {each["name"]: each["usable"] for each in engines}.items() >= {"identity": True, "openvino": True}.items()


def test_the_same_build_gives_the_same_image(tmp_path):
    archives = [tmp_path / "first.tar", tmp_path / "second.tar"]
    for archive in archives:
        subprocess.run([REPOSITORY / "tools/image", BUILD, archive], check=True, capture_output=True)
    assert archives[0].read_bytes() == archives[1].read_bytes()


def lent(folder, place):
    """The options that show a folder of this machine to a container, whose user is none of this machine's."""
    folder.chmod(0o755)
    return ["--volume", f"{folder}:{place}:ro"]


def as_a_server(docker, image, repository, port):
    """The image serves those models at that port of this machine, with the fewest rights: a context manager of its name."""
    options = [*STRICT, "--publish", f"127.0.0.1:{port}:8000", *lent(repository, "/work/models")]
    return docker.running(image, "serve", "models", "--listen", "0.0.0.0", options=options)


@pytest.fixture(scope="module")
def container(docker, image, repository):
    """The image as a server, once its own health check says that it is well: its name."""
    with as_a_server(docker, image, repository, 18400) as name:
        end = time.monotonic() + 60
        while (state := docker.inspect(name)["State"])["Health"]["Status"] != "healthy":
            assert state["Running"] and time.monotonic() < end, f"{state}\n{docker.logs(name)}"
            time.sleep(0.2)
        yield name


class TestServing:
    def test_it_says_that_it_is_healthy(self, docker, container):
        log = docker.inspect(container)["State"]["Health"]["Log"]
        assert log[-1]["ExitCode"] == 0, log

    def test_it_answers(self, docker, container):
        body = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 16], "data": list(range(16))}]}
        url = "http://127.0.0.1:18400/v2/models/identity/infer"
        done = subprocess.run([*docker.inside, "curl", "-sS", "--json", json.dumps(body), url], capture_output=True)
        assert json.loads(done.stdout)["outputs"][0]["data"] == list(range(16)), done.stderr

    def test_it_ends_when_told_to(self, docker, image, repository, neph):
        """In a container of its own, as other tests of the shared one may run later."""
        with as_a_server(docker, image, repository, 18402) as name:
            subprocess.run([*docker.inside, neph.program, "ready", "http://127.0.0.1:18402", "--wait-s", "60"], check=True)
            docker("stop", "--time", 20, name)
            assert docker.inspect(name)["State"]["ExitCode"] == 0


def test_it_measures(docker, image, neph, pictures, small_model):
    """One measurement inside, of a model and pictures from outside; what it says is its host's business."""
    volumes = [*lent(small_model.parent, "/work/model"), *lent(pictures, "/work/pictures")]
    out = docker(
        "run", "--rm", *STRICT, "--tmpfs", "/tmp", *volumes, image, "infer", "model/resnet18.onnx", "--images", "pictures",
        "--store", "/tmp/runs.db", "--json", timeout_s=300,
    )
    (cell,) = json.loads(out)["cells"]
    assert cell["verdict"] in ("valid", "doubtful")


def test_a_server_that_outgrows_its_memory_is_a_finding_not_a_hang(docker, image, neph, tmp_path):
    """Requests of 38 MB each, 32 at once, for a container that may have 256 MiB: the kernel ends it. Who measures it is told
    in time, and the container says why it is gone."""
    config = ["max_batch = 64", 'batch_sizes = "64"']
    write_repository(tmp_path / "models", {"picture": (["service_ms = 500", *PICTURE], config)})
    options = [*STRICT, "--memory", "256m", "--memory-swap", "256m", "--publish", "127.0.0.1:18401:8000",
               *lent(tmp_path / "models", "/work/models")]
    with docker.running(image, "serve", "models", "--listen", "0.0.0.0", options=options) as name:
        url = "http://127.0.0.1:18401"
        done = subprocess.run([*docker.inside, neph.program, "ready", url, "--wait-s", "60"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        run = neph.start(
            "load", url, "--model", "picture", "--batch", 64, "--clients", 32, "--duration", "5s", "--warmup", "0s",
            "--request-timeout", "5s", "--json", before=docker.inside,
        )
        out, talk = run.communicate(timeout=60)
        state = docker.inspect(name)["State"]
    assert state["OOMKilled"] and state["ExitCode"] == 137
    if run.returncode == 0:
        (cell,) = json.loads(out)["cells"]
        assert cell["figures"]["requests_unavailable"]["value"] > 0
        assert cell["verdict"] != "valid"
    else:
        assert len(talk.strip().splitlines()) <= 4, talk
