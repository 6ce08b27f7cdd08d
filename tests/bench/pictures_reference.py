#!/usr/bin/env python3
"""pictures_reference.py FOLDER pillow|opencv [PASSES]: what picture_rate_bench does, by Pillow or OpenCV.

Decode in full, convert to RGB, shorter side to 256 (bilinear), centre crop 224, ImageNet's mean and deviation, float32
planes; one process, one thread, files in memory. Prints images per CPU-second as JSON. OpenCV's linear resize does not
antialias: it does less.
"""
import io
import json
import pathlib
import sys
import time

import numpy

MEAN = numpy.array([0.485, 0.456, 0.406], numpy.float32)
DEVIATION = numpy.array([0.229, 0.224, 0.225], numpy.float32)


def resized(width, height, side=256):
    """torchvision's Resize(side)."""
    return (side, int(side * height / width)) if width < height else (int(side * width / height), side)


def corner(width, height, side=224):
    return round((width - side) / 2), round((height - side) / 2)


def normalised(pixels):
    scaled = pixels.astype(numpy.float32) * numpy.float32(1 / 255)
    return numpy.ascontiguousarray(((scaled - MEAN) / DEVIATION).transpose(2, 0, 1))


def by_pillow():
    from PIL import Image

    def decode(content):
        picture = Image.open(io.BytesIO(content)).convert("RGB")
        picture = picture.resize(resized(*picture.size), Image.BILINEAR)
        x, y = corner(*picture.size)
        return normalised(numpy.asarray(picture.crop((x, y, x + 224, y + 224))))

    return decode


def by_opencv():
    import cv2

    cv2.setNumThreads(1)

    def decode(content):
        pixels = cv2.imdecode(numpy.frombuffer(content, numpy.uint8), cv2.IMREAD_COLOR_RGB)
        height, width = pixels.shape[:2]
        size = resized(width, height)
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_LINEAR)
        x, y = corner(*size)
        return normalised(pixels[y : y + 224, x : x + 224])

    return decode


def main(folder, name, passes=1):
    decode = {"pillow": by_pillow, "opencv": by_opencv}[name]()
    files = [path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())]
    for content in files[:5]:
        decode(content)  # imports and first allocations
    begin = time.process_time()
    for _ in range(int(passes)):
        for content in files:
            decode(content)
    spent = time.process_time() - begin
    pictures = len(files) * int(passes)
    print(json.dumps({"name": name, "images_per_cpu_s": round(pictures / spent, 1), "pictures": pictures}))


if __name__ == "__main__":
    main(*sys.argv[1:])
