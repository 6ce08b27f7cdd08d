"""`neph infer --server-in docker`: the server in a container of its image, its processor and memory limited and watched;
and `--on docker:IMAGE`: the whole run."""

import json

import pytest
from conftest import Neph

QUICK = ("--architecture", "local", "--batch", 4, "--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.3)


class NephBesideDocker(Neph):
    """The program where the test's Docker engine is."""

    def __init__(self, folder, docker):
        super().__init__(folder)
        self.docker = docker

    def __call__(self, *arguments, **options):
        return super().__call__(*arguments, env=self.docker.env, **options)

    def command(self, *arguments):
        return [*self.docker.inside, *super().command(*arguments)]


@pytest.fixture
def beside_docker(tmp_path, docker, image):
    return NephBesideDocker(tmp_path, docker)


def test_a_container_answers_as_a_process_does(beside_docker, small_model, pictures):
    document = beside_docker.json(
        "infer", small_model, "--images", pictures, "--count", 48, "--server-in", "process,docker", "--protocol",
        "http,grpc", *QUICK,
    )
    assert [cell["factors"]["server_in"] for cell in document["cells"]] == ["process", "docker"] * 2
    assert all(cell["runs_ok"] == 1 for cell in document["cells"])
    assert len({cell["answers_checksum"] for cell in document["cells"]}) == 1
    for cell in document["cells"]:
        memory = cell["telemetry"]["server.memory_resident"]["mean"]
        assert memory > 20e6, "the server itself is watched, not the command that started it"
        assert cell["telemetry"]["process.memory_resident"]["mean"] > memory, "the application is client and server"
        limited = cell["telemetry"]["server_container.memory_peak"]["maximum"]
        assert cell["factors"]["server_in"] == "process" or memory / 2 < limited < 1e9, "of the container alone"
    assert beside_docker.docker("ps", "--quiet", "--all") == "", "no container is left"


def test_a_whole_run_in_a_container_answers_as_one_here(beside_docker, image, small_model, pictures):
    for model in ((small_model,), ("resnet18", "--side", 64, "--classes", 10, "--prepared", "on")):
        arguments = ("infer", *model, "--images", pictures, "--count", 48, "--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.3)
        cells = [beside_docker.json(*arguments, "--on", place)["cells"][0] for place in ("here", f"docker:{image}")]
        assert [cell["failures"] for cell in cells] == [[], []]
        assert cells[0]["answers_checksum"] == cells[1]["answers_checksum"]
    assert beside_docker.docker("ps", "--quiet", "--all") == ""


def test_a_run_that_is_stopped_leaves_no_container(beside_docker, image, small_model, pictures):
    done = beside_docker(
        "infer", small_model, "--images", pictures, "--count", 10**6, "--repeat", 1, "--timeout-s", 3, "--on",
        f"docker:{image}", code=None,
    )
    assert done.returncode != 0, done.stderr
    assert beside_docker.docker("ps", "--quiet", "--all") == ""


@pytest.mark.parametrize("place", ["--on docker:localhost/none", "--architecture local --server-in docker --image localhost/none"])
def test_an_image_that_is_not_there_is_one_error_and_no_run(beside_docker, small_model, pictures, tmp_path, place):
    done = beside_docker("infer", small_model, "--images", pictures, *place.split(), code=None)
    assert done.returncode != 0 and "cannot run in localhost/none: " in done.stderr, done.stderr
    assert not (tmp_path / "neph.db").exists()


def test_a_limit_on_processors_holds(beside_docker, small_model, pictures):
    arguments = ("infer", small_model, "--images", pictures, "--server-in", "docker", "--server-cpus", "0.5", *QUICK)
    (cell,) = beside_docker.json(*arguments, "--files", "off", "--count", 400)["cells"]
    assert 0.2 < cell["telemetry"]["server.cpu"]["mean"] < 0.7


def test_a_container_that_has_too_little_memory_is_a_failed_run(beside_docker, small_model, pictures):
    done = beside_docker(
        "infer", small_model, "--images", pictures, "--count", 48, "--server-in", "docker",
        "--server-memory-bytes", 32 << 20, *QUICK, code=None,
    )
    assert done.returncode != 0
    assert "it was killed" in done.stderr and "memory" in done.stderr, done.stderr
    assert beside_docker.docker("ps", "--quiet", "--all") == ""


def test_docker_that_does_not_run_is_named(beside_docker, small_model, pictures, tmp_path):
    done = Neph(tmp_path)(
        "infer", small_model, "--images", pictures, "--count", 48, "--server-in", "docker", *QUICK, code=None,
        env=no_docker(tmp_path),
    )
    assert done.returncode != 0
    assert "Cannot connect to the Docker daemon" in done.stderr, done.stderr


def test_without_docker_the_other_servers_are_measured(small_model, pictures, tmp_path):
    done = Neph(tmp_path)(
        "infer", small_model, "--images", pictures, "--count", 48, "--server-in", "process,docker", *QUICK, "--json",
        env=no_docker(tmp_path), code=1,
    )
    here, there = json.loads(done.stdout)["cells"]
    assert (here["runs_ok"], here["failures"]) == (1, [])
    assert there["runs_ok"] == there["runs_failed"] == 0 and "docker" in there["failures"][0].lower(), there["failures"]


def no_docker(folder):
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "DOCKER_HOST": f"unix://{folder}/none"}
