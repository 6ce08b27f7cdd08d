"""The wheel: what is in it, and that pip puts neph into any environment, where it finds the engines beside it."""

import base64
import csv
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from bundle_roots import NoSuchSuite, Root, can_have_roots, debian, measure
from packaging.licenses import canonicalize_license_expression
from packaging.metadata import Metadata
from paths import BUILD, REPOSITORY

MOST_BYTES = 40e6
NAME = re.compile(r"nephoscope-[\d.]+-py3-none-manylinux_2_28_x86_64\.whl")
BUNDLE = "libexec/nephoscope"
PACKAGES = Path(sysconfig.get_path("purelib"))
OF_OPENVINO = ["openvino-*", "openvino", "openvino_telemetry*", "numpy*"]
OF_ONNXRUNTIME = ["onnxruntime*"]


def locked(file, package):
    (line,) = re.findall(rf"^{package}==\S+", (REPOSITORY / "tools" / file).read_text(), re.MULTILINE)
    return line


OPENVINO = locked("requirements.txt", "openvino")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if BUILD.name in ("asan", "tsan"):
        pytest.skip(f"no wheel is made of build/{BUILD.name}")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([REPOSITORY / "tools/wheel", BUILD, folder], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def run(*command, code=0, **options):
    """Without any environment."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                          **{"env": {}, "timeout": 300, "stdin": subprocess.DEVNULL} | options)
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def pip(environment, *words):
    """Its own pip, which asks nobody else."""
    return run(environment / "bin/python3", "-m", "pip", words[0], "--disable-pip-version-check", *words[1:])


def made_environment(folder, *patterns):
    """A virtual environment that has these packages of the tests' own, as if pip had installed them."""
    run(sys.executable, "-m", "venv", folder)
    for pattern in patterns:
        for found in PACKAGES.glob(pattern):
            (site(folder) / found.name).symlink_to(found)
    return folder


def site(environment):
    (found,) = (environment / "lib").glob("python3*/site-packages")
    return found


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """With OpenVINO and ONNX Runtime; the wheel is installed with the extra that asks for OpenVINO."""
    folder = made_environment(tmp_path_factory.mktemp("with") / "an environment", *OF_OPENVINO, *OF_ONNXRUNTIME)
    pip(folder, "install", "--no-index", f"{wheel}[openvino]")
    return folder


@pytest.fixture
def bare(wheel, tmp_path):
    """An environment with nothing but neph."""
    folder = made_environment(tmp_path / "bare")
    pip(folder, "install", "--no-index", wheel)
    return folder


def engines(neph, *arguments, **options):
    return {each["name"]: each for each in json.loads(run(neph, "engines", "--json", *arguments, **options))}


@pytest.fixture(scope="module")
def files(wheel):
    """{path: bytes}"""
    with zipfile.ZipFile(wheel) as archive:
        return {path: archive.read(path) for path in archive.namelist()}


@pytest.fixture(scope="module")
def info(files):
    """The folder of what pip knows of it."""
    (record,) = (path for path in files if path.endswith(".dist-info/RECORD"))
    return record.removesuffix("RECORD")


class TestContents:
    def test_it_is_small_and_named_for_pip(self, wheel):
        assert wheel.stat().st_size < MOST_BYTES
        assert NAME.fullmatch(wheel.name)

    def test_the_same_build_gives_the_same_bytes(self, wheel, tmp_path):
        subprocess.run([REPOSITORY / "tools/wheel", BUILD, tmp_path], check=True, capture_output=True)
        assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()

    def test_every_file_is_recorded(self, files, info):
        rows = {path: (digest, size) for path, digest, size in csv.reader(io.StringIO(files[f"{info}RECORD"].decode()))}
        assert rows.pop(f"{info}RECORD") == ("", "")
        assert set(rows) == set(files) - {f"{info}RECORD"}
        for path, (digest, size) in rows.items():
            hashed = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).decode().rstrip("=")
            assert (digest, int(size)) == (f"sha256={hashed}", len(files[path])), path

    def test_programs_run_and_nothing_else_does(self, wheel):
        with zipfile.ZipFile(wheel) as archive:
            modes = {info.filename: info.external_attr >> 16 for info in archive.infolist()}
        assert set(modes.values()) == {0o100755, 0o100644}
        assert any(path.endswith(".data/scripts/neph") and mode == 0o100755 for path, mode in modes.items())

    def test_engines_are_extras_and_pinned(self, files, info):
        told = Metadata.from_email(files[f"{info}METADATA"], validate=True)
        asked = {extra: [f"{each.name}{each.specifier}" for each in told.requires_dist if each.marker.evaluate({"extra": extra})]
                 for extra in told.provides_extra}
        of_torch = {"torch": [locked("requirements-train.txt", "torch")]} if any("neph-engine-torch" in path for path in files) else {}
        of_tensorflow = {"tensorflow": [locked("requirements-frameworks.txt", "tensorflow-cpu")]}
        assert asked == {"openvino": [OPENVINO], "onnxruntime": ["onnxruntime>=1.21"], "onnxruntime-gpu": ["onnxruntime-gpu>=1.21"], **of_torch,
                         **of_tensorflow}
        assert not [each for each in told.requires_dist if each.marker.evaluate({"extra": ""})], "of itself it asks for nothing"

    def test_it_has_the_licence_of_whatever_it_carries(self, files, info):
        told = Metadata.from_email(files[f"{info}METADATA"], validate=True)
        assert canonicalize_license_expression(told.license_expression)
        for text in told.license_files:
            assert len(files[f"{info}licenses/{text}"]) > 200, text
        assert {"LICENSE", "libc6", "libgrpc29", "libboost-dev", "vega"} <= set(told.license_files)

    def test_it_lists_what_it_carries(self, files, info):
        """By SPDX 2.3, each with a licence, and no library that is not listed."""
        document = json.loads(files[f"{info}sboms/nephoscope.spdx.json"])
        packages = {each["name"]: each for each in document["packages"]}
        for name, each in packages.items():
            assert canonicalize_license_expression(each["licenseDeclared"]), name
            assert name in ("nephoscope", "vega") or each["versionInfo"] in each["externalRefs"][0]["referenceLocator"], name
        assert {"libc6", "libssl3", "libgrpc++1.51", "libstdc++6", "vega"} <= set(packages)
        contained = {each["relatedSpdxElement"] for each in document["relationships"] if each["relationshipType"] == "CONTAINS"}
        assert contained == {each["SPDXID"] for name, each in packages.items() if name != "nephoscope"}

    def test_the_program_on_the_path_needs_no_library_and_no_loader(self, files, tmp_path):
        """So that the C library of the host decides nothing before it is looked at."""
        (path,) = (path for path in files if path.endswith(".data/scripts/neph"))
        (tmp_path / "neph").write_bytes(files[path])
        headers = run("/usr/bin/readelf", "--program-headers", "--dynamic", tmp_path / "neph")
        assert "INTERP" not in headers and "NEEDED" not in headers
        assert "There is no dynamic section" in headers


