"""train_reference.py KIND NETWORK BATCH THREADS: training steps as train_rate_bench takes them, by other people's frameworks.

KIND: eager, channels_last (and fused Adam), compile, ddp (two processes over gloo, half of the batch each), keras (on
TensorFlow, as Model.fit steps). NETWORK: those of neph's net, with their dropouts. THREADS: 0 leaves the framework's own.
Adam, float32, cross-entropy. Takes as many steps as each line of standard input says, and answers with a line of JSON.
"""

import gzip
import json
import os
import sys
import time
from pathlib import Path

FASHION = Path("/usr/share/datasets/fashion-mnist")
SHAPES = {"mnist-cnn": (1, 28, 28), "cifar10-cnn": (3, 32, 32), "resnet50": (3, 224, 224)}
CLASSES = {"resnet50": 1000}
MADE_UP = 2048  # as `--data synth` has


def data_of(network):
    """Pictures [n, c, h, w] and classes; Fashion-MNIST, or noise of the network's shape."""
    import numpy as np

    shape = SHAPES[network]
    if network == "mnist-cnn" and FASHION.is_dir():
        pictures = np.frombuffer(gzip.decompress((FASHION / "train-images-idx3-ubyte.gz").read_bytes())[16:], np.uint8)
        labels = np.frombuffer(gzip.decompress((FASHION / "train-labels-idx1-ubyte.gz").read_bytes())[8:], np.uint8)
        return (pictures.reshape(-1, *shape) / 255).astype(np.float32), labels.astype(np.int64)
    random = np.random.default_rng(1)
    count = MADE_UP if network != "resnet50" else 64
    return (random.random((count, *shape), dtype=np.float32), random.integers(0, CLASSES.get(network, 10), count))


def torch_network(name):
    from torch import nn

    def conv(inputs, outputs, padding=0):
        return [nn.Conv2d(inputs, outputs, 3, padding=padding), nn.ReLU()]

    def end(features, width):
        return [nn.Flatten(), nn.Linear(features, width), nn.ReLU(), nn.Dropout(0.5), nn.Linear(width, 10)]

    pool = [nn.MaxPool2d(2), nn.Dropout(0.25)]
    if name == "mnist-cnn":
        return nn.Sequential(*conv(1, 32), *conv(32, 64), *pool, *end(9216, 128))
    if name == "cifar10-cnn":
        return nn.Sequential(*conv(3, 32, 1), *conv(32, 32), *pool, *conv(32, 64, 1), *conv(64, 64), *pool, *end(2304, 512))
    return resnet50()


def resnet50():
    """He et al., CVPR 2016, with the stride in the 3 x 3 convolution."""
    from torch import nn

    def unit(inputs, outputs, size, stride=1):
        return [nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs)]

    class Block(nn.Module):
        def __init__(self, inputs, width, stride):
            super().__init__()
            self.body = nn.Sequential(*unit(inputs, width, 1), nn.ReLU(True), *unit(width, width, 3, stride), nn.ReLU(True),
                                      *unit(width, 4 * width, 1))
            same = stride == 1 and inputs == 4 * width
            self.beside = nn.Identity() if same else nn.Sequential(*unit(inputs, 4 * width, 1, stride))
            self.relu = nn.ReLU(True)

        def forward(self, x):
            return self.relu(self.body(x) + self.beside(x))

    layers, inputs = [*unit(3, 64, 7, 2), nn.ReLU(True), nn.MaxPool2d(3, 2, 1)], 64
    for width, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for i in range(count):
            layers.append(Block(inputs, width, 2 if i == 0 and width > 64 else 1))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


class Torch:
    def __init__(self, kind, name, batch, threads):
        import torch

        if threads:
            torch.set_num_threads(threads)
        torch.manual_seed(1)
        self.torch, self.batch, self.name = torch, batch, f"PyTorch {torch.__version__}"
        self.order = torch.channels_last if kind in ("channels_last", "ddp") else torch.contiguous_format
        self.model = torch_network(name).to(memory_format=self.order)
        self.optimizer = torch.optim.Adam(self.model.parameters(), fused=kind != "eager" and kind != "compile")
        if kind == "ddp":
            self.model = torch.nn.parallel.DistributedDataParallel(self.model)
        elif kind == "compile":
            self.model = torch.compile(self.model)
        self.pictures, self.labels = map(torch.from_numpy, data_of(name))
        self.batches = iter(())

    def next_batch(self):
        """Of an order that is shuffled anew in each epoch."""
        rows = next(self.batches, None)
        if rows is None:
            self.batches = iter(self.torch.randperm(len(self.labels)).split(self.batch))
            rows = next(self.batches)
        return self.pictures[rows].to(memory_format=self.order), self.labels[rows]

    def steps(self, count):
        """The images that were learnt, and the last loss, which is read in every step as training loops do."""
        images = 0
        for _ in range(count):
            pictures, labels = self.next_batch()
            self.optimizer.zero_grad()
            loss = self.torch.nn.functional.cross_entropy(self.model(pictures), labels)
            loss.backward()
            self.optimizer.step()
            images += len(labels)
            last = loss.item()
        return images, last


