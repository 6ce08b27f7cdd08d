"""The program runs on processors since 2009 (x86-64-v2), and uses more where there is more: docs/adr/0021-wider-when-it-runs.md."""

import json
import platform
import re
import shutil
import subprocess
import sys

import pytest
from emulated import Emulator
from paths import BUILD, REPOSITORY

# Instructions that x86-64-v2 lacks: all that begin with v (AVX and later), BMI, MOVBE. tzcnt is not among them: what it means on
# older ones (bsf) is what the compiler wants there.
LATER = re.compile(r"^\s+[0-9a-f]+:\s+(v(?!err|erw)\w+|andn|bextr|bls\w+|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|movbe)\s")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
# Functions that are called only where the processor was asked.
CHOSEN = re.compile(r"by_avx2|by_avx512|Eigen_avx2|predict::avx2::")

# The first bytes of a program for aarch64, and which bits of them count: 64 bits, little-endian, ET_EXEC or ET_DYN, EM_AARCH64.
AARCH64 = bytes([0x7F, *b"ELF", 2, 1, 1, *[0] * 9, 2, 0, 0xB7, 0])
AARCH64_BITS = bytes([0xFF] * 7 + [0] * 9 + [0xFE, 0xFF, 0xFF, 0xFF])

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64" or BUILD.name in ("asan", "tsan"), reason="not of x86-64")


def later_functions(file):
    """Those that have instructions which x86-64-v2 lacks."""
    found, function = set(), None
    with subprocess.Popen(["objdump", "--disassemble", "--no-show-raw-insn", "--demangle", file], stdout=subprocess.PIPE,
                          text=True) as process:
        for line in process.stdout:
            if named := FUNCTION.match(line):
                function = named[1]
            elif LATER.match(line):
                found.add(function)
    assert process.returncode == 0
    return found


def files():
    return [BUILD / "bin/neph", BUILD / "bin/neph-wire-grpc.so", *sorted((BUILD / "bin/engines").glob("neph-engine-*.so"))]


@pytest.mark.parametrize("file", files(), ids=lambda file: file.name)
def test_only_what_is_chosen_when_it_runs_asks_for_newer_ones(file):
    assert not {function for function in later_functions(file) if not CHOSEN.search(function)}


def test_wider_instructions_are_there_to_be_chosen():
    found = " ".join(later_functions(BUILD / "bin/neph"))
    for function in ("all_rows_by_avx2", "factorise_columns", "compare_some"):
        assert function in found


@pytest.mark.parametrize("file", files(), ids=lambda file: file.name)
def test_the_loader_is_told_what_is_needed(file):
    """It refuses to start on older processors, by name and at once."""
    notes = subprocess.run(["readelf", "--notes", "--wide", file], capture_output=True, text=True, check=True).stdout
    (needed,) = re.findall(r"x86 ISA needed: (.+)", notes)
    assert "x86-64-v2" in needed and "x86-64-v3" not in needed


def on(processor, *words):
    emulator = shutil.which("qemu-x86_64") or pytest.skip("there is no qemu-x86_64: apt-get install qemu-user")
    return subprocess.run([emulator, "-cpu", processor, BUILD / "bin/neph", *words], capture_output=True, text=True, check=False)


def test_it_computes_on_a_nehalem_and_says_what_a_core_2_lacks():
    here = subprocess.run([BUILD / "bin/neph", "net", "resnet50", "--json"], capture_output=True, text=True, check=True).stdout
    assert on("Nehalem", "net", "resnet50", "--json").stdout == here
    refused = on("core2duo", "--version")
    assert refused.returncode != 0 and "CPU ISA level is lower than required" in refused.stderr


@pytest.mark.slow
def test_the_wheel_for_aarch64_runs(tmp_path):
    """Emulated, and installed as pip does it on such a machine: ./dev wheel --arch aarch64 makes the wheel."""
    wheels = sorted((REPOSITORY / "build").glob("nephoscope-*-manylinux_2_28_aarch64.whl"))
    if not wheels:
        pytest.skip("there is no wheel for aarch64: ./dev wheel --arch aarch64")
    assert wheels[-1].stat().st_size <= 40e6
    there = Emulator("qemu-aarch64", AARCH64, AARCH64_BITS)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--platform",
                    "manylinux_2_28_aarch64", "--target", tmp_path / "there", wheels[-1]], check=True)
    neph = tmp_path / "there/bin/neph"
    here = subprocess.run([BUILD / "bin/neph", "--version"], capture_output=True, text=True, check=True).stdout
    assert there(neph, "--version") == here
    assert json.loads(there(neph, "host", "--json"))["memory"]  # its processor is what /proc says, which is this machine's
    assert json.loads(there(neph, "net", "resnet50", "--json"))["totals"]["parameters"] == 25_557_032
    assert "openvino" in there(neph, "engines")