class TestInstalled:
    def test_it_runs(self, environment, tmp_path):
        neph = environment / "bin/neph"
        assert run(neph, "--version") == run(BUILD / "bin/neph", "--version")
        assert run(environment / "bin/python3", "-m", "nephoscope", "--version") == run(neph, "--version")
        assert json.loads(run(neph, "host", "--json"))
        assert run(neph, "net", "resnet50", cwd=tmp_path) == run(BUILD / "bin/neph", "net", "resnet50", cwd=tmp_path)

    def test_engines_are_found_in_its_environment(self, environment):
        found = engines(environment / "bin/neph")
        assert found["openvino"]["usable"] and found["onnxruntime"]["usable"]
        assert found["openvino"]["runtime"] == str(site(environment) / "openvino/libs")

    def test_it_infers(self, environment, workplace, small_model, tmp_path):
        """Of itself it starts workers, from the environment's program."""
        out = run(environment / "bin/neph", "infer", small_model, "--images", workplace / "pictures", "--count", 50, "--engine",
                  "openvino,onnxruntime", "--json", cwd=tmp_path)
        cells = json.loads(out)["cells"]
        assert len(cells) == 2
        for cell in cells:
            assert cell["figures"]["images_per_s"]["value"] > 0

    def test_it_is_found_through_a_link(self, environment, tmp_path):
        """As pipx makes."""
        (tmp_path / "neph").symlink_to(environment / "bin/neph")
        assert engines(tmp_path / "neph")["openvino"]["usable"]

    def test_its_own_environment_comes_before_an_active_one(self, environment, tmp_path):
        other = made_environment(tmp_path / "other", *OF_OPENVINO)
        found = engines(environment / "bin/neph", env={"VIRTUAL_ENV": str(other)})
        assert found["openvino"]["runtime"] == str(site(environment) / "openvino/libs")

    def test_libtorch_is_found_in_its_environment(self, bare):
        packages = next((REPOSITORY / ".venv-train/lib").glob("python3*"), Path()) / "site-packages"
        if not (packages / "torch").is_dir() or not (BUILD / "bin/engines/neph-engine-torch.so").is_file():
            pytest.skip("engine torch is not built: ./dev setup train")
        for package in ("torch", "nvidia"):
            (site(bare) / package).symlink_to(packages / package)
        torch = engines(bare / "bin/neph")["torch"]
        assert torch["usable"] and torch["infers"], torch["reason"]

    def test_the_bundle_of_it_is_whole(self, environment):
        """`--on docker:IMAGE` mounts this folder into containers."""
        assert run(environment / BUNDLE / "bin/neph", "--version")
        assert (environment / BUNDLE / "lib/neph/parts.sha256").is_file()

    def test_pip_takes_it_away_again(self, bare):
        assert (bare / BUNDLE / "bin/neph").is_file()
        pip(bare, "uninstall", "--yes", "nephoscope")
        assert not (bare / "bin/neph").exists() and not list(site(bare).glob("nephoscope*"))
        assert not [file for file in (bare / "libexec").rglob("*") if file.is_file()]


