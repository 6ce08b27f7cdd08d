"""For what takes a while, and nobody knows how long."""

import time


def wait_for(condition, limit_s=20):
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
