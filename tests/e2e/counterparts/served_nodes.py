"""ONNX's node tests behind `neph serve`, and by the engine alone.

As a program it prints how many are right, wrong and refused, and why:
    NEPH_BUILD=build/release .venv/bin/python tests/e2e/counterparts/served_nodes.py onnxruntime
"""

import http.client
import json
import multiprocessing
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy  # noqa: E402
from counterparts import onnx_nodes  # noqa: E402
from paths import BUILD  # noqa: E402
from server_process import serving_neph  # noqa: E402

TYPES = {
    "BOOL": "bool", "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64", "INT8": "int8",
    "INT16": "int16", "INT32": "int32", "INT64": "int64", "FP16": "float16", "FP32": "float32", "FP64": "float64",
    "BF16": "bfloat16", "BYTES": "object",
}
NAMES = {name: datatype for datatype, name in TYPES.items()}
NO_TENSOR = "a sequence, map or optional value"
NO_TYPE = "no such type in the protocol"


def bytes_of(array):
    """As the protocol has them: row after row, each text with its length before it."""
    if array.dtype != object:
        return array.tobytes()
    texts = [each.encode() if isinstance(each, str) else each for each in array.flat]
    return b"".join(len(text).to_bytes(4, "little") + text for text in texts)


def array_of(datatype, shape, raw):
    if datatype != "BYTES":
        dtype = onnx_nodes.bfloat16 if datatype == "BF16" else numpy.dtype(TYPES[datatype])
        return numpy.frombuffer(raw, dtype).reshape(shape)
    texts, at = [], 0
    while at < len(raw):
        end = at + 4 + int.from_bytes(raw[at : at + 4], "little")
        texts.append(raw[at + 4 : end].decode())
        at = end
    return numpy.array(texts, object).reshape(shape)


def ask_http(connection, test):
    """The answers by name, asked for as bytes behind the JSON. ValueError: what the server says instead."""
    blocks = [bytes_of(array) for _, array in test.inputs]
    inputs = [
        {"name": name, "shape": array.shape, "datatype": NAMES[array.dtype.name], "parameters": {"binary_data_size": len(block)}}
        for (name, array), block in zip(test.inputs, blocks)
    ]
    head = json.dumps({"inputs": inputs, "parameters": {"binary_data_output": True}}).encode()
    connection.request(
        "POST", f"/v2/models/{test.name}/infer", head + b"".join(blocks), {"Inference-Header-Content-Length": str(len(head))}
    )
    reply = connection.getresponse()
    body = reply.read()
    if reply.status != 200:
        raise ValueError(json.loads(body)["error"])
    length = int(reply.headers["Inference-Header-Content-Length"])
    answers, at = {}, length
    for each in json.loads(body[:length])["outputs"]:
        end = at + each["parameters"]["binary_data_size"]
        answers[each["name"]] = array_of(each["datatype"], each["shape"], body[at:end])
        at = end
    return answers


def outcome(ask, test):
    """"right", "wrong", or why the server refused."""
    if any(array.dtype.name not in NAMES for _, array in test.inputs + test.outputs):
        return NO_TYPE
    try:
        answers = ask(test)
    except ValueError as error:
        return str(error)
    right = all(name in answers and onnx_nodes.agree(expected, answers[name]) for name, expected in test.outputs)
    return "right" if right else "wrong"


def write_repository(folder, tests):
    for test in tests:
        (folder / test.name / "1").mkdir(parents=True)
        (folder / test.name / "1/model.onnx").symlink_to(test.model)


def outcomes_over_http(engine, tests, folder):
    """By test. A server that one of them ends is started again for the rest."""
    found, at = {}, 0
    while at < len(tests):
        place = Path(folder) / f"from-{at}"
        write_repository(place / "models", tests[at:])
        try:
            with serving_neph(BUILD / "bin/neph", place, "models", "--engine", engine, patience_s=120) as served:
                connection = http.client.HTTPConnection(served.http)
                while at < len(tests):
                    found[tests[at].name] = outcome(lambda test: ask_http(connection, test), tests[at])
                    at += 1
        except (http.client.HTTPException, ConnectionError):
            found[tests[at].name] = "the server ended"
            at += 1
        except AssertionError:
            if at < len(tests):
                found[tests[at].name] = "the server ended"
                at += 1
    return found


