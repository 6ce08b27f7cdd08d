"""Picture files that are made, not photographed."""

import numpy
from PIL import Image


def write_pictures(folder, count=24, seed=3):
    """So many JPEG files of different sizes in the folder, all usable, from a recorded seed. Returns the folder."""
    random = numpy.random.default_rng(seed)
    for number in range(count):
        width, height = random.integers(280, 520, 2)
        blocks = Image.fromarray(random.integers(0, 256, (9, 12, 3), dtype=numpy.uint8))
        blocks.resize((int(width), int(height)), Image.Resampling.BICUBIC).save(folder / f"{number:02}.jpg", quality=92)
    return folder
