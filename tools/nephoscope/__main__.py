import os
import sys

from nephoscope import program

os.execv(program(), ["neph", *sys.argv[1:]])
