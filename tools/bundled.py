"""What a copy of neph for any Linux of an architecture is made of: tools/bundle packs it as an archive, tools/wheel as a wheel.

    bin/neph             the launcher (src/bundle), which chooses the C library
    lib/neph             the program, its plugins, what pip calls their runtimes, the hashes of the parts
    lib/neph/lib         their libraries
    lib/neph/glibc       the C library that is taken where the host's is older
    licences, LICENSE    of all that
"""

import re
import subprocess
from pathlib import Path

from staging import LIBRARIES, parts, staged
from target import interpreter, target_of

REPOSITORY = Path(__file__).resolve().parent.parent
C_LIBRARY = "lib/neph/glibc"
COMMON_LICENCES = Path("/usr/share/common-licenses")


def packages_of(target, files):
    """{file: the Debian package that it is of}. dpkg knows a file by the path that it was unpacked to: /lib or /usr/lib."""
    spellings = {}
    for file in files:
        whole = str(target.inside(file))
        spellings |= {whole: file, whole.removeprefix("/usr"): file}
    found = target.ask_dpkg("--search", *spellings)
    packages = {spellings[path]: names.partition(":")[0] for names, path in re.findall(r"^(\S+): (/.*)$", found, re.MULTILINE)}
    if strange := [str(file) for file in files if file not in packages]:
        raise SystemExit(f"of no Debian package, so that their licences are not known: {', '.join(strange)}")
    return packages


def c_library(target, program):
    """{name: file} of all of the C library, with the loader: libraries of the host may need parts that ours do not."""
    loader = target.outside(interpreter(program))
    package = f"{packages_of(target, [loader])[loader]}:{target.debian_architecture}"
    files = [target.outside(line) for line in target.ask_dpkg("--listfiles", package).splitlines()]
    found = {file.name: file for file in files if file.parent.name.endswith("-linux-gnu") and ".so." in file.name}
    return found | {loader.name: loader}


def placed(build, with_openvino=False):
    """{path in the copy: file of this machine}, but for the licences."""
    of_c = c_library(target_of(build), build / "bin/neph")
    files = staged(build, with_openvino)
    files = {path: file for path, file in files.items() if Path(path).name not in of_c}
    files |= {f"{C_LIBRARY}/{name}": file for name, file in of_c.items()}
    files["lib/neph/neph"] = files.pop("bin/neph")
    files["bin/neph"] = build / "bin/neph-launcher"
    files |= {f"lib/neph/{file.name}": file for file in (build / "bin/engines").glob("*.pip")
              if not (with_openvino and file.name == "neph-engine-openvino.pip")}
    return files


def libraries(files):
    return [file for path, file in files.items() if path.startswith((LIBRARIES, C_LIBRARY))]


def debian_packages(target, files):
    """Those that the libraries are from, and those whose headers are compiled in."""
    debian = [file for file in libraries(files) if "site-packages" not in file.parts]
    return {*packages_of(target, debian).values(),
            *re.findall(r"^program\s+(\S+-dev)\b", (REPOSITORY / "tools/packages.txt").read_text(), re.MULTILINE)}


def licences(target, files):
    """{path: file}, the texts of all that the copy carries."""
    texts = {f"licences/{name}": target.outside(f"/usr/share/doc/{name}/copyright") for name in debian_packages(target, files)}
    named = {name for text in texts.values() for name in re.findall(rb"common-licenses/([\w.+-]*\w)", text.read_bytes())}
    texts |= {f"licences/common/{name.decode()}": COMMON_LICENCES / name.decode() for name in named}
    if of_pip := [file for file in libraries(files) if "site-packages" in file.parts]:
        folder = of_pip[0].parent.parent.parent
        texts |= {f"licences/openvino/{file.name}": file for file in folder.glob("openvino-*.dist-info/**/*")
                  if re.match("licen[sc]e|copyright|third", file.name, re.IGNORECASE)}
    texts["licences/vega"] = REPOSITORY / "src/report/page/vega_licence.txt"
    return texts | {"LICENSE": REPOSITORY / "LICENSE"}


def without_symbols(target, file, copy):
    """A copy of one of our own without symbols, and without the folders of this machine in which it finds libraries."""
    subprocess.run([target.strip, "--strip-all", "-o", copy, file], check=True)
    script = copy.with_suffix(".cmake")
    script.write_text(f'file(RPATH_REMOVE FILE "{copy}")\n')  # as `cmake --install` does
    subprocess.run(["cmake", "-P", script], check=True, stdout=subprocess.DEVNULL)
    return copy


def finished(files, build, own):
    """The same files, ours as copies in the folder `own` without symbols, with the hashes of the parts."""
    target = target_of(build)
    made = {path: without_symbols(target, file, Path(own) / str(number)) if file.is_relative_to(build) and file.suffix != ".pip" else file
            for number, (path, file) in enumerate(files.items())}
    hashes = Path(own) / "parts.sha256"
    hashes.write_text(parts(build))
    return made | {"lib/neph/parts.sha256": hashes}


def runs(path, file):
    """It is a program or a library: of those the mode says so."""
    return path.endswith("bin/neph") or file.read_bytes()[:4] == b"\x7fELF"
