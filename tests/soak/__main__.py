"""./dev soak [MINUTES]: neph serve under an hour of mixed load, bad clients among it. Its memory must stay flat, its
descriptors must come back, and who does nothing wrong must not notice.

Every reading goes to build/soak/. Exit code 1 if one of the three does not hold.
"""

import argparse
import datetime
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

import identity_repository
from bad_clients import ALL, misbehave
from bystander import Bystander
from flatness import BLOCKS, slope
from picture_files import write_pictures
from paths import BUILD, REPOSITORY
from server_process import serving_neph

MIB = 2**20
MOST_GROWTH_MIB = 4.0  # per hour: what the whole interval must lie below
EVERY_S = 5.0
BAD_CLIENTS = 6
MODELS = identity_repository.MODELS | {"gallery": (identity_repository.PICTURE, ["max_batch = 8", 'payload = "jpeg"'])}


def mix(pictures):
    """(protocol, model, options) of the loads: each again and again, so that connections come and go."""
    return [
        ("http", "identity", ["--rate", "200", "--batch", "1..64*4"]),
        ("grpc", "identity", ["--rate", "200", "--batch", "1..64*4"]),
        ("grpc", "picture", ["--rate", "20"]),
        ("http", "gallery", ["--rate", "20", "--input", pictures]),
        ("http", "ten_ms", ["--clients", "1,16"]),
    ]


def reading(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    field = lambda name: int(status.partition(name + ":")[2].split()[0])  # noqa: E731
    descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return {"rss_bytes": field("VmRSS") * 1024, "descriptors": descriptors, "threads": field("Threads")}


def drive(served, load, stop, counts):
    """`neph load`, again and again."""
    protocol, model, options = load
    with tempfile.TemporaryDirectory() as folder:
        while not stop.is_set():
            command = [BUILD / "bin/neph", "load", f"{protocol}://{getattr(served, protocol)}", "--model", model, *options,
                       "--duration", "10s", "--warmup", "0.5s", "--json"]
            done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                counts["failed: " + done.stderr.strip()[-200:]] += 1
                continue
            counts[f"runs of {protocol} {model}"] += 1
            for cell in json.loads(done.stdout)["cells"]:
                for name in ("requests_answered", "requests_failed", "requests_timed_out", "requests_unavailable"):
                    counts[name] += int(cell["figures"][name]["value"])


def watch(served, seconds, file):
    """Readings for so long, each a line of the file too."""
    readings, begin = [], time.monotonic()
    while (now := time.monotonic() - begin) < seconds:
        readings.append({"s": now} | reading(served.pid))
        print(json.dumps(readings[-1]), file=file, flush=True)
        if sys.stderr.isatty():
            print(f"\r\033[K{now / 60:.1f}/{seconds / 60:.0f} min: {readings[-1]['rss_bytes'] / MIB:.1f} MiB", end="",
                  file=sys.stderr)
        time.sleep(EVERY_S)
    return readings


def soak(served, loads, minutes, seed, file):
    """(readings under load, the reading before and after it, what the loads and the bad clients did)."""
    before = reading(served.pid)
    stop, driven, bad = threading.Event(), Counter(), Counter()
    threads = [threading.Thread(target=drive, args=(served, load, stop, driven)) for load in loads]
    threads += [threading.Thread(target=misbehave, args=(served, stop, seed + n, bad)) for n in range(BAD_CLIENTS)]
    with ExitStack() as block, Bystander(served, patience_s=5):
        block.callback(stop.set)
        for thread in threads:
            thread.start()
            block.callback(thread.join)
        time.sleep(10)  # a backlog now: what is kept of one has a bound, and must not come as a step later
        os.kill(served.pid, signal.SIGSTOP)
        time.sleep(4)  # less than the bystander's patience
        os.kill(served.pid, signal.SIGCONT)
        readings = watch(served, minutes * 60, file)
        stop.set()
        for thread in threads:
            thread.join()
    time.sleep(10)  # the last connections close
    return readings, before, reading(served.pid), {"loads": driven, "bad clients": bad}


def missing(did, loads):
    """Loads that never ended well, and acts that the server never took to their end: they soaked nothing."""
    wanted = {"loads": [f"runs of {protocol} {model}" for protocol, model, _ in loads], "bad clients": [act.__name__ for act in ALL]}
    return [name for who, names in wanted.items() for name in names if did[who][name] == 0]


def judge(readings, before, after, absent):
    """The findings in words, and whether all of them are good."""
    settled = [each for each in readings if each["s"] >= readings[-1]["s"] * 0.1]
    growth = slope([each["s"] for each in settled], [each["rss_bytes"] / MIB for each in settled])
    flat = growth.high <= MOST_GROWTH_MIB
    found = "flat" if flat else "IT GROWS" if growth.low > 0 else "NOT SHOWN TO BE FLAT, run it longer"
    back = after["descriptors"] <= before["descriptors"] + 5 and after["threads"] <= before["threads"] + 5
    words = [
        f"resident memory  {settled[0]['rss_bytes'] / MIB:.1f} to {settled[-1]['rss_bytes'] / MIB:.1f} MiB, slope "
        f"{growth.per_hour:+.2f} MiB/h (95 %: {growth.low:+.2f} to {growth.high:+.2f}): {found}",
        f"descriptors      {before['descriptors']} before, at most {max(each['descriptors'] for each in readings)}, "
        f"{after['descriptors']} after: {'all came back' if back else 'SOME ARE LEFT'}",
        f"threads          {before['threads']} before, {after['threads']} after",
    ]
    words += [f"NEVER WELL       {', '.join(absent)}"] if absent else []
    return words, flat and back and not absent


def main():
    options = argparse.ArgumentParser(prog="./dev soak", description="neph serve under mixed load and bad clients.")
    options.add_argument("minutes", nargs="?", type=float, default=60)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32), help="of the bad clients")
    asked = options.parse_args()
    if asked.minutes * 60 / EVERY_S < 3 * BLOCKS:
        options.error(f"at least {3 * BLOCKS * EVERY_S / 60:.0f} minutes")

    folder = REPOSITORY / "build/soak"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.datetime.now(datetime.timezone.utc):%Y%m%dT%H%M%SZ}.jsonl"
    with tempfile.TemporaryDirectory() as work, open(path, "w") as file:
        print(json.dumps({"minutes": asked.minutes, "seed": asked.seed}), file=file)
        repository = identity_repository.write_repository(Path(work) / "models", MODELS)
        (pictures := Path(work) / "pictures").mkdir()
        loads = mix(write_pictures(pictures))
        with serving_neph(BUILD / "bin/neph", work, repository, "--shared-memory", "on") as served:
            readings, before, after, did = soak(served, loads, asked.minutes, asked.seed, file)
        print(json.dumps(did), file=file)
    words, good = judge(readings, before, after, missing(did, loads))
    print("\n", *words, *(f"{who:<16} {json.dumps(what)}" for who, what in did.items()), f"seed {asked.seed}; every reading: "
          f"{path.relative_to(REPOSITORY)}", sep="\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
