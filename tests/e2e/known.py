"""A server of known service times, and the truth about a queue in front of it, computed apart from the program.

`KnownServer` starts tests/e2e/known_server.cpp. `arrivals` makes the schedule of a recorded seed once more (xoshiro256**
filled by SplitMix64, as src/core/random.hpp says), and `waited` is Lindley's recursion over it.
"""

import itertools
import math
import signal
import subprocess

from conftest import BUILD

MASK = (1 << 64) - 1
TIMER_MS = {"http": 0.3, "grpc": 1.3}  # a transport's waiting: gRPC's wakes in whole milliseconds
CASES = {  # the server's options, and the arrivals: their kind, and how many a second
    "fixed, constant": ({"service": 0.01}, "constant", 60),
    "fixed, poisson": ({"service": 0.01}, "poisson", 60),
    "10 ms with stalls, constant": ({"service": 0.01, "stall": 0.5, "stall_every": 5}, "constant", 60),
    "5 ms with stalls, poisson": ({"service": 0.005, "stall": 0.5, "stall_every": 5}, "poisson", 120),
    "heavy tail, poisson": ({"service": 0.005, "tail": 7}, "poisson", 60),
}


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
        """After stop(): (arrival, service time, when it was answered) of each request that was served, in seconds."""
        return [tuple(map(float, line.split())) for line in self.log.read_text().splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.kill()


def uniform_numbers(seed):
    """xoshiro256**: whole numbers below 2**53."""
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


def services(behaviour, count, seed=1):
    """As many service times by the law of a KnownServer's options, though not its own draws."""
    mean = behaviour["service"]
    if "tail" not in behaviour:
        return [mean] * count
    return [min(mean / 3 * (1 - u * 2**-53) ** (-1 / 1.5), 100 * mean) for u in itertools.islice(uniform_numbers(seed), count)]
