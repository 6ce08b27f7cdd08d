"""Models of known behaviour (engine identity) in a repository folder as `neph serve` takes it."""

ELEMENTS = {
    "f32": "FP32", "f64": "FP64", "f16": "FP16", "u8": "UINT8", "i8": "INT8", "i16": "INT16", "i32": "INT32",
    "i64": "INT64", "boolean": "BOOL", "bf16": "BF16",
}


def ports(inputs, outputs):
    """The lines of a model file for {name: (element, row shape)} and {name: input it repeats}."""
    lines = []
    for name, (element, row) in inputs.items():
        lines += ["[[inputs]]", f'name = "{name}"', f'element = "{element}"', f"shape = {[-1, *row]}"]
    for name, source in outputs.items():
        lines += ["[[outputs]]", f'name = "{name}"', f'from = "{source}"']
    return lines


FLOATS = ports({"x": ("f32", [16])}, {"y": "x"})
PICTURE = [*ports({"picture": ("f32", [3, 224, 224])}, {}), "[[outputs]]", 'name = "y"', "shape = [-1, 1000]"]
EVERY_TYPE = ports({f"in_{e}": (e, [3]) for e in ELEMENTS}, {f"out_{e}": f"in_{e}" for e in ELEMENTS})

MODELS = {  # name: (lines of model.identity, lines of config.toml)
    "identity": (FLOATS, ["max_batch = 64"]),
    "ten_ms": (["service_ms = 10", *FLOATS], ["max_batch = 64", 'batch_sizes = "64"']),
    "one_by_one": (["service_ms = 10", *FLOATS], ["queue_requests = 16"]),
    "every_type": (EVERY_TYPE, ["max_batch = 8"]),
    "picture": (PICTURE, ["max_batch = 8"]),
}


def write_repository(folder, models=MODELS):
    for name, (model, config) in models.items():
        (folder / name / "1").mkdir(parents=True)
        (folder / name / "1" / "model.identity").write_text("\n".join(model) + "\n")
        (folder / name / "config.toml").write_text("\n".join(config) + "\n")
    return folder
