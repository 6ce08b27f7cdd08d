"""Nephoscope's Python part: where pip put the program. `python3 -m nephoscope` is `neph` where that is not on the PATH.

Nothing else is done in Python: neph is one program, and looks for engines in the environment that it was installed into.
"""

from pathlib import Path

PLACE = "libexec/nephoscope/bin/neph"


def program():
    """The path of neph in the environment, or folder of `pip install --target`, that this package lies in."""
    for folder in Path(__file__).resolve().parents:
        if (folder / PLACE).is_file():
            return folder / PLACE
    raise FileNotFoundError(f"there is no {PLACE} around {Path(__file__).parent}: install nephoscope again")
