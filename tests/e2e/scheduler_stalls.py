"""How often the machine itself is held up: a sleeper of real-time priority that wakes late was kept from waking by nobody
on this machine, and neither by the program under test.

Run as a program it prints a line a second: wake-ups that were due, and how many of them came late.
"""

import os
import subprocess
import sys
import threading
import time

LATE_S = 0.25e-3
SLEEP_S = 1e-3


class SchedulerStalls:
    """The sleeper's lines; a process until this one ends. Without the right to real-time priority there are none."""

    def __init__(self):
        self.readings = [(time.monotonic(), 0, 0)]
        self.sleeper = subprocess.Popen([sys.executable, "-S", __file__], stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._watch, daemon=True).start()

    def late_share(self, begin):
        """Of the wake-ups since then."""
        counted = [reading for reading in self.readings if reading[0] > begin]
        return sum(late for _, _, late in counted) / max(1, sum(all_of_them for _, all_of_them, _ in counted))

    def _watch(self):
        for line in self.sleeper.stdout:
            self.readings.append((time.monotonic(), *map(int, line.split())))


def sleep_for_a_second():
    """(wake-ups that were due, late ones)"""
    count = late = 0
    end = time.monotonic() + 1
    while (begin := time.monotonic()) < end:
        time.sleep(SLEEP_S)
        late_by = time.monotonic() - begin - SLEEP_S
        due = 1 + int(late_by / SLEEP_S)  # one long hold-up keeps as many from waking as are due in it
        count += due
        late += due * (late_by > LATE_S)
    return count, late


def main():
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        return
    try:
        while True:
            print(*sleep_for_a_second(), flush=True)
    except (BrokenPipeError, KeyboardInterrupt):
        pass


if __name__ == "__main__":
    main()
