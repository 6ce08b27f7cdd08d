"""What a server costs ResNet-50 beside the same engine in the program's own address space; each side a run of its own.

Interleaved runs of `neph infer`, which starts and stops the server itself. The first six rows look at the transport: one
engine thread, or all cores with several in flight, tensors ready in memory. The files row has pictures read and decoded.
"""

import tempfile
from functools import partial

from frame import Goal, Row
from programs import json_of, photographs, program, resnet50

COUNT = {1: 120, 8: 160}  # pictures a run by batch: about four seconds


def run(architecture, *options, batch=1, count=None):
    """The single cell of a run, its store thrown away."""
    where = [] if architecture == "in-process" else ["--protocol", architecture]
    name = "in-process" if architecture == "in-process" else "local"
    with tempfile.TemporaryDirectory() as folder:
        document = json_of(
            program("neph"), "infer", resnet50(), "--images", photographs(), "--architecture", name, *where,
            "--count", count or COUNT[batch], "--batch", batch, "--repeat", 1, "--warmup-max-s", 2, *options,
            "--store", f"{folder}/store.db", "--json",
        )
    return document["cells"][0]


def images_per_s(architecture, *options, batch=1):
    return run(architecture, *options, batch=batch)["images_per_s"]["value"]


def peak_bytes(mode, *options, count=200):
    cell = run("grpc", "--files", "off", "--mode", mode, *options, count=count)
    return cell["telemetry"]["process.memory_peak"]["maximum"]


def start_ms():
    """From the server's start to ready: it has loaded, compiled and tried the model."""
    return 1000 * run("http", "--files", "off", count=8)["phases"]["server_start"]["value"]


def compile_ms():
    phases = run("in-process", "--files", "off", count=8)["phases"]
    return 1000 * sum(phases[name]["value"] for name in ("engine_load", "model_load", "model_compile", "first_inference"))


def pair(name, what, goal, architecture, *options, batch=1):
    return Row(name, what, "in-process", Goal(goal), partial(images_per_s, architecture, *options, batch=batch),
               partial(images_per_s, "in-process", *options, batch=batch), rounds=9)


def rows():
    alone = ("--files", "off", "--threads", 1, "--mode", "sync")
    many = ("--files", "off", "--mode", "async")
    return [
        *(pair(f"serve-sync-{p}", f"ResNet-50 over {p}, one engine thread, batch 1, sync", 0.97, p, *alone)
          for p in ("http", "grpc")),
        *(pair(f"serve-async-{p}", f"ResNet-50 over {p}, all cores, batch 8, async", 0.95, p, *many, batch=8)
          for p in ("http", "grpc")),
        Row("serve-files", "files to answers, JPEG payload over http, async", "in-process", Goal(0.97),
            partial(images_per_s, "http", "--mode", "async", "--payload", "jpeg"),
            partial(images_per_s, "in-process", "--mode", "async")),
        Row("serve-memory", "peak memory of client and server over grpc, batch 1, async", "sync",
            Goal(1.5, at_least=False), partial(peak_bytes, "async"), partial(peak_bytes, "sync"), rounds=7),
        Row("serve-memory-unbounded", "the same with 500 requests at once: what a bound saves", "sync", Goal(1.5),
            partial(peak_bytes, "async", "--depth", -1, count=500), partial(peak_bytes, "sync", count=500), rounds=7),
        Row("serve-start", "server start to ready less the same model's load, compile, first inference", "",
            Goal(50, at_least=False), lambda: start_ms() - compile_ms(), unit="ms", rounds=7),
    ]
