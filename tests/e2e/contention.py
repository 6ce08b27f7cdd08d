"""Who else uses the processor while tests run: a test that judges times means nothing on a machine that others use."""

import os
import threading
import time
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
IDLE, IOWAIT, GUEST = 3, 4, 8  # columns of the line "cpu" of /proc/stat; guest time is in user already


def busy_ticks():
    """Of the whole machine, stolen time too."""
    with open("/proc/stat") as stat:
        columns = [int(word) for word in stat.readline().split()[1:]]
    return sum(ticks for column, ticks in enumerate(columns[:GUEST]) if column not in (IDLE, IOWAIT))


def ticks_by_process():
    """Parent, and ticks with those of children that have ended, by process."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        found[int(stat.parent.name)] = (int(words[1]), sum(map(int, words[11:15])))
    return found


def own_ticks():
    """Of this process and all that it started."""
    found = ticks_by_process()
    own, grown = {os.getpid()}, True
    while grown:
        children = {process for process, (parent, _) in found.items() if parent in own} - own
        own |= children
        grown = bool(children)
    return sum(found[process][1] for process in own if process in found)


class Contention:
    """Cores that others kept busy, second by second; a thread until the end of the session."""

    def __init__(self):
        self.readings = [(time.monotonic(), busy_ticks() - own_ticks())]
        threading.Thread(target=self._watch, daemon=True).start()

    def cores_since(self, begin):
        """The mean from then to now."""
        now = (time.monotonic(), busy_ticks() - own_ticks())
        before = [reading for reading in self.readings if reading[0] <= begin] or self.readings[:1]
        return max(0, now[1] - before[-1][1]) / TICK / (now[0] - before[-1][0])

    def _watch(self):
        while True:
            time.sleep(1)
            self.readings.append((time.monotonic(), busy_ticks() - own_ticks()))
