"""pillow_reference.py OUT [PICTURES]: makes pictures of odd kinds in OUT/odd with Pillow, then writes what Pillow makes of
each of them, and of each file in PICTURES, to OUT/reference.u8 (224 x 224 x 3 bytes each) and their paths to OUT/names."""

import pathlib
import sys

import cv2
import numpy
from PIL import Image

SIDE, CROP = 256, 224


def scene(width, height):
    """Smooth colours with a few hard edges: photographs are mostly that."""
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float32)
    red = 128 + 100 * numpy.sin(x / 37) * numpy.cos(y / 23)
    green = 255 * y / height
    blue = numpy.where((x // 60 + y // 45) % 2 == 0, 60, 200) + 20 * numpy.sin((x + y) / 9)
    return Image.fromarray(numpy.clip(numpy.dstack([red, green, blue]), 0, 255).astype(numpy.uint8))


def make_odd(folder):
    folder.mkdir(parents=True, exist_ok=True)
    picture = scene(500, 375)
    for name, sampling in (("444", "4:4:4"), ("422", "4:2:2"), ("420", "4:2:0"), ("411", "4:1:1")):
        picture.save(folder / f"sampling_{name}.jpg", quality=90, subsampling=sampling)
    for width, height in ((301, 287), (257, 256), (256, 256), (255, 400), (513, 514), (511, 512), (777, 1201), (2300, 2049)):
        scene(width, height).save(folder / f"size_{width}x{height}_420.jpg", quality=90)
        scene(width, height).save(folder / f"size_{width}x{height}_444.jpg", quality=90, subsampling="4:4:4")
    picture.save(folder / "progressive.jpg", progressive=True, quality=90)
    picture.save(folder / "restart.jpg", restart_marker_blocks=3, quality=90)
    picture.save(folder / "optimised.jpg", optimize=True, quality=97, subsampling="4:4:4")
    picture.save(folder / "coarse.jpg", quality=10)
    picture.save(folder / "kept_rgb.jpg", keep_rgb=True, quality=90)
    picture.convert("L").save(folder / "grey.jpg", quality=90)
    picture.convert("CMYK").save(folder / "cmyk.jpg", quality=95)
    turned = Image.Exif()
    turned[0x0112] = 6
    picture.save(folder / "exif_turned.jpg", quality=90, exif=turned)
    scene(20, 5000).save(folder / "narrow.jpg", quality=90)
    scene(5000, 20).save(folder / "wide.png")
    scene(40, 30).save(folder / "tiny.jpg", quality=90)

    alpha = Image.fromarray((numpy.mgrid[0:375, 0:500][1] % 256).astype(numpy.uint8))
    with_alpha = picture.copy()
    with_alpha.putalpha(alpha)
    grey_alpha = picture.convert("L")
    grey_alpha.putalpha(alpha)
    picture.save(folder / "rgb.png")
    with_alpha.save(folder / "rgba.png")
    grey_alpha.save(folder / "grey_alpha.png")
    picture.convert("P").save(folder / "palette.png")
    picture.convert("P", palette=Image.ADAPTIVE, colors=11).save(folder / "palette_4bit.png", bits=4)
    picture.convert("P").save(folder / "palette_transparent.png", transparency=3)
    picture.convert("L").save(folder / "grey.png")
    picture.convert("1").save(folder / "one_bit.png")
    deep = numpy.asarray(picture).astype(numpy.uint16)[..., ::-1] * 257  # Pillow reads this kind and cannot write it
    cv2.imwrite(str(folder / "rgb_16bit.png"), deep)
    picture.save(folder / "rgb.bmp")
    picture.convert("L").save(folder / "grey.bmp")
    picture.convert("P").save(folder / "palette.bmp")
    picture.convert("1").save(folder / "one_bit.bmp")


def transformed(path):
    picture = Image.open(path).convert("RGB")
    width, height = picture.size
    size = (SIDE, int(SIDE * height / width)) if width < height else (int(SIDE * width / height), SIDE)
    x, y = round((size[0] - CROP) / 2), round((size[1] - CROP) / 2)
    return numpy.asarray(picture.resize(size, Image.BILINEAR).crop((x, y, x + CROP, y + CROP)))


def main(out, pictures=None):
    out = pathlib.Path(out)
    make_odd(out / "odd")
    paths = sorted((out / "odd").iterdir())
    paths += sorted(pathlib.Path(pictures).iterdir()) if pictures else []
    with open(out / "reference.u8", "wb") as reference:
        for path in paths:
            reference.write(transformed(path).tobytes())
    (out / "names").write_text("".join(f"{path}\n" for path in paths))


if __name__ == "__main__":
    main(*sys.argv[1:])
