"""How tests share the processes of `./dev test`: one has all tests of a file, and of what is dear to start.

A scheduler of our own, as xdist 3.8 cannot mark groups of pytest 9.2 (`--dist loadgroup` gives each test to whoever is idle).
"""

import signal

from xdist.scheduler import LoadScopeScheduling

# What starts the tests may ignore signals (nohup: SIGHUP, a shell's background: SIGINT), and processes would inherit that.
# A handler is not inherited: what tests start has each signal's default, and the tests themselves still heed none.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

DEAR = {
    "docker": ("test_docker_engine", "test_image", "test_server_in_docker"),
    "other servers": ("test_fixtures", "test_neph_infer", "test_neph_load", "test_perf_analyzer"),
}


class ByFile(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        file = nodeid.split("::")[0]
        stem = file.rpartition("/")[2].removesuffix(".py")
        return next((dear for dear, files in DEAR.items() if stem in files), file)


def pytest_xdist_make_scheduler(config, log):
    return ByFile(config, log)
