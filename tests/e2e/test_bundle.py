"""The bundle: what is in it, and that it runs wherever it is put, on this system, on none, and on older and newer ones."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import tarfile
from pathlib import Path

import pytest
from bundle_roots import NoSuchSuite, Root, can_have_roots, debian, measure, unpack
from paths import BUILD, REPOSITORY

MOST_BYTES = 48e6
OPENVINO = "libopenvino.so"
UNAVAILABLE = 4  # exit code


@pytest.fixture(scope="module")
def bundle(archive, tmp_path_factory):
    """Unpacked, and then moved, to a folder with a space in its name."""
    begun = unpack(archive, tmp_path_factory.mktemp("begun"))
    return begun.rename(tmp_path_factory.mktemp("moved") / "a folder")


@pytest.fixture(scope="module")
def packages():
    """The Python packages of this environment, of which OpenVINO is one."""
    return Path(sysconfig.get_path("purelib"))


def run(program, *arguments, code=0, **options):
    """Without any environment."""
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, **{"env": {}, "timeout": 120} | options)
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


def engines(program, *arguments, **options):
    return {each["name"]: each for each in json.loads(run(program, "engines", "--json", *arguments, **options).stdout)}


def programs_in(bundle):
    return [file for file in sorted(bundle.rglob("*")) if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]


class TestContents:
    def test_it_is_small(self, archive):
        assert archive.stat().st_size < MOST_BYTES

    def test_the_same_build_gives_the_same_bytes(self, archive, tmp_path):
        subprocess.run([REPOSITORY / "tools/bundle", BUILD, tmp_path], check=True, capture_output=True)
        assert (tmp_path / archive.name).read_bytes() == archive.read_bytes()

    def test_nothing_is_of_anybody_or_writable_by_others(self, archive):
        with tarfile.open(archive) as files:
            for info in files:
                assert (info.uid, info.gid, info.uname, info.gname) == (0, 0, "", ""), info.name
                assert info.isfile() or info.isdir(), info.name
                assert not info.mode & 0o6022, f"{info.name}: {info.mode:o}"
                assert re.match(r"neph-[\d.]+(/|$)", info.name), info.name

    def test_every_library_is_found_in_it(self, bundle):
        """The carried loader finds all that each file needs in the bundle, but for OpenVINO, which is the user's."""
        libraries, c_library = bundle / "lib/neph/lib", bundle / "lib/neph/glibc"
        looked_at = [file for file in programs_in(bundle) if file.parent.name != "bin" and "ld-linux" not in file.name]
        assert len(looked_at) > 50
        for file in looked_at:
            listed = run(c_library / "ld-linux-x86-64.so.2", "--library-path", f"{libraries}:{c_library}", file,
                         env={"LD_TRACE_LOADED_OBJECTS": "1"}).stdout  # as ldd asks it
            missing = [line.split()[0] for line in listed.splitlines() if "not found" in line]
            assert all(name.startswith(OPENVINO) for name in missing), f"{file}: {missing}"
            assert not missing or file.name == "neph-engine-openvino.so"
            for found in re.findall(r"=> (/.*) \(0x", listed):
                assert Path(found).parent in (libraries, c_library), f"{file}: {found}"

    def test_no_library_is_looked_for_where_it_was_built(self, bundle):
        for file in programs_in(bundle):
            headers = run("/usr/bin/readelf", "-d", file).stdout
            assert all(path == "$ORIGIN" for path in re.findall(r"R(?:UN)?PATH.*\[(.*)\]", headers)), file

    def test_it_has_the_licence_of_whatever_it_carries(self, bundle):
        texts = {file.name: file.read_text() for file in (bundle / "licences").iterdir() if file.is_file()}
        for package in ("libc6", "libstdc++6", "libgrpc29", "libssl3", "libboost-dev", "vega"):
            assert len(texts[package]) > 500
        named = {name for text in texts.values() for name in re.findall(r"common-licenses/([\w.+-]*\w)", text)}
        assert named <= {file.name for file in (bundle / "licences/common").iterdir()}
        assert "Apache License" in (bundle / "LICENSE").read_text()


