"""What a model is given: numbers of a seed, by the types and shapes that its file has; and what it should answer."""

from dataclasses import dataclass

import numpy
import onnxruntime
import openvino

SEED = 27
NUMPY = {
    "float": "float32", "float16": "float16", "double": "float64", "int64": "int64", "int32": "int32", "uint8": "uint8",
    "int8": "int8", "bool": "bool", "string": "object", "f32": "float32", "f16": "float16", "i64": "int64", "i32": "int32",
    "u8": "uint8", "boolean": "bool", "float32": "float32", "float64": "float64",
}  # fmt: skip


@dataclass(frozen=True)
class Port:
    name: str
    dtype: str  # numpy's
    shape: list  # None: open


class OnnxRuntime:
    """The engine alone, as its Python package has it."""

    name = "onnxruntime"

    def __init__(self, file):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        self.inputs = [
            Port(each.name, NUMPY[each.type[7:-1]], [size if isinstance(size, int) else None for size in each.shape])
            for each in self.session.get_inputs()
        ]
        self.outputs = [each.name for each in self.session.get_outputs()]

    def answers(self, given):
        return dict(zip(self.outputs, self.session.run(None, given)))


class OpenVino:
    name = "openvino"

    def __init__(self, file):
        core = openvino.Core()
        model = core.read_model(file)
        self.inputs = [Port(name_of(each), NUMPY[each.element_type.to_string()], shape_in(each)) for each in model.inputs]
        self.compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        self.outputs = [name_of(each, f"output {i}") for i, each in enumerate(model.outputs)]

    def answers(self, given):
        found = self.compiled([given[port.name] for port in self.inputs])
        return {name: found[i] for i, name in enumerate(self.outputs)}


def shape_in(port):
    return [size.get_length() if size.is_static else None for size in port.partial_shape]


def name_of(port, otherwise="input"):
    """The name that the file has; a model may have none, as OpenVINO's older ones."""
    return port.any_name if port.names else otherwise


def engines_of(kind):
    """The engines that read such a file, the reference first."""
    return [OnnxRuntime, OpenVino] if kind == "onnx" else [OpenVino]


def make_inputs(model, ports):
    """Arrays by name, the same each time."""
    numbers = numpy.random.default_rng(SEED)
    return {port.name: made(numbers, port, shape_of(model, port), model.values.get(port.name)) for port in ports}


def shape_of(model, port):
    """What the list says; else the model's own, with 1 where it is open."""
    if port.name in model.shapes:
        return [int(size) for size in model.shapes[port.name].split("x") if size]
    return [1 if size is None else size for size in port.shape]


def made(numbers, port, shape, values):
    if port.dtype == "object":
        return numpy.full(shape, values or "word", dtype=object)
    low, _, high = (values or "").partition("..")
    if values and not high:
        return numpy.full(shape, float(low), dtype=port.dtype)
    if numpy.issubdtype(port.dtype, numpy.floating):
        drawn = numbers.uniform(float(low), float(high), shape) if high else numbers.normal(size=shape)
        return numpy.asarray(drawn, dtype=port.dtype)
    return numpy.asarray(numbers.integers(int(low or 0), int(high or 2), shape), dtype=port.dtype)
