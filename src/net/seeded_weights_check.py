"""Checks a model that neph wrote with other people's software: onnx's checker, and OpenVINO on real pictures.

    seeded_weights_check.py MODEL.onnx PICTURES [COUNT]

The answers must be finite, must differ between pictures, and must be the same in batches of 1 and 4.
"""
import sys
from pathlib import Path

import numpy as np
import onnx
import openvino
from PIL import Image


def picture(path):
    image = Image.open(path).convert("RGB").resize((224, 224), Image.Resampling.BILINEAR)
    values = (np.asarray(image, np.float32) / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    return values.transpose(2, 0, 1).astype(np.float32)


def answers(model, pictures, batch):
    model.reshape([batch, 3, 224, 224])
    network = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return np.concatenate([network(part)[0] for part in np.split(pictures, len(pictures) // batch)])


def main(model_file, folder, count=8):
    onnx.checker.check_model(model_file, full_check=True)
    paths = sorted(path for path in Path(folder).rglob("*") if path.suffix.lower() in (".jpg", ".jpeg"))
    pictures = np.stack([picture(path) for path in paths[:: len(paths) // int(count)][: int(count)]])
    model = openvino.Core().read_model(model_file)
    one, four = answers(model, pictures, 1), answers(model, pictures, 4)
    top = one.argmax(1)
    assert np.isfinite(one).all(), "not finite"
    assert 0.01 < one.std() < 100, f"badly scaled: deviation {one.std()}"
    assert len(set(top)) >= len(top) // 3, f"only {len(set(top))} different answers to {len(top)} pictures"
    assert (top == four.argmax(1)).all(), "answers depend on the batch"


main(*sys.argv[1:])
