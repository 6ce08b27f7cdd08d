"""One model tried with one engine in one verb of neph: the answers it gave, or the line with which it refused."""

import csv
import json
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import numpy
from comparison import Summary
from server_process import serving_neph
from tritonclient import grpc as triton
from tritonclient.utils import InferenceServerException, np_to_triton_dtype, triton_to_np_dtype

LIMIT_S = 300
MOST_IN_JSON = 100_000  # values; more go over gRPC
SHORT = ("--count", 2, "--repeat", 1, "--warmup", 1, "--warmup-max-s", 0.2)
NO_JSON = {"float16"}


class Refused(RuntimeError):
    """What neph said, in its line."""


def served(program, file, engine, given):
    """The answers of `neph serve FILE --engine ENGINE`, with no other option, over HTTP as JSON or over gRPC."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with serving_neph(program, folder, file, "--engine", engine) as server:
                ask = asked_in_json if fits_json(given) else asked_in_grpc
                return ask(server, given)
        except RuntimeError as error:
            raise Refused(last_line(str(error))) from error


def fits_json(given):
    arrays = given.values()
    return sum(array.size for array in arrays) <= MOST_IN_JSON and not NO_JSON & {str(array.dtype) for array in arrays}


def asked_in_json(server, given):
    model = only_model(server)
    tensors = [
        {"name": name, "shape": list(array.shape), "datatype": np_to_triton_dtype(array.dtype), "data": array.ravel().tolist()}
        for name, array in given.items()
    ]
    request = urllib.request.Request(
        f"{server.url}/v2/models/{model}/infer", json.dumps({"inputs": tensors}).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=LIMIT_S) as reply:
            outputs = json.load(reply)["outputs"]
    except urllib.error.HTTPError as error:
        raise Refused(json.load(error)["error"]) from error
    return {each["name"]: tensor(each) for each in outputs}


def tensor(said):
    values = numpy.array(said["data"], triton_to_np_dtype(said["datatype"]))
    if values.size != numpy.prod(said["shape"]):
        raise Refused(f"{values.size} values in an output of shape {said['shape']}")
    return values.reshape(said["shape"])


def asked_in_grpc(server, given):
    tensors = []
    for name, array in given.items():
        tensors.append(triton.InferInput(name, list(array.shape), np_to_triton_dtype(array.dtype)))
        tensors[-1].set_data_from_numpy(array)
    with triton.InferenceServerClient(server.grpc) as client:
        try:
            reply = client.infer(only_model(server), tensors, client_timeout=LIMIT_S)
        except InferenceServerException as error:
            raise Refused(error.message()) from error
    return {each.name: reply.as_numpy(each.name) for each in reply.get_response().outputs}


def only_model(server):
    with urllib.request.urlopen(urllib.request.Request(f"{server.url}/v2/repository/index", b"{}")) as reply:
        return json.load(reply)[0]["name"]


def inferred(program, model, file, engine, given):
    """Of the answers of `neph infer FILE --engine ENGINE` to these inputs what it keeps: a Summary by output, or classes."""
    with tempfile.TemporaryDirectory() as folder:
        numpy.savez(Path(folder, "inputs.npz"), **given)
        open_shapes = "+".join(f"{name}:{'x'.join(map(str, given[name].shape))}" for name in model.shapes)
        options = ["--inputs", "inputs.npz", "--answers", "answers.csv", *SHORT]
        run(program, folder, "infer", file, "--engine", engine, *options, *(["--shape", open_shapes] if open_shapes else []))
        with open(Path(folder, "answers.csv"), newline="") as file_of_answers:
            rows = list(csv.DictReader(file_of_answers))
    return summaries_in(rows) if "output" in rows[0] else best_classes_in(rows)


def summaries_in(rows):
    """Of the first inference's outputs."""
    numbers = ("mean", "rms", "mark")
    first = [row for row in rows if row["input"] == rows[0]["input"]]
    return {
        each["output"]: Summary(each["type"], json.loads(each["shape"]), *(float(each[key]) for key in numbers)) for each in first
    }


def best_classes_in(rows):
    """(class, score) of each picture, the best first."""
    return [[(int(row[f"class{k}"]), float(row[f"score{k}"])) for k in range(1, 6) if row[f"class{k}"]] for row in rows]


def inferred_as_shipped(program, file, engine):
    """`neph infer FILE --engine ENGINE` with inputs of its own, for as short as it goes."""
    with tempfile.TemporaryDirectory() as folder:
        run(program, folder, "infer", file, "--engine", engine, *SHORT)


def described(program, file):
    """What `neph net FILE --json` says."""
    with tempfile.TemporaryDirectory() as folder:
        return json.loads(run(program, folder, "net", file, "--json"))


def run(program, folder, *arguments):
    command = list(map(str, [program, *arguments]))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Refused(f"exit code {done.returncode}: {reason_of(done.stderr or done.stdout)}")
    return done.stdout


def reason_of(text):
    """Of runs that failed the first's; else the last line."""
    failed = (line.partition(" failed: ")[2] for line in text.splitlines() if line.startswith("[") and " failed: " in line)
    return next(failed, "") or last_line(text)


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "nothing said"
