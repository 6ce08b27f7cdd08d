"""What the end-to-end tests share: the built program, models, pictures, servers and clients of others, a real browser.

Each test works in its own empty folder, where the program also keeps its store.
"""

import json
import os
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from bundle_roots import write_workplace
from counterparts.kserve_server import kserve_server
from counterparts.mlserver_server import mlserver_server
from counterparts.perf_analyzer import run_perf_analyzer
from counterparts.triton_server import triton_server
from docker_engine import Unavailable, docker_engine
from scheduler_stalls import SchedulerStalls
from identity_repository import write_repository
from contention import Contention
from picture_files import write_pictures
from paths import BUILD, COUNTERPARTS, REPOSITORY
from script_runs import write_study
from server_process import serving_neph
from two_machines import NoNamespaces, TwoMachines

PHOTOGRAPHS = REPOSITORY.parent / "shared/data/images"
CHROMIUM = "/usr/bin/chromium"

QUIET_CORES = 0.1  # kept busy by others: above it a time that is out of bounds is not the program's fault
CALM_SHARE = 0.002  # of a sleeper's wake-ups late: a request has four, so that its p99 is moved by twice as many
ATTEMPTS = 3  # of a test of times on a disturbed machine
contention, stalls = Contention(), SchedulerStalls()
module_began = {}
attempts = Counter()


def pytest_runtest_protocol(item, nextitem):
    """A test of times that fails while the machine is disturbed has shown nothing: it runs again after all others. One
    that never had quiet is skipped, and says why."""
    if not item.get_closest_marker("timing"):
        return None
    begin = time.monotonic()
    if attempts[item.nodeid] == 0:
        begin = module_began.setdefault(item.module, begin)  # its fixtures measure too
    attempts[item.nodeid] += 1
    item._initrequest()  # fixtures anew: this may not be its first time
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    failed = [report for report in reports if report.failed]
    disturbed = disturbance_since(begin) if failed else ""
    if disturbed and attempts[item.nodeid] < ATTEMPTS:
        item.session.items.append(item)
        return True
    for report in failed if disturbed else []:
        reason = f"Skipped: disturbed: {disturbed}, {ATTEMPTS} times; {report.longreprtext[-200:]}"
        report.outcome, report.longrepr = "skipped", (str(item.path), item.location[1], reason)
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def disturbance_since(begin):
    """What kept the machine from keeping times since then, in words; nothing if it was quiet."""
    others, late = contention.cores_since(begin), stalls.late_share(begin)
    if others > QUIET_CORES:
        return f"others kept {others:.2f} cores busy"
    if late > CALM_SHARE:
        return f"the machine was held up: {late:.2%} of a real-time sleeper's wake-ups were late"
    return ""


class Neph:
    """The program, started in one folder. Calling it gives the finished process with its output as text."""

    def __init__(self, folder):
        self.program = BUILD / "bin/neph"
        self.folder = folder
        self.running = []
        assert self.program.is_file(), f"{self.program} is not built; run ./dev build"

    def __call__(self, *arguments, code=0, timeout_s=300, **options):
        """Runs `neph ARGUMENTS` and fails the test unless it ends with exit code `code` (None: any)."""
        done = subprocess.run(
            self.command(*arguments), cwd=self.folder, capture_output=True, text=True, timeout=timeout_s,
            **{"stdin": subprocess.DEVNULL} | options,
        )
        shown = f"{' '.join(map(str, arguments))}: exit code {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        assert code is None or done.returncode == code, shown
        return done

    def moved_to(self, folder, *plugins):
        """The program with these plugins, away from the environments of ./dev setup."""
        moved = Neph(self.folder)
        moved.program = folder / "bin/neph"
        (folder / "bin/engines").mkdir(parents=True)
        shutil.copy(BUILD / "bin/neph", moved.program)
        for plugin in plugins:
            for file in (BUILD / "bin/engines").glob(f"neph-engine-{plugin}.*"):
                shutil.copy(file, folder / "bin/engines")
        return moved

    def json(self, *arguments, **options):
        """The parsed standard output of `neph ARGUMENTS --json`."""
        return json.loads(self(*arguments, "--json", **options).stdout)

    def start(self, *arguments, before=(), **options):
        """The running process of `neph ARGUMENTS`, its output piped. The caller ends it; a test that failed does not.
        `before` is a prefix of the command."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.running.append(subprocess.Popen([*before, *self.command(*arguments)], cwd=self.folder, **pipes | options))
        return self.running[-1]

    def command(self, *arguments):
        return [self.program, *map(str, arguments)]


@pytest.fixture
def neph(tmp_path):
    """`neph("net", "mnist")` runs the program in this test's own folder."""
    program = Neph(tmp_path)
    yield program
    for process in program.running:
        if process.poll() is None:
            process.kill()  # its worker dies with it
            process.communicate()


@pytest.fixture
def study(neph):
    """`neph` in a folder with an experiment's file, study.toml, and what it reads: see script_runs.py."""
    write_study(neph.folder)
    return neph


@pytest.fixture(scope="session")
def small_model(tmp_path_factory):
    """ResNet-18 for 64 x 64 pictures, as an ONNX file: every operator of ResNet-50 at a fiftieth of its work."""
    folder = tmp_path_factory.mktemp("model")
    Neph(folder)("net", "resnet18", "--side", "64", "--onnx", "resnet18.onnx")
    return folder / "resnet18.onnx"


