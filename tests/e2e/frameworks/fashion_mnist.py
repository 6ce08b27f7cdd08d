"""Fashion-MNIST as Debian's package has it."""

import gzip
from pathlib import Path

import numpy as np

FOLDER = Path("/usr/share/datasets/fashion-mnist")


def read(part):
    """Pictures [n, 28, 28] and classes [n], both uint8; `part` is train or t10k."""
    pictures = np.frombuffer(gzip.decompress((FOLDER / f"{part}-images-idx3-ubyte.gz").read_bytes()), np.uint8)[16:]
    classes = np.frombuffer(gzip.decompress((FOLDER / f"{part}-labels-idx1-ubyte.gz").read_bytes()), np.uint8)[8:]
    return pictures.reshape(-1, 28, 28), classes
