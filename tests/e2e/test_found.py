"""tools/found, by which ./dev looks for what it needs on a Linux without dpkg."""

import shutil
import subprocess

import pytest
from paths import REPOSITORY

ROWS = """# of what
program  cmake          program:cmake
program  libfmt-dev     package:fmt
program  libboost-dev   header:boost/asio.hpp
program  ca-certificates
program  libnone-dev    package:NoSuchPackage
program  libmore-dev    header:no/such_header.hpp
tests    gone           program:no-such-program
fuzz     other          program:nobody-asks
"""


@pytest.fixture
def project(tmp_path):
    """With these rows for packages."""
    for part in ("tools/found", "cmake/found/CMakeLists.txt"):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / part, tmp_path / part)
    (tmp_path / "tools/packages.txt").write_text(ROWS)
    return tmp_path


def found(project, *needs):
    return subprocess.run([project / "tools/found", *needs], capture_output=True, text=True, timeout=120, check=False)


def test_what_is_missing_is_named(project):
    done = found(project, "program", "tests")
    assert done.returncode == 1
    assert sorted(done.stderr.splitlines()) == [
        "missing: header no/such_header.hpp, needed (Debian: libmore-dev)",
        "missing: package NoSuchPackage, needed (Debian: libnone-dev)",
        "missing: program no-such-program, tests are skipped without it (Debian: gone)",
    ]


def test_what_only_tests_want_stops_nobody(project):
    done = found(project, "tests")
    assert done.returncode == 0 and "no-such-program" in done.stderr


def test_without_a_compiler_that_is_what_is_missing(project, tmp_path):
    (tmp_path / "bin").mkdir()
    for program in ("bash", "dirname", "awk", "env"):
        (tmp_path / "bin" / program).symlink_to(shutil.which(program))
    done = subprocess.run([project / "tools/found", "program"], env={"PATH": str(tmp_path / "bin")}, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 1 and done.stderr == "missing: program cmake, needed (Debian: cmake)\n"


def test_this_machine_has_all_that_the_program_needs():
    assert found(REPOSITORY, "program").stderr == ""
