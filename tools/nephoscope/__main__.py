import os
import sys

from nephoscope import program

try:
    os.execv(program(), ["neph", *sys.argv[1:]])
except OSError as error:  # it is gone, or lies where no program may run (noexec)
    sys.exit(f"neph: {error}")
