"""What the options of a model do, as NVIDIA's client sees it: how requests are joined, ordered, refused and read."""

import re
import threading
import time
import urllib.request

import numpy
import pytest
import tritonclient.grpc
from identity_repository import FLOATS
from imagenet import imagenet_pixels, normal
from tritonclient.grpc import InferenceServerException
from waiting import wait_for

ROW_BYTES = 16 * 4


@pytest.fixture
def slow(tmp_path):
    """A function that writes a model which takes so long for a batch of any size."""

    def write(service_ms):
        (tmp_path / "m.identity").write_text("\n".join([f"service_ms = {service_ms}", *FLOATS]) + "\n")
        return tmp_path / "m.identity"

    return write


class Asking:
    """Requests of one row side by side: `ended` has the name and the error of each, in the order in which they ended."""

    def __init__(self, served):
        self.served, self.asked, self.ended, self.change = served, 0, [], threading.Condition()
        self.client = tritonclient.grpc.InferenceServerClient(served.grpc)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def ask(self, name="", **options):
        tensor = tritonclient.grpc.InferInput("x", [1, 16], "FP32")
        tensor.set_data_from_numpy(numpy.zeros((1, 16), "float32"))
        self.asked += 1
        self.client.async_infer("m", [tensor], lambda result, error: self.end(name, error), **options)

    def end(self, name, error):
        with self.change:
            self.ended.append((name, error))
            self.change.notify_all()

    def wait(self):
        with self.change:
            assert self.change.wait_for(lambda: len(self.ended) == self.asked, 20), self.ended
        return self.ended

    def wait_until_pending(self, count):
        wait_for(lambda: self.pending() >= count)

    def pending(self):
        page = urllib.request.urlopen(self.served.metrics_url, timeout=20).read().decode()
        return int(re.search(r'^nv_inference_pending_request_count\{model="m".*\} (\d+)$', page, re.MULTILINE)[1])

    def executions(self):
        (about,) = self.client.get_inference_statistics("m").model_stats
        return about.inference_count, about.execution_count


def test_max_wait_lets_requests_join(serve, slow):
    with serve(slow(5), "--max-batch", 4, "--max-wait", "10s") as served, Asking(served) as asking:
        begun = time.monotonic()
        for _ in range(4):
            asking.ask()
        assert all(error is None for _, error in asking.wait())
        assert time.monotonic() - begun < 5, "a full batch waits for nobody else"
        assert asking.executions() == (4, 1)


def test_max_wait_ends(serve, slow):
    with serve(slow(5), "--max-batch", 4, "--max-wait", "300ms") as served, Asking(served) as asking:
        begun = time.monotonic()
        asking.ask()
        asking.wait()
        assert 0.3 <= time.monotonic() - begun < 5
        assert asking.executions() == (1, 1)


@pytest.mark.timing
@pytest.mark.parametrize("instances, rounds", [(1, 4), (2, 2), (4, 1)])
def test_instances_run_side_by_side(serve, slow, instances, rounds):
    with serve(slow(200), "--instances", instances) as served, Asking(served) as asking:
        begun = time.monotonic()
        for _ in range(4):
            asking.ask()
        asking.wait()
        assert 0.2 * rounds <= time.monotonic() - begun < 0.2 * (rounds + 0.7)


@pytest.mark.parametrize("option, most", [("--queue-requests", 2), ("--queue-bytes", 2 * ROW_BYTES)])
def test_a_full_queue_refuses_with_the_name_of_its_option(serve, slow, option, most):
    with serve(slow(500), option, most) as served, Asking(served) as asking:
        asking.ask("runs")
        for _ in range(5):
            asking.ask("follows")
        ended = asking.wait()
    refused = [error for name, error in ended if error is not None]
    assert len(refused) == 3, "one runs, two wait"
    for error in refused:
        assert error.status() == "StatusCode.UNAVAILABLE" and option in error.message()


def test_priorities_overtake_in_the_queue(serve, slow):
    """1 is the highest, as with Triton; without one a request has the lowest."""
    with serve(slow(300)) as served, Asking(served) as asking:
        for _ in range(2):  # one runs as soon as the other is pending
            asking.ask("first", priority=1)
        asking.wait_until_pending(1)
        for number, (name, options) in enumerate(
            [("none", {}), ("three", {"priority": 3}), ("two", {"priority": 2}), ("one", {"priority": 1})], start=2
        ):
            asking.ask(name, **options)
            asking.wait_until_pending(number)
        assert [name for name, _ in asking.wait()] == ["first", "first", "one", "two", "three", "none"]
