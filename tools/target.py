"""The machine that a build is for: this one, or that of a cross build (cmake --preset aarch64), whose files and packages lie in a
folder of their own (tools/aarch64-sysroot).
"""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

# By the number that ELF has for it: its names in wheels and archives, and in Debian.
ARCHITECTURES = {62: ("x86_64", "amd64"), 183: ("aarch64", "arm64")}


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@dataclass(frozen=True)
class Target:
    architecture: str
    debian_architecture: str
    version: str  # of neph
    strip: str  # the program of this machine that takes symbols out of the target's files
    root: Path  # of the target's files: "/", or the folder of a cross build

    def is_this_machine(self):
        return self.root == Path("/")

    def outside(self, path):
        """The file that the target has at an absolute path."""
        return self.root / str(path).lstrip("/")

    def inside(self, file):
        """The absolute path of a file in the target, through links."""
        return Path("/", file.resolve().relative_to(self.root))

    def needed_libraries(self, file):
        """{name that the loader asks for: the file that it finds}, of all that `file` needs, directly or not."""
        found, missing = by_loader(file) if self.is_this_machine() else self.by_headers(file)
        if missing:
            raise SystemExit(f"{file} needs {', '.join(missing)}, which {self.root} does not have")
        return found

    def by_headers(self, file):
        """What the target's loader would find, which does not run here."""
        usual = [self.root / top / f"{self.architecture}-linux-gnu" for top in ("lib", "usr/lib")]
        found, missing, unread = {}, [], [file]
        while unread:
            names, own = asked_for(unread.pop())
            for name in names:
                place = next((folder / name for folder in [*own, *usual] if (folder / name).exists()), None)
                if place is None:
                    missing.append(name)
                elif name not in found:
                    found[name] = place
                    unread.append(place)
        return found, missing

    def ask_dpkg(self, *words):
        """What dpkg-query says of the target's packages; nothing of those that it does not have."""
        command = ["dpkg-query", f"--admindir={self.outside('/var/lib/dpkg')}", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def check_tools(self):
        for program in ("ldd", "readelf", "dpkg-query", "cmake", self.strip):
            if shutil.which(program) is None:
                raise SystemExit(f"there is no {program} here; a copy for others is made on Debian, with what ./dev wheel installs")


def target_of(build):
    """Of a folder that CMake configured and built."""
    settings = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE))
    number = int.from_bytes((build / "bin/neph").read_bytes()[18:20], "little")
    return Target(*ARCHITECTURES[number], version=settings["CMAKE_PROJECT_VERSION"], strip=settings["CMAKE_STRIP"],
                  root=Path(settings.get("NEPH_SYSROOT", "/")).resolve())


def interpreter(program):
    """The path of the loader that a program asks the kernel for."""
    return re.search(r"interpreter: (.+)\]", output_of("readelf", "--program-headers", "--wide", program))[1]


def by_loader(file):
    """What this machine's loader finds, by name, and what it misses."""
    out = output_of("ldd", file)
    found = {name: Path(place) for name, place in re.findall(r"^\s*(\S+) => (/.*) \(0x\w+\)$", out, re.MULTILINE)}
    return found, re.findall(r"^\s*(\S+) => not found", out, re.MULTILINE)


def asked_for(file):
    """Names of the libraries that a file's headers list, and the folders of its own in which they are looked for."""
    headers = output_of("readelf", "--dynamic", "--wide", file)
    paths = ":".join(re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.+)\]", headers))
    return (re.findall(r"\(NEEDED\).*\[(.+)\]", headers),
            [Path(folder.replace("$ORIGIN", str(file.parent))) for folder in paths.split(":") if folder])