class TestElsewhere:
    def test_into_a_folder(self, wheel, tmp_path):
        """`pip install --target`, which has no environment."""
        run(sys.executable, "-m", "pip", "install", "--no-index", "--target", tmp_path / "own", wheel)
        (tmp_path / "own/openvino").symlink_to(PACKAGES / "openvino")
        assert engines(tmp_path / "own/bin/neph")["openvino"]["usable"]
        assert run(sys.executable, "-m", "nephoscope", "--version", env={"PYTHONPATH": str(tmp_path / "own")})

    def test_for_a_user(self, wheel, tmp_path):
        python = Path(sys.base_prefix) / "bin/python3"
        if subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode != 0:
            pytest.skip(f"{python} has no pip")
        run(python, "-m", "pip", "install", "--user", "--no-index", wheel,
            env={"PYTHONUSERBASE": str(tmp_path / "local"), "PIP_BREAK_SYSTEM_PACKAGES": "1", "HOME": str(tmp_path)})
        assert engines(tmp_path / "local/bin/neph")["identity"]["usable"]

    def test_without_the_bundle_it_says_what_to_do(self, bare):
        shutil.rmtree(bare / BUNDLE)
        done = subprocess.run([bare / "bin/neph", "--version"], capture_output=True, text=True, check=False)
        assert done.returncode == 127 and "install it again" in done.stderr
        done = subprocess.run([bare / "bin/python3", "-m", "nephoscope"], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "install nephoscope again" in done.stderr and "Traceback" not in done.stderr


class TestMissingEngines:
    def test_the_line_that_gets_one_is_for_this_environment(self, bare):
        if sys.version_info < (3, 11):
            pytest.skip("pip gets today's packages for Python 3.11 and later")
        line = f"{bare}/bin/python3 -m pip install {OPENVINO}"
        assert engines(bare / "bin/neph")["openvino"]["reason"].endswith(line)
        active = engines(bare / "bin/neph", env={"VIRTUAL_ENV": str(bare)})
        assert active["openvino"]["reason"].endswith(f"get it with pip install {OPENVINO}")

    def test_another_openvino_is_refused_by_name(self, bare):
        libraries = site(bare) / "openvino/libs"
        libraries.mkdir(parents=True)
        (libraries / "libopenvino.so.2541").write_text("of 2025")
        (site(bare) / "openvino-2025.4.1.dist-info").mkdir()
        reason = engines(bare / "bin/neph")["openvino"]["reason"]
        assert f"looked in {libraries} (openvino 2025.4.1)" in reason and OPENVINO in reason


@pytest.fixture(scope="module")
def fetched(tmp_path_factory):
    """`fetched(python)`: a folder of the wheels of OpenVINO and what it needs, for that version of Python."""
    def fetch(python):
        folder = tmp_path_factory.mktemp("wheels")
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--python-version",
                               python, "--dest", folder, OPENVINO], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"no registry of Python packages: {done.stderr[-200:]}")
        return folder

    return fetch


