"""PyTorch's own data parallel training of the MNIST network, for the speed table: DistributedDataParallel over gloo, as its
documentation does it, with what makes it faster (channels_last, fused Adam). Prints samples per second.

    PYTHON tests/bench/ddp_reference.py PROCESSES BATCH STEPS
"""

import os
import sys
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WARM_UP = 10


def network():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25), nn.Flatten(),
        nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10),
    ).to(memory_format=torch.channels_last)  # fmt: skip


def learn(rank, processes, batch, steps, folder):
    cores = sorted(os.sched_getaffinity(0))
    share = len(cores) // processes
    os.sched_setaffinity(0, cores[rank * share : (rank + 1) * share])
    torch.set_num_threads(share)
    store = dist.FileStore(f"{folder}/store", processes)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=processes)
    torch.manual_seed(1)
    model = DistributedDataParallel(network())
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    each = batch // processes
    images = torch.rand(16 * each, 1, 28, 28).to(memory_format=torch.channels_last)
    classes = torch.randint(0, 10, (16 * each,))
    for step in range(WARM_UP + steps):
        if step == WARM_UP:
            dist.barrier()
            begin = time.perf_counter()
        first = step % 16 * each
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[first : first + each]), classes[first : first + each])
        loss.backward()
        optimizer.step()
        loss.item()
    dist.barrier()
    if rank == 0:
        print(steps * batch / (time.perf_counter() - begin))
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        processes, batch, steps = map(int, sys.argv[1:4])
        mp.spawn(learn, args=(processes, batch, steps, folder), nprocs=processes)
