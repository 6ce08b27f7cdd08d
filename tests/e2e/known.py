"""A server of known service times, and the truth about a queue in front of it, computed apart from the program.

`KnownServer` starts tests/e2e/known_server.cpp. `arrivals` makes the schedule of a recorded seed once more (xoshiro256**
filled by SplitMix64, as src/core/random.hpp says), and `waited` is Lindley's recursion over it.
"""

import math
import signal
import subprocess

from conftest import BUILD

MASK = (1 << 64) - 1


class KnownServer:
    """Options as the program takes them: KnownServer(folder, service=0.01, stall=0.5, stall_every=5)."""

    def __init__(self, folder, **options):
        self.log = folder / f"server-{id(self)}.log"
        options = {"log": self.log} | options
        words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
        self.process = subprocess.Popen(
            [BUILD / "bin/known_server", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        ports = dict(self.process.stdout.readline().split() for _ in range(2))
        self.http, self.grpc = f"http://127.0.0.1:{ports['http']}", f"grpc://127.0.0.1:{ports['grpc']}"

    def url(self, protocol):
        return getattr(self, protocol)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.stdin.close()
            self.process.wait(timeout=20)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def seen(self):
        """After stop(): (arrival, service time) of each request that waited in line, in seconds."""
        return [tuple(map(float, line.split())) for line in self.log.read_text().splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.kill()


def uniform_numbers(seed):
    """xoshiro256**: numbers from [0, 1)."""
    state = []
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        state.append(z ^ (z >> 31))

    def rotated(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    while True:
        yield ((rotated((state[1] * 5) & MASK, 7) * 9) & MASK) >> 11
        shifted = (state[1] << 17) & MASK
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = rotated(state[3], 45)


def arrivals(kind, rate, length_s, seed):
    """Seconds from the start, of a constant or Poisson schedule."""
    times, at, random = [], 0.0, uniform_numbers(seed)
    while at < length_s:
        times.append(at)
        at = len(times) / rate if kind == "constant" else at - math.log1p(-next(random) * 2**-53) / rate
    return times


def waited(times, services, stall=0.0, stall_every=0.0, now=0.0):
    """How long each request stays, one worker, first come first served; `now`: of the server's clock at time 0."""
    stays, free, stall_at = [], 0.0, math.inf
    if stall:
        stall_at = (math.floor(now / stall_every) + 1) * stall_every - now
    for at, service in zip(times, services):
        begin = max(at, free)
        if begin >= stall_at:
            begin += stall
            stall_at = (math.floor((begin + now) / stall_every) + 1) * stall_every - now
        free = begin + service
        stays.append(free - at)
    return stays