def another(suite, folder, lent):
    if not can_have_roots():
        pytest.skip("this user may not make namespaces")
    try:
        return Root(debian(suite, folder, "python3-venv"), lent)
    except NoSuchSuite as why:
        pytest.skip(str(why))


def install(root, wheel, *options):
    root("/usr/bin/python3", "-m", "venv", "/venv")
    root("/venv/bin/pip", "install", "--no-index", *options, f"/wheel/{wheel.name}{'[openvino]' if options else ''}", timeout_s=300)


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "python"), [("bookworm", "3.11"), ("trixie", "3.13")])
def test_pip_brings_all_on_a_debian_with_python(wheel, fetched, workplace, small_model, tmp_path, suite, python):
    """glibc 2.36 and 2.41, of whose C library each is the host's own."""
    root = another(suite, tmp_path / suite, {"/wheel": wheel.parent, "/wheels": fetched(python), "/work": workplace,
                                             "/network": small_model.parent})
    install(root, wheel, "--find-links", "/wheels")
    measure(root, "/venv/bin/neph")
    assert "25,557,032" in root("/venv/bin/neph", "net", "resnet50")
    out = root("/venv/bin/neph", "infer", "/network/resnet18.onnx", "--images", "/work/pictures", "--count", 50, "--store",
               "/tmp/runs.db", "--json")
    assert len(json.loads(out)["cells"]) == 1
    shutil.rmtree(root.folder)  # half a gigabyte; nothing is mounted in it any more


@pytest.mark.slow
def test_an_old_debian_has_all_but_openvino(wheel, workplace, tmp_path):
    """glibc 2.31, and a Python that is too old for OpenVINO: the line that `neph engines` tells is one that works there."""
    root = another("bullseye", tmp_path / "bullseye", {"/wheel": wheel.parent, "/work": workplace})
    install(root, wheel)
    measure(root, "/venv/bin/neph")
    assert "25,557,032" in root("/venv/bin/neph", "net", "resnet50")
    assert "azure" in root("/venv/bin/neph", "price", "rules")
    assert "--target /venv/libexec/nephoscope/python" in root("/venv/bin/neph", "engines")
    loaded = root("/bin/sh", "-c", "LD_DEBUG=files /venv/bin/neph --version 2>&1")
    assert "/venv/libexec/nephoscope/lib/neph/glibc/libc.so.6" in loaded
    shutil.rmtree(root.folder)