@pytest.fixture(scope="session")
def archive(tmp_path_factory):
    """The bundle of this build."""
    if BUILD.name in ("asan", "tsan"):
        pytest.skip(f"no bundle is made of build/{BUILD.name}")
    folder = tmp_path_factory.mktemp("bundle")
    subprocess.run([REPOSITORY / "tools/bundle", BUILD, folder], check=True, capture_output=True)
    (archive,) = folder.glob("neph-*-x86_64.tar.gz")
    return archive


@pytest.fixture(scope="session")
def workplace(tmp_path_factory, pictures):
    """A folder with what a measurement needs: see write_workplace() in bundle_roots.py."""
    return write_workplace(tmp_path_factory.mktemp("work"), pictures)


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    """A repository folder of models of known behaviour: see identity_repository.py."""
    return write_repository(tmp_path_factory.mktemp("repository"))


@pytest.fixture(scope="session")
def serve(tmp_path_factory):
    """`with serve(MODEL, *options) as served:` runs `neph serve` on free ports of the loopback, and checks that it ends
    well."""

    def start(model, *options, **how):
        return serving_neph(BUILD / "bin/neph", tmp_path_factory.mktemp("serve"), model, *options, **how)

    return start


@pytest.fixture(scope="session")
def served(serve, repository):
    """`neph serve` with that repository, for all tests that only ask."""
    with serve(repository) as running:
        yield running


@pytest.fixture(scope="session")
def pictures(tmp_path_factory):
    """A folder of 24 JPEG files of different sizes, all usable, made from a recorded seed."""
    return write_pictures(tmp_path_factory.mktemp("pictures"))


@pytest.fixture(scope="session")
def photographs():
    """The 500 photographs that lie beside the repository; skips where they do not."""
    if not PHOTOGRAPHS.is_dir():
        pytest.skip(f"no photographs in {PHOTOGRAPHS}")
    return PHOTOGRAPHS


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium without network."""
    from playwright.sync_api import sync_playwright  # here, so that tests without a browser do not pay for it

    with sync_playwright() as playwright:
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*flags, "--disable-gpu"])
        yield browser
        browser.close()


class Opened:
    """A page opened from a file without network, all its charts drawn; `complaints` are console lines, exceptions and
    dialogs, `requests` everything it asked for."""

    def __init__(self, chromium, file, width=1200, scheme="light"):
        self.context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(Path(file).as_uri(), timeout=120_000)  # beside other tests a browser may get little of the machine
        self.page.wait_for_function("document.documentElement.dataset.charts", timeout=120_000)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


@pytest.fixture(scope="session")
def docker(tmp_path_factory):
    """A Docker engine (docker_engine.py), started for the tests where none runs; skips where none can, and of a program
    under a sanitizer, which is larger, louder and slower than what an image is for."""
    if BUILD.name in ("asan", "tsan"):
        pytest.skip(f"no image is made of build/{BUILD.name}")
    try:
        with docker_engine(tmp_path_factory.mktemp("docker")) as engine:
            yield engine
    except Unavailable as why:
        pytest.skip(str(why))


@pytest.fixture(scope="session")
def image(docker, tmp_path_factory):
    """The image of the program under test, loaded: its name."""
    archive = tmp_path_factory.mktemp("image") / "neph.tar"
    subprocess.run([REPOSITORY / "tools/image", BUILD, archive], check=True)
    name = docker("load", "--quiet", "--input", archive).strip().removeprefix("Loaded image: ")
    archive.unlink()
    yield name
    docker("rmi", "--force", name)


def need(part):
    if not (COUNTERPARTS / part / "lock").is_file():
        pytest.skip(f"{part} is not installed: tools/counterparts")
    return COUNTERPARTS / part


@pytest.fixture(scope="session")
def triton(tmp_path_factory):
    """A tritonserver with the models `identity` (FP32 [n, 16]: y = x), `ten_ms` (the same after 10 ms) and `stripes` (FP32
    [n, 3, 64, 64]: how bright each of ten upright stripes of a picture is)."""
    need("triton")
    with triton_server(tmp_path_factory.mktemp("triton")) as served:
        yield served


@pytest.fixture(scope="session")
def mlserver(tmp_path_factory):
    """An MLServer with the same models; it serves any number of requests of `ten_ms` side by side."""
    need("mlserver")
    with mlserver_server(tmp_path_factory.mktemp("mlserver")) as served:
        yield served


@pytest.fixture(scope="session")
def kserve(tmp_path_factory):
    """KServe's Python server with `identity` and `ten_ms`."""
    need("kserve")
    with kserve_server(tmp_path_factory.mktemp("kserve")) as served:
        yield served


@pytest.fixture(scope="session")
def perf_analyzer():
    """`perf_analyzer(address, model, ...)`: see counterparts/perf_analyzer.py."""
    need("perf_analyzer")
    return run_perf_analyzer


@pytest.fixture(scope="session")
def grpcurl():
    """The path of the program."""
    return need("grpcurl") / "bin/grpcurl"


@pytest.fixture
def two_machines():
    """`two_machines(gbit)` makes two network namespaces with a cable of that rate; skips where only root could."""
    made = []

    def make(gbit):
        try:
            made.append(TwoMachines(gbit))
        except NoNamespaces as reason:
            pytest.skip(str(reason))
        return made[-1]

    yield make
    for each in made:
        each.end()
