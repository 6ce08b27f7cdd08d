"""`neph train --in docker`: the same training, and any command, in a container of our image and of any other."""

import io
import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from cells import TRAINED
from paths import BUILD, REPOSITORY
from conftest import Neph
from test_server_in_docker import NephBesideDocker

QUICK = ("--framework", "identity", "--data", "synth", "--synth-samples", 320, "--batch", 32, "--epochs", 4, "--repeat", 1)


@pytest.fixture
def beside_docker(tmp_path, docker):
    (tmp_path / "known.identity").write_text(f"service_ms = 5\n{TRAINED}")
    return NephBesideDocker(tmp_path, docker)


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    """The program's bundle, unpacked."""
    folder = tmp_path_factory.mktemp("bundle")
    subprocess.run([REPOSITORY / "tools/bundle", BUILD, folder], check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("*.tar.gz")
    subprocess.run(["tar", "-xzf", archive, "-C", folder], check=True)
    archive.unlink()
    return next(folder.iterdir())


@pytest.fixture(scope="session")
def plain_image(docker):
    """An image that knows nothing of neph: a shell, some programs, Python and what they need, of this machine."""
    programs = [Path(f"/usr/bin/{name}") for name in ("dash", "cat", "env", "python3.11", "sleep", "true")]
    packages = ["libc6", "libexpat1", "zlib1g", "libpython3.11-minimal", "libpython3.11-stdlib"]
    listed = subprocess.run(["dpkg-query", "--listfiles", *packages], capture_output=True, text=True, check=True).stdout
    libraries = [name for name in listed.splitlines() if (".so" in name or name.endswith(".py")) and Path(name).is_file()]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", dereference=True) as tar:
        for file in [*programs, *libraries]:
            tar.add(file, str(file))
        tar.add("/usr/bin/dash", "/bin/sh")
        tar.add("/usr/bin/cat", "/bin/cat")
        tar.add("/usr/bin/sleep", "/bin/sleep")
        tar.add("/usr/bin/python3.11", "/usr/bin/python3")
    subprocess.run(["docker", "import", "-", "plain:1"], input=packed.getvalue(), env=docker.env, check=True, capture_output=True)
    yield "plain:1"
    docker("rmi", "--force", "plain:1")


class NephOfBundle(NephBesideDocker):
    def __init__(self, folder, docker, bundle):
        super().__init__(folder, docker)
        self.program = bundle / "bin/neph"

    def command(self, *arguments):
        return [*self.docker.inside, self.program, *map(str, arguments)]


def test_a_training_in_a_container_is_the_same_training(beside_docker, bundle, plain_image, docker, tmp_path):
    options = ("--in", "process,docker", "--image", plain_image, "--save", "trained.bin")
    document = NephOfBundle(tmp_path, docker, bundle).json("train", "known.identity", *QUICK, *options)
    here, there = document["cells"]
    assert [cell["failures"] for cell in (here, there)] == [[], []]
    assert [cell["factors"]["in"] for cell in (here, there)] == ["process", "docker"]
    for name in ("test_loss", "test_accuracy", "checkpoint_bytes"):
        assert here["figures"][name]["value"] == there["figures"][name]["value"]
    assert (beside_docker.folder / "trained.bin").stat().st_size == there["figures"]["checkpoint_bytes"]["value"]
    assert there["phases"]["process_start"]["value"] > here["phases"]["process_start"]["value"], "a container has to start"
    outside = {name: series for name, series in there["telemetry"].items() if name.startswith("host_container.")}
    assert not any(name.startswith("host_container.") for name in here["telemetry"])
    assert outside["host_container.memory_current"]["maximum"] > 1e6 and outside["host_container.cpu"]["mean"] < 4
    assert any(said.startswith("Seen from the host, the container used ") for said in document["findings"]), document["findings"]
    assert beside_docker.docker("ps", "--quiet", "--all") == ""


def test_a_command_runs_in_any_image_and_writes_where_it_would(beside_docker, bundle, plain_image, docker, tmp_path):
    neph = NephOfBundle(tmp_path, docker, bundle)
    (tmp_path / "train.sh").write_text(
        """echo begun
        for epoch in 1 2; do
          for step in 1 2 3 4 5 6; do sleep 0.05; echo '{"event": "step", "samples": 8}' > $NEPH_EVENTS; done
        done
        echo learnt > result.txt
        """
    )
    options = ("--in", "docker", "--image", plain_image, "--repeat", 1)
    (cell,) = json.loads(neph("train", *options, "--json", "--", "/bin/sh", "train.sh").stdout)["cells"]
    assert cell["failures"] == []
    assert (tmp_path / "result.txt").read_text() == "learnt\n"
    assert cell["facts"]["steps_measured"] == "12", cell["facts"]
    neph("train", *options, "--", "python3", "-c", "import os; print(os.environ['USER'])")  # PyTorch needs it, and has no passwd
    failed = neph("train", *options, "--", "/bin/sh", "-c", "echo no data >&2; exit 3", code=None)
    assert failed.returncode != 0 and "no data" in failed.stderr


class NephWithoutDocker(Neph):
    """Where no engine of containers answers."""

    def __call__(self, *arguments, **options):
        nowhere = {**os.environ, "DOCKER_HOST": f"unix://{self.folder}/none"}
        return super().__call__(*arguments, env=nowhere, **options)


def test_a_bundle_of_another_build_is_refused(bundle, tmp_path):
    """A copy of a development build, with the bundle where ./dev bundle puts it."""
    copied = tmp_path / "build/release/bin"
    shutil.copytree(BUILD / "bin/engines", copied / "engines")
    for name in ("neph", "neph-wire-grpc.so"):
        shutil.copy(BUILD / "bin" / name, copied)
    (tmp_path / "build/bundle").symlink_to(bundle)
    (tmp_path / "known.identity").write_text(TRAINED)
    neph = NephWithoutDocker(tmp_path)
    neph.program = copied / "neph"
    training = ("train", "known.identity", *QUICK, "--in", "docker", "--image", "x:1")
    assert "cannot run in x:1: " in neph(*training, code=None).stderr, "the bundle is of this build"
    with open(copied / "engines/neph-engine-identity.so", "ab") as plugin:
        plugin.write(b"!")
    said = neph(*training, code=None).stderr
    assert "is of another build than this program" in said and "./dev bundle makes a new one" in said
    assert len(said.splitlines()) == 1


def test_an_image_of_another_build_is_refused(beside_docker, image, docker):
    container = docker("create", image).strip()
    docker("commit", "--change", "LABEL neph.build=of-before", container, "neph-of-before:1")
    docker("rm", container)
    try:
        for words in (("--on", "docker:neph-of-before:1"), ()):
            if not words:
                docker("tag", image, "neph-kept:1")
                docker("tag", "neph-of-before:1", "neph:latest")
                words = ("--on", "docker:neph")
            said = beside_docker("train", "known.identity", *QUICK, *words, code=None).stderr
            assert "it has another build of neph than this one; ./dev image makes neph:latest anew" in said
            assert len(said.splitlines()) == 1
    finally:
        docker("tag", "neph-kept:1", "neph:latest")
        docker("rmi", "--force", "neph-of-before:1", "neph-kept:1")


@pytest.fixture
def without_docker(tmp_path):
    (tmp_path / "known.identity").write_text(f"service_ms = 5\n{TRAINED}")
    return NephWithoutDocker(tmp_path)


WITHOUT_DOCKER = ("cannot run in x:1: ", "another image needs this program's bundle, which is not in ")  # with a bundle, or without
TRAININGS = {
    "a training": ("train", "known.identity", *QUICK, "--in", "process,docker", "--image", "x:1"),
    "a command": ("train", "--in", "process,docker", "--image", "x", "--repeat", 1, "--", "true"),
    "a file": ("run", "study.toml"),
}


@pytest.mark.parametrize("what", TRAININGS)
def test_without_docker_the_other_cells_are_measured(without_docker, what):
    (without_docker.folder / "study.toml").write_text(
        """repeat = 1
        [train]
        model = "known.identity"
        engine = "identity"
        data = "synth"
        synth_samples = 320
        epochs = 2
        in = ["process", "docker"]
        image = "x:1"
        """
    )
    words = list(TRAININGS[what])
    at = words.index("--") if "--" in words else len(words)
    done = without_docker(*words[:at], "--json", *words[at:], code=1)
    here, there = json.loads(done.stdout)["cells"]
    assert (here["runs_ok"], here["failures"]) == (1, [])
    (why,) = there["failures"]
    assert there["runs_ok"] == there["runs_failed"] == 0 and ("docker" in why or "./dev bundle" in why), why
    assert done.stderr.count(f"docker: left out: {why}") == done.stderr.count(why) == 1, done.stderr
    assert done.stderr.index(why) < done.stderr.index("1 configuration x 1 repeat") < done.stderr.index("1 configuration left out")


def test_without_docker_an_estimate_is_of_the_other_cells(without_docker):
    said = without_docker(*TRAININGS["a training"], "--dry-run").stdout
    assert any(f"docker: left out: {why}" in said for why in WITHOUT_DOCKER) and "1 run, about " in said, said


def test_where_all_cells_need_docker_it_is_said_once(without_docker):
    done = without_docker("train", "known.identity", *QUICK, "--threads", "1,2", "--in", "docker", "--image", "x:1", code=None)
    assert done.returncode in (3, 4) and sum(map(done.stderr.count, WITHOUT_DOCKER)) == 1, done.stderr
    assert not (without_docker.folder / "neph.db").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("train", "known.identity", *QUICK, "--in", "docker", "--image", "localhost/none"), ("./dev bundle", "cannot run in localhost/none")),
        (("train", "--in", "docker", "--", "true"), "in which image?"),
        (("train", "known.identity", *QUICK, "--in", "docker", "--on", "docker:x"), "starts a container from inside of one"),
        (("train", "known.identity", *QUICK, "--image", "x"), "--image means nothing with --in process"),
    ],
)
def test_what_cannot_run_is_said_once(beside_docker, arguments, says):
    done = beside_docker(*arguments, code=None)
    any_of = (says,) if isinstance(says, str) else says  # without a bundle, or with one
    assert done.returncode != 0 and any(words in done.stderr for words in any_of), done.stderr
    assert not (beside_docker.folder / "neph.db").exists()
