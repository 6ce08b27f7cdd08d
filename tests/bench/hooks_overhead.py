"""What the hooks of `neph train -- python ...` cost a step, as a share of it: PYTHON tests/bench/hooks_overhead.py, with a
Python that has PyTorch (./dev setup frameworks).

One process trains with the hooks in place and takes them out and puts them back, block of steps by block, so that both
kinds of blocks meet the same machine. CPU time is compared, which neighbours disturb least. The share is the median over
pairs of blocks; its interval is the distribution-free one of a median (order statistics).
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HOOKS = Path(__file__).resolve().parents[2] / "src/workload/command/sitecustomize.py"
PAIRS = int(os.environ.get("PAIRS", 100))


def reader(path):
    """What the program does: empties the pipe."""
    pipe = os.open(path, os.O_RDWR)
    while os.read(pipe, 1 << 16):
        pass


def measured_here():
    """In the child, which the hooks are in."""
    import torch
    from torch import nn
    from torch.optim import optimizer as of_optimizer
    from torch.utils.data import DataLoader, TensorDataset, dataloader

    torch.set_num_threads(1)
    torch.manual_seed(1)
    hooks = of_optimizer._global_optimizer_post_hooks
    assert hooks, "the hooks are not in place"
    kept = dict(hooks)
    iterator = dataloader._BaseDataLoaderIter
    hooked_next = iterator.__next__

    def put(are_in):
        hooks.clear()
        if are_in:
            hooks.update(kept)
        iterator.__next__ = hooked_next if are_in else hooked_next.__wrapped__

    networks = {
        "perceptron 784-64-10, batch 32": (nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10)), 32, 200),
        "MNIST CNN of pytorch/examples, batch 64": (
            nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
                          nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10)), 64, 4),
    }
    for name, (network, batch, block) in networks.items():
        data = TensorDataset(torch.randn(batch * block, 1, 28, 28), torch.randint(0, 10, (batch * block,)))
        loader = DataLoader(data, batch_size=batch)
        optimizer = torch.optim.Adam(network.parameters())

        def train_block():
            begin = time.process_time()
            for pictures, classes in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(network(pictures), classes).backward()
                optimizer.step()
            return (time.process_time() - begin) / block

        train_block()
        ratios, plain = [], []
        for pair in range(PAIRS):
            times = {}
            for are_in in (True, False) if pair % 2 else (False, True):
                put(are_in)
                times[are_in] = train_block()
            ratios.append(times[True] / times[False] - 1)
            plain.append(times[False])
        put(True)
        ratios.sort()
        reach = round(0.98 * PAIRS**0.5)
        low, high = ratios[max(0, PAIRS // 2 - reach)], ratios[min(PAIRS - 1, PAIRS // 2 + reach)]
        print(f"{name}: a step {1e3 * sorted(plain)[PAIRS // 2]:.3f} ms of CPU time, hooks {100 * ratios[PAIRS // 2]:+.2f} % "
              f"[{100 * low:+.2f}, {100 * high:+.2f}], {PAIRS} pairs", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sitecustomize.py").write_text(HOOKS.read_text())
        events = f"{folder}/events"
        os.mkfifo(events)
        threading.Thread(target=reader, args=(events,), daemon=True).start()
        environment = {**os.environ, "NEPH_EVENTS": events, "PYTHONPATH": folder, "HOOKED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([sys.executable, __file__], env=environment).returncode


if __name__ == "__main__":
    sys.exit(measured_here() if os.environ.get("HOOKED") else main())
