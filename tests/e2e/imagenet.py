"""What a network trained on ImageNet is given for a picture, computed apart from the program."""

import numpy
from PIL import Image


def imagenet_pixels(path, side):
    """The evaluation transform's picture by Pillow, [side, side, 3] of 0..255: shorter side to 256/224 of the crop, centre
    crop."""
    resize = round(side * 256 / 224)
    picture = Image.open(path).convert("RGB")
    width, height = picture.size
    size = (resize, int(resize * height / width)) if width < height else (int(resize * width / height), resize)
    picture = picture.resize(size, Image.Resampling.BILINEAR)
    left, top = round((size[0] - side) / 2), round((size[1] - side) / 2)
    return numpy.asarray(picture.crop((left, top, left + side, top + side)))


def normal(pixels):
    """[n, side, side, 3] of 0..255 as the tensor [n, 3, side, side]."""
    levels = (pixels.astype(numpy.float32) / 255 - numpy.float32([0.485, 0.456, 0.406])) / numpy.float32([0.229, 0.224, 0.225])
    return numpy.ascontiguousarray(levels.transpose(0, 3, 1, 2))


def imagenet_tensor(path, side):
    """The whole transform of one picture, [1, 3, side, side]."""
    return normal(imagenet_pixels(path, side)[None])
