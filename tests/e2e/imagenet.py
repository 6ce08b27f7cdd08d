"""What a network trained on ImageNet is given for a picture, computed apart from the program."""

import numpy
from PIL import Image


def imagenet_tensor(path, side):
    """The evaluation transform by Pillow and numpy: shorter side to 256/224 of the crop, centre crop, normalise."""
    resize = round(side * 256 / 224)
    picture = Image.open(path).convert("RGB")
    width, height = picture.size
    size = (resize, int(resize * height / width)) if width < height else (int(resize * width / height), resize)
    picture = picture.resize(size, Image.Resampling.BILINEAR)
    left, top = round((size[0] - side) / 2), round((size[1] - side) / 2)
    pixels = numpy.asarray(picture.crop((left, top, left + side, top + side)), dtype=numpy.float32) / 255
    normal = (pixels - numpy.float32([0.485, 0.456, 0.406])) / numpy.float32([0.229, 0.224, 0.225])
    return normal.transpose(2, 0, 1)[None].astype(numpy.float32)
