"""The Docker engine that tests start: it runs an image made of nothing but a staged folder, and leaves nothing behind."""

import subprocess

import pytest
from docker_engine import Docker, Unavailable, docker_engine
from test_namespaces import namespaces_in, network_namespaces

HELLO = '#include <unistd.h>\nint main(void) { return write(1, "hello from nothing\\n", 19) == 19 ? 0 : 1; }\n'


@pytest.fixture
def staged_root(tmp_path):
    """A folder with one program that needs no library."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "hello.cpp").write_text(HELLO)
    subprocess.run(["g++", "-static", "-o", root / "hello", tmp_path / "hello.cpp"], check=True)
    return root


def test_a_staged_folder_becomes_an_image_that_runs(docker, staged_root):
    (staged_root / "Dockerfile").write_text('FROM scratch\nCOPY hello /hello\nENTRYPOINT ["/hello"]\n')
    docker("build", "--quiet", "--tag", "hello:test", staged_root)
    try:
        assert docker("run", "--rm", "--network", "none", "hello:test") == "hello from nothing\n"
    finally:
        docker("rmi", "--force", "hello:test")


def test_it_leaves_nothing_behind(tmp_path):
    if Docker().answers():
        pytest.skip("an engine runs here already; none of ours is started")
    try:
        with docker_engine(tmp_path) as engine:
            made = namespaces_in(" ".join(engine.inside))
            assert made and made <= network_namespaces(), "it has a network of its own"
            assert engine.answers()
    except Unavailable as why:
        pytest.skip(str(why))
    assert not network_namespaces() & made
    assert not engine.answers()
    assert str(tmp_path) not in open("/proc/mounts").read()
