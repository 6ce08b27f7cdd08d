"""Where things lie. The build under test is $NEPH_BUILD, build/release unless set: ./dev asan and tsan set it."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NEPH_BUILD", REPOSITORY / "build/release"))
TSAN = BUILD.name == "tsan"
SHADOW = 4 if TSAN else 1  # what that sanitizer keeps beside each byte makes memory so many times as large
COUNTERPARTS = REPOSITORY / "build/counterparts"  # tools/counterparts puts the programs of others there
