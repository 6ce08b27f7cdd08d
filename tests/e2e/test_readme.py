"""README.md's "First uses": each line as printed, one after the other, in one folder."""

import re
import shutil
import subprocess

import pytest
from paths import BUILD, REPOSITORY

SECTION = (REPOSITORY / "README.md").read_text().split("## First uses")[1].split("\n## ")[0]
LINES = re.findall(r"^    (.+)$", SECTION, re.M)
DECIDED = {"neph compare": (0, 1, 10), "neph ab": (0, 1, 10)}  # their exit codes are what was found


def test_each_line_that_runs_a_verb_gives_how_long_it_takes():
    quick = [line for line in LINES if line.startswith("neph ") and not re.search(r"# (\d+ s|\d+ min)\b", line)]
    assert len(LINES) > 20 and [line.split()[1] for line in quick] == ["serve"]


@pytest.mark.slow
@pytest.mark.skipif(not (BUILD / "bin/engines/neph-engine-torch.so").exists(), reason="no libtorch; ./dev setup train")
def test_every_line_runs_as_printed(tmp_path):
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    (tmp_path / "build/release").mkdir(parents=True)
    (tmp_path / "build/release/bin").symlink_to(BUILD / "bin")
    script = "".join(f"{line}\necho \"$?\" >> {tmp_path}/codes\n" for line in LINES)
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=1200)
    codes = list(map(int, (tmp_path / "codes").read_text().split()))
    assert len(codes) == len(LINES), done.stderr[-3000:]
    wrong = [(line, code) for line, code in zip(LINES, codes) if code not in DECIDED.get(" ".join(line.split()[:2]), (0,))]
    assert not wrong, done.stderr[-6000:]