class TestHere:
    def test_it_needs_no_environment_and_no_certain_folder(self, bundle, tmp_path):
        link = tmp_path / "links" / "neph"
        link.parent.mkdir()
        link.symlink_to(os.path.relpath(bundle / "bin/neph", link.parent))
        second = tmp_path / "measure"
        second.symlink_to(link)
        said = run(BUILD / "bin/neph", "--version").stdout
        for program in (bundle / "bin/neph", link, second):
            assert run(program, "--version", cwd="/").stdout == said
        assert run("./neph", "--version", cwd=bundle / "bin").stdout == said
        assert engines(link)["identity"]["usable"]

    def test_it_starts_itself(self, bundle, workplace, tmp_path):
        out = run(bundle / "bin/neph", "infer", workplace / "model.identity", "--engine", "identity", "--images",
                  workplace / "pictures", "--count", 200, "--json", cwd=tmp_path)
        (cell,) = json.loads(out.stdout)["cells"]
        assert cell["figures"]["images_per_s"]["value"] > 0

    def test_the_process_is_the_program_that_was_typed(self, bundle, workplace, tmp_path):
        command = [bundle / "bin/neph", "serve", workplace / "repository", "--http-port", "0", "--grpc-port", "0", "--metrics-port",
                   "0", "--json", "--end-with-stdin"]
        with subprocess.Popen(command, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
            assert "grpc" in json.loads(server.stdout.readline())
            process = Path(f"/proc/{server.pid}")
            assert (process / "comm").read_text() == "neph\n"
            assert (process / "exe").readlink() == bundle / "bin/neph"
            assert (process / "cmdline").read_text().split("\0")[1] == "serve"
            mapped = {line.split(maxsplit=5)[5].strip() for line in (process / "maps").open() if "/" in line}
            ours = {name for name in mapped if name.startswith(str(bundle))}
            assert {"libfmt.so.9", "libnghttp2.so.14"} <= {Path(name).name for name in ours}
            server.stdin.close()
            assert server.wait(20) == 0

    def test_its_children_get_the_environment_of_its_user(self, bundle, workplace, tmp_path):
        (tmp_path / "bin").mkdir()
        docker = tmp_path / "bin/docker"
        docker.write_text(f"#!/bin/sh\n/usr/bin/env >{tmp_path}/environment\nexit 1\n")
        docker.chmod(0o755)
        given = {"PATH": str(docker.parent), "LD_LIBRARY_PATH": "/opt/own"}
        for env in (given, {"PATH": given["PATH"]}):
            run(bundle / "bin/neph", "infer", workplace / "model.identity", "--engine", "identity", "--images",
                workplace / "pictures", "--on", "docker:neph", code=UNAVAILABLE, env=env, cwd=tmp_path)
            seen = dict(line.split("=", 1) for line in (tmp_path / "environment").read_text().splitlines())
            assert seen.get("LD_LIBRARY_PATH") == env.get("LD_LIBRARY_PATH")
            assert str(bundle) not in json.dumps(seen)

    def test_libraries_of_its_user_come_after_its_own(self, bundle, tmp_path):
        (tmp_path / "libfmt.so.9").write_text("no library")
        assert run(bundle / "bin/neph", "engines", env={"LD_LIBRARY_PATH": str(tmp_path)}).stdout

    def test_a_folder_that_the_loader_cannot_take_is_refused(self, bundle, tmp_path):
        shutil.copytree(bundle, tmp_path / "a:b")
        said = run(tmp_path / "a:b/bin/neph", "--version", code=127).stderr
        assert "move the bundle" in said and str(tmp_path / "a:b") in said

    def test_half_a_bundle_says_so(self, bundle, tmp_path):
        (tmp_path / "bin").mkdir()
        shutil.copy(bundle / "bin/neph", tmp_path / "bin/neph")
        said = run(tmp_path / "bin/neph", "--version", code=127).stderr
        assert "lib/neph/neph" in said


class TestOpenvino:
    def test_without_it_the_line_that_gets_it_is_told(self, bundle):
        openvino = engines(bundle / "bin/neph")["openvino"]
        assert not openvino["usable"]
        (version,) = re.findall(r"^openvino==.*$", (REPOSITORY / "tools/requirements.txt").read_text(), re.MULTILINE)
        assert openvino["reason"].endswith(f"--python-version 3.12 --target {shlex.quote(f'{bundle}/python')} {version}")

    def test_it_is_found_where_the_user_says(self, bundle, packages):
        program = bundle / "bin/neph"
        for found in (engines(program, "--engine-path", packages), engines(program, env={"VIRTUAL_ENV": str(packages.parents[2])})):
            assert found["openvino"]["usable"]
            assert found["openvino"]["runtime"] == str(packages / "openvino/libs")

    def test_it_is_found_beside_the_program(self, bundle, packages, workplace, small_model, tmp_path):
        shutil.copytree(bundle, tmp_path / "own")
        (tmp_path / "own/python").mkdir()
        (tmp_path / "own/python/openvino").symlink_to(packages / "openvino")
        out = run(tmp_path / "own/bin/neph", "infer", small_model, "--images", workplace / "pictures", "--count", 50, "--json",
                  cwd=tmp_path)
        assert len(json.loads(out.stdout)["cells"]) == 1

    def test_another_version_is_named_with_where_it_lies(self, bundle, tmp_path):
        other = tmp_path / "lib/python3.9/site-packages/openvino/libs"
        other.mkdir(parents=True)
        (other / "libopenvino.so.2400").write_text("of 2024")
        assert f"looked in {other}" in engines(bundle / "bin/neph", "--engine-path", tmp_path)["openvino"]["reason"]


class TestTorch:
    @pytest.fixture(autouse=True)
    def built(self):
        if not (BUILD / "bin/engines/neph-engine-torch.so").is_file():
            pytest.skip("engine torch is not built: ./dev setup train")

    def test_without_it_the_line_that_gets_it_is_told(self, bundle):
        torch = engines(bundle / "bin/neph")["torch"]
        assert not torch["usable"] and "./dev" not in torch["reason"]
        locked = re.findall(r"^(?:torch|nvidia-cuda-(?:cupti|runtime))==\S+", (REPOSITORY / "tools/requirements-train.txt").read_text(), re.MULTILINE)
        assert f"--target {shlex.quote(f'{bundle}/python')} {' '.join(locked)}, or give an environment" in torch["reason"]

    def test_it_is_found_where_that_line_puts_it(self, bundle, tmp_path):
        packages = next((REPOSITORY / ".venv-train/lib").glob("python3*")) / "site-packages"
        shutil.copytree(bundle, tmp_path / "own")
        (tmp_path / "own/python").mkdir()
        for package in ("torch", "nvidia"):
            (tmp_path / "own/python" / package).symlink_to(packages / package)
        torch = engines(tmp_path / "own/bin/neph")["torch"]
        assert torch["usable"] and torch["infers"], torch["reason"]


@pytest.fixture
def lent(bundle, workplace, small_model, packages):
    if not can_have_roots():
        pytest.skip("this user may not make namespaces")
    return {"/neph": bundle, "/work": workplace, "/network": small_model.parent, "/python/openvino": packages / "openvino"}


def test_it_runs_where_there_is_nothing_else(lent, tmp_path):
    """A root with no C library, as of an image from scratch: the bundle's own is taken."""
    measure(Root(tmp_path, lent))


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["buster", "bullseye", "trixie"])
def test_it_runs_on_another_debian(lent, tmp_path, suite):
    """glibc 2.28, 2.31, 2.41: the bundle's C library is taken where the host's is older, and only there."""
    try:
        root = Root(debian(suite, tmp_path / suite), lent)
    except NoSuchSuite as why:
        pytest.skip(str(why))
    measure(root)
    out = root("/neph/bin/neph", "infer", "/network/resnet18.onnx", "--engine-path", "/python", "--images", "/work/pictures",
               "--count", 50, "--store", "/tmp/runs.db", "--json")
    assert len(json.loads(out)["cells"]) == 1
    loaded = root("/bin/sh", "-c", "LD_DEBUG=files /neph/bin/neph --version 2>&1")
    assert ("/neph/lib/neph/glibc/libc.so.6" in loaded) == (suite in ("buster", "bullseye"))
    shutil.rmtree(root.folder)  # a fifth of a gigabyte; nothing is mounted in it any more