def keras_network(name):
    import keras
    from keras import layers

    def conv(width, padding="valid"):
        return layers.Conv2D(width, 3, padding=padding, activation="relu")

    def end(width):
        return [layers.Flatten(), layers.Dense(width, activation="relu"), layers.Dropout(0.5), layers.Dense(10)]

    def pool():
        return [layers.MaxPooling2D(2), layers.Dropout(0.25)]

    shape = SHAPES[name]
    body = {
        "mnist-cnn": lambda: [conv(32), conv(64), *pool(), *end(128)],
        "cifar10-cnn": lambda: [conv(32, "same"), conv(32), *pool(), conv(64, "same"), conv(64), *pool(), *end(512)],
    }[name]()
    return keras.Sequential([layers.Input((*shape[1:], shape[0])), *body])


class Keras:
    def __init__(self, _, name, batch, threads):
        os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3")
        import keras
        import tensorflow as tf

        if threads:
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            tf.config.threading.set_inter_op_parallelism_threads(1)
        keras.utils.set_random_seed(1)
        self.batch, self.name = batch, f"Keras {keras.__version__} on TensorFlow {tf.__version__}"
        self.model = keras_network(name)
        # XLA, which Keras takes by itself, is the slower of the two on CPUs (KERAS_JIT=1 shows it).
        self.model.compile(keras.optimizers.Adam(), keras.losses.SparseCategoricalCrossentropy(from_logits=True),
                           jit_compile=bool(os.environ.get("KERAS_JIT")))
        pictures, labels = data_of(name)
        rows = tf.data.Dataset.from_tensor_slices((pictures.transpose(0, 2, 3, 1), labels))
        size = len(labels)
        del pictures
        self.batches = iter(rows.shuffle(min(size, 10_000)).repeat().batch(batch))
        self.model.make_train_function()

    def steps(self, count):
        for _ in range(count):
            logs = self.model.train_function(self.batches)
        return count * self.batch, float(logs["loss"] if isinstance(logs, dict) else logs[0])


def answer(trainer):
    print(json.dumps({"name": trainer.name}), flush=True)
    for line in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        images, loss = trainer.steps(int(line))
        print(json.dumps({"cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - wall, "images": images,
                          "loss": loss}), flush=True)


def of_rank(rank, world, pipes, arguments):
    """One of the processes of ddp. The first hears, and tells the others how many steps there are to take."""
    import torch
    from torch import distributed

    kind, name, batch, threads = arguments
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ["PORT"], RANK=str(rank), WORLD_SIZE=str(world))
    distributed.init_process_group("gloo")
    trainer = Torch(kind, name, batch // world, max(1, threads // world))

    class Together:
        name = f"{trainer.name}, {world} processes"

        def steps(self, count):
            distributed.broadcast(torch.tensor(count), 0)
            images, loss = trainer.steps(count)
            distributed.barrier()
            return images * world, loss

    if rank == 0:
        sys.stdin = os.fdopen(pipes)
        return answer(Together())
    while True:
        count = torch.tensor(0)
        distributed.broadcast(count, 0)
        trainer.steps(int(count))
        distributed.barrier()


def ddp(arguments):
    import multiprocessing
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ["PORT"] = str(free.getsockname()[1])
    other = multiprocessing.get_context("spawn").Process(target=of_rank, args=(1, 2, None, arguments), daemon=True)
    other.start()
    try:
        of_rank(0, 2, sys.stdin.fileno(), arguments)
    finally:
        other.kill()


def main():
    kind, name, batch, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    if kind == "ddp":
        return ddp((kind, name, batch, threads))
    answer((Keras if kind == "keras" else Torch)(kind, name, batch, threads))


if __name__ == "__main__":
    main()