def openvino_answers(test):
    import openvino

    core = openvino.Core()
    model = core.compile_model(core.read_model(test.model), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    answers = model({name: array.copy() for name, array in test.inputs})  # it wants to write where it must not
    return [answers[i] for i in range(len(test.outputs))]


def onnxruntime_answers(test):
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    session = onnxruntime.InferenceSession(str(test.model), providers=["CPUExecutionProvider"])
    plain = {name: array.astype(str).astype(object) if array.dtype == object else array for name, array in test.inputs}
    if not any(array.dtype == onnx_nodes.bfloat16 for array in plain.values()):
        return session.run(None, plain)
    given = {  # numpy has no bfloat16 that the runtime knows
        name: onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(numpy.uint16), 16)
        if array.dtype == onnx_nodes.bfloat16 else onnxruntime.OrtValue.ortvalue_from_numpy(array)
        for name, array in plain.items()
    }
    return [each.numpy() for each in session.run_with_ort_values(None, given)]


ANSWERS = {"openvino": openvino_answers, "onnxruntime": onnxruntime_answers}


def is_right_alone(engine, test):
    try:
        answers = ANSWERS[engine](test)
    except Exception:  # what an engine refuses it refuses in many ways
        return False
    return all(onnx_nodes.agree(expected, answer) for (_, expected), answer in zip(test.outputs, answers))


def right_alone(engine, tests):
    """The names of those that the engine, asked by Python, gets right; one that ends the process is none."""
    context = multiprocessing.get_context("spawn")
    found, left = [], list(tests)
    while left:
        ours, theirs = context.Pipe()
        child = context.Process(target=_answer_all, args=(engine, left, theirs))
        child.start()
        theirs.close()
        done = 0
        try:
            while done < len(left):
                if ours.recv():
                    found.append(left[done].name)
                done += 1
        except EOFError:
            done += 1
        child.join()
        left = left[done:]
    return found


def _answer_all(engine, tests, pipe):
    for test in tests:
        pipe.send(is_right_alone(engine, test))


def group_of(reason, name):
    """A reason without what differs from test to test."""
    reason = reason.replace(name, "NAME")
    reason = re.sub(r"/[^ :,]*", "PATH", reason)
    reason = re.sub(r"'[^']*'", "'..'", reason)
    reason = re.sub(r"\[[^\]]*\]", "[..]", reason)
    return re.sub(r"\d+", "N", reason)[:150]


def main(engine):
    everything = sorted(each.name for each in onnx_nodes.FOLDER.iterdir())
    tests = onnx_nodes.all_tests()
    with tempfile.TemporaryDirectory() as folder:
        found = outcomes_over_http(engine, tests, folder)
    for name in everything:
        found.setdefault(name, NO_TENSOR)
    missed = [test for test in tests if found[test.name] != "right"]
    alone = set(right_alone(engine, missed))
    print(f"{engine}: {len(everything)} tests, {Counter(found.values())['right']} right")
    print(f"wrong, and right by the engine alone: {sorted(name for name in alone if found[name] == 'wrong')}")
    print(f"wrong by both: {sorted(name for name, what in found.items() if what == 'wrong' and name not in alone)}")
    refused = {name: what for name, what in found.items() if what not in ("right", "wrong")}
    print(f"refused: {len(refused)}, of these right by the engine alone: {len(alone & set(refused))}")
    groups = Counter(group_of(what, name) for name, what in refused.items())
    for group, count in groups.most_common():
        names = [name for name, what in refused.items() if group_of(what, name) == group]
        print(f"{count:5}  alone {len(alone & set(names)):4}  {group}\n       {' '.join(sorted(names, key=lambda n: n not in alone)[:6])}")
    Path(tempfile.gettempdir(), f"served-nodes-{engine}.json").write_text(json.dumps({"outcomes": found, "alone": sorted(alone)}))


if __name__ == "__main__":
    main(sys.argv[1])
