"""What a copy of neph needs on another machine: the program, its plugins, and the shared libraries that a loader finds for them
where they were built for (target.py). tools/image puts them into a container image, tools/bundle into an archive.

It names files and copies none. Paths in a copy: bin/neph, lib/neph/PLUGIN, lib/neph/lib/LIBRARY.
"""

import hashlib
import tarfile
from pathlib import Path

from target import target_of

LIBRARIES = "lib/neph/lib"
# What OpenVINO opens by name where a model needs it: its processor's code, and readers of the formats that neph lists.
OPENVINO_PARTS = ["*_cpu_plugin", "onnx_frontend", "ir_frontend", "tensorflow_frontend", "tensorflow_lite_frontend"]
THREADING_PARTS = ["libtbbbind_2_5.so.3"]  # oneTBB opens it to learn of NUMA nodes and kinds of cores


def openvino_folder(libraries):
    """Where OpenVINO lies, if it is among them."""
    return next((file.parent for name, file in libraries.items() if name.startswith("libopenvino.so")), None)


def parts_of_openvino(folder):
    """The files that it opens by itself, beside its library."""
    names = [f"libopenvino_{part}.so*" for part in OPENVINO_PARTS] + THREADING_PARTS
    return [next(folder.glob(name)) for name in names]


def plugins(build):
    return [build / "bin/neph-wire-grpc.so", *sorted((build / "bin/engines").glob("neph-engine-*.so"))]


def parts(build):
    """The hashes of the program and its plugins, as sha256sum writes them: src/launch/bundle.cpp tells by them whether a copy
    is of its own build."""
    files = {file.relative_to(build).as_posix(): file for file in (build / "bin/neph", *plugins(build))}
    return "".join(f"{hashlib.sha256(files[name].read_bytes()).hexdigest()}  {name}\n" for name in sorted(files))


def staged(build, with_openvino=True):
    """{path in the copy: file of this machine}; the loader itself is not among them."""
    target = target_of(build)
    files = {"bin/neph": build / "bin/neph"} | {f"lib/neph/{file.name}": file for file in plugins(build)}
    programs = list(files.values())
    for file in programs:
        libraries = target.needed_libraries(file)
        if folder := openvino_folder(libraries):
            parts = parts_of_openvino(folder) if with_openvino else []
            programs += [part for part in parts if part not in programs]
            libraries |= {part.name: part for part in parts}
            if not with_openvino:
                libraries = {name: found for name, found in libraries.items() if found.parent != folder}
        files |= {f"{LIBRARIES}/{name}": found for name, found in libraries.items()}
    return files


def entry(path, kind=tarfile.REGTYPE, mode=0o755, size=0):
    """Of an archive that is the same whoever makes it, whenever."""
    info = tarfile.TarInfo(path)
    info.type, info.mode, info.size = kind, mode, size
    return info


def folders_of(paths):
    return sorted({parent.as_posix() for path in paths for parent in Path(path).parents} - {"."})
