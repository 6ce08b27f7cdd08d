"""Text of others that reaches a script of `neph script` is never code there, in no format and no field.

`owned` is a program that leaves a file behind: any text that becomes a command calls it.
"""

import json
import random
import re
import shlex
import shutil
import sqlite3
import subprocess
import tomllib
from contextlib import closing

import pytest
from paths import BUILD
from script_runs import STUDY, RentedMachine, block

FORMATS = ["sh", "sky", "cloud-init"]
# What ends, begins or steers something in sh, YAML, TOML, JSON or on a terminal.
PIECES = [
    "'", '"', "\\", "\\'", "`owned`", "$(owned)", "${IFS}owned", "$HOME", "; owned ;", "& owned &", "| owned |", "&& owned", "\nowned\n",
    "\n  owned\n", "\r\nowned\r\n", "\rowned", "\x85owned", "\u2028owned\u2029", "'\nowned\n'", "\"\nowned\n\"", "')\nowned\n", "\nEND_OF_SCRIPT\nowned\n",
    "\n  END_OF_SCRIPT\n  owned\n", "\nEND_OF_SPEC\n}\nowned\n", "\nEOF\nowned\n", "\n---\n", "\n...\n", "\nrun: |\n  owned\n",
    "\nsetup: owned\n", "\n#: spec\n", "\n#### run.sh\nowned\n", "#", " # ", ": ", " - ", "? ", "%", "%s%n", "!", "!!python/object:", "&a", "*a",
    "{", "}", "[", "]", "{{owned}}", "@", "`", "~", "-", "--", "=", ",", "a", "é", "я", "日本", "😀", " ", "  ", "\t", "\x01", "\x07",
    "\x1b[2J", "\x1b]0;owned\x07", "\x7f", "\x9b2J", "\u202e", "\ufeff", "\uffff", "0", "1", "|", ">", "<", "<<owned", ">owned.txt", "\\x41",
    "\\n", "\\c", "\\0101", "\n\n", "yes", "null", "~/", "../", "((", "$((owned))", "a=owned", "esac", "done", "fi", "}\nowned\n{", ";;"]
NOT_UTF8 = ["\udcff", "\udcc2'", "\udce2\udc80", "\udcf0"]  # as arguments and file names have it


class Texts:
    def __init__(self, seed):
        self.random, self.drawn = random.Random(seed), 0

    def any(self, more=(), longest=7):
        self.drawn += 1
        return "".join(self.random.choice([*PIECES, *more]) for _ in range(self.random.randint(1, longest)))

    def argument(self):
        return self.any(NOT_UTF8)

    def of_address(self):
        """Addresses with control characters are refused."""
        return re.sub(r"[\x00-\x1f\x7f]", "", self.argument())

    def file_name(self):
        return (re.sub(r"[/\x00]", "", self.argument())[:40] or "a").replace("\\", "").strip(".")[:40] or "a"


def quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"


def toml(value):
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


class Sandbox:
    """A folder with experiments of others, and a home where their scripts run."""

    def __init__(self, neph, seed):
        self.neph, self.folder, self.texts = neph, neph.folder, Texts(seed)
        self.home, self.bin, self.canary = (self.folder / name for name in ("home", "bin", "canary"))
        self.bin.mkdir()
        for name in ("owned", "neph", "docker", "podman", "sudo"):
            (self.bin / name).write_text(f'#!/bin/sh\necho "$0 $*" >>"{self.canary}"\n' if name == "owned" else "#!/bin/sh\n:\n")
            (self.bin / name).chmod(0o755)
        neph("train", "--store", "own.db", "--repeat", 1, "--command", "true")

    def stored(self, install):
        """An experiment of a store: keys, values, factors, names of files that its command has."""
        (self.folder / "others.db").unlink(missing_ok=True)
        shutil.copy(self.folder / "own.db", self.folder / "others.db")
        draw, files = self.texts.any, [self.texts.file_name() for _ in range(2)]
        for file in files:
            (self.folder / file.encode(errors="surrogateescape").decode(errors="ignore").strip()).touch()
        command = " ".join(quoted(word) for word in ["true", *files, draw(), draw()])
        spec = {"command": command.encode(errors="replace").decode(), draw(): draw(), draw(): [draw(), 1]}
        factors = [{"name": draw(), "values": [draw(), draw()]}]
        on = "" if install == "bundle" else f"--on {quoted(draw())}"  # places are containers, which need an image
        again = f"neph train {on} --store x -- {quoted(draw())}"
        with closing(sqlite3.connect(self.folder / "others.db")) as store, store:
            store.execute("UPDATE experiment SET spec = ?, factors = ?, command = ?", (json.dumps(spec), json.dumps(factors), again))
        return ["1", "--store", "others.db"]

    def inference(self, _, plain=False):
        model, images = ("model.identity", "pictures") if plain else (self.texts.any(), self.texts.any())
        lines = ["repeat = 1", "[infer]", f"model = {toml(model)}", f"images = {toml(images)}", 'engine = "identity"']
        return self.written("\n".join(lines))

    def training(self, _, plain=False):
        data, save = ("synth", "x.pt") if plain else (self.texts.any(), self.texts.any() + ".pt")
        lines = ["repeat = 1", "[train]", 'model = "mnist-cnn"', f"data = {toml(data)}", f"save = {toml(save)}", "steps = 1"]
        return self.written("\n".join(lines))

    def written(self, text):
        name = self.texts.file_name() + ".toml"
        (self.folder / name).write_text(text)
        return ["./" + name]

    def options(self, form, install):
        """Of everything that a user may have copied from elsewhere."""
        draw, at = self.texts.any, self.texts.of_address
        rule = "r" + draw()
        (self.folder / "rules.toml").write_text("\n".join([f"{key} = {toml(value)}" for key, value in {
            "name": rule, "title": draw(), "note": draw(), "source": draw(), "date": "2026"}.items()] + [
            'bills = ["own"]', "minimum_s = 60", 'release = "poweroff"', "[billed]", "poweroff = false"]) + "\n")
        given = ["--rules", "rules.toml", "--rule", rule, "--budget", "5USD", "--price", "1USD/h"]
        provider = "gcp" if form == "sky" else "own"
        offer = re.sub("[@+:/]", "", at())
        given += ["--offer", f"{provider}/{offer}+{offer or 'a'}:1@{re.sub('[@+:]', '', at())}"]
        results = self.texts.random.choice(["s3://b/x", "scp://h/x", "https://h/x", "rclone://r/x", "/srv/x"]) + at()
        given += ["--results", re.sub(r"""["$&'();<>\\`|]""", "", results) if results.startswith("scp") else results]
        given += ["--data", f"p{re.sub('[:?=]', '', at())}=s3://b/{at()}", "--data", f"q=/{at()}.tar.gz"]
        given += ["--release-command", "x" + self.texts.argument()] if self.texts.random.random() < 0.7 else []
        given += ["--install", install]
        given += ["--image", "i" + self.texts.argument()] if install != "bundle" else []
        given += ["--bundle", f"https://h/{at()}"] if install != "image" else []
        return [*given, "--format", form]

    def made(self, form):
        """A script of that format as it is written, and how it was asked for."""
        kind = self.texts.random.choice([self.stored, self.inference, self.training])
        install = self.texts.random.choice(["bundle", "image", "both"])
        asked = [*kind(install), *self.options(form, install)]
        done = self.run_neph(asked)
        if form == "sky" and "would have a shell read the name" in done.stderr:
            asked = [*kind(install, plain=True), *asked[1:]]
            done = self.run_neph(asked)
        assert done.returncode == 0, (asked, done.stderr)
        return done.stdout, asked

    def run_neph(self, asked):
        command = [self.neph.program, "script", *(word.encode(errors="surrogateescape") for word in asked)]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60)

    def run(self, *command, code=0):
        env = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        assert code is None or done.returncode == code, (command, done.stdout[-2000:], done.stderr[-2000:])
        return done

    def script_in(self, text, form):
        """The file that becomes of it on the machine."""
        if form == "cloud-init":
            return "\n".join(block(text.split("  - path: ")[1], "content")) + "\n"
        if form == "sh":
            return text
        setup = self.folder / "setup.sh"
        setup.write_text("\n".join(block(text, "setup")) + "\n")
        self.run("bash", setup)
        assert block(text, "run") == ["sh ~/neph-script/run.sh"]
        return (self.home / "neph-script/run.sh").read_text()

    def check(self, form, is_linted):
        """No text of others becomes code when that script is looked at, printed, or does its step of measuring."""
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        text, asked = self.made(form)
        assert all(line.isprintable() for line in text.split("\n")), asked
        if form != "sh":
            keys = [key for key in re.findall(r"^(\w.*?):", text, re.MULTILINE) if key != "file_mounts"]
            assert keys == (["name", "resources", "setup", "run"] if form == "sky" else ["write_files"]), asked
        script = self.folder / "run.sh"
        script.write_text(self.script_in(text, form))
        self.run("sh", "-n", script)
        if is_linted and shutil.which("shellcheck"):
            done = self.run("shellcheck", "--shell=sh", script, code=None)
            assert done.returncode == 0, (asked, done.stdout.decode())
        printed = self.run("sh", script, "--dry-run").stdout
        assert all(line.isprintable() for line in printed.decode().split("\n")), asked
        name = shlex.split(re.search(r"^name=(.*)$", script.read_text(), re.MULTILINE)[1])[0]
        kept = self.home / f"neph-{name}"
        (kept / "work").mkdir(parents=True)
        self.run("sh", script, "--step", "learn")
        spec = tomllib.loads((kept / "experiment.toml").read_text())
        if "others.db" in asked:
            with closing(sqlite3.connect(self.folder / "others.db")) as store:
                (stored, factors), = store.execute("SELECT spec, factors FROM experiment")
            wanted = json.loads(stored) | {factor["name"]: factor["values"] for factor in json.loads(factors)}
            assert spec["command"] == wanted
        assert not self.canary.exists(), (asked, self.canary.read_text())
        assert not [folder for folder in (self.folder, self.home, kept / "work") if (folder / "owned.txt").exists()], asked


@pytest.fixture
def sandbox(neph):
    return lambda seed: Sandbox(neph, seed)


class TestTextsOfOthers:
    def test_random_ones_are_no_code_in_any_field_of_any_format(self, sandbox):
        box = sandbox(44)
        while box.texts.drawn < 200:
            is_first = box.texts.drawn == 0
            for form in FORMATS:
                box.check(form, is_linted=is_first)

    @pytest.mark.slow
    def test_five_thousand_are_no_code(self, sandbox):
        box = sandbox(4444)
        while box.texts.drawn < 5000:
            for form in FORMATS:
                box.check(form, is_linted=False)

    def test_a_machine_measures_and_saves_files_with_such_names(self, study, tmp_path):
        model, pictures = "it's $(owned); `owned` \"x\"\\\\c\n#.identity", "${IFS}owned & 'p'\t\\\\n"
        machine = RentedMachine(tmp_path / "machine", BUILD / "bin/neph")
        machine.add("owned", f"#!/bin/sh\ntouch '{tmp_path}/owned'\n")
        shutil.copy(study.folder / "model.identity", machine.folder / model)
        shutil.copytree(study.folder / "pictures", machine.folder / pictures)
        (study.folder / "others.toml").write_text(STUDY.replace('"model.identity"', toml(model)).replace('"pictures"', toml(pictures)))
        saved = tmp_path / "it's `owned` $(owned)"
        machine.script.write_text(study("script", "others.toml", "--offer", "own/here", "--results", saved).stdout)
        try:
            assert "all steps have ended" in machine.run()
        finally:
            machine.clear()
        (run,) = study.json("runs", 1, "--store", saved / "neph.db")
        assert run["status"] == "ok" and not (tmp_path / "owned").exists()

    def test_what_a_failing_script_prints_steers_no_terminal(self, study, tmp_path):
        machine = RentedMachine(tmp_path / "machine", BUILD / "bin/neph")
        lines = ["repeat = 1", "[infer]", f"model = {toml(chr(27) + ']0;owned' + chr(7) + chr(0x9b) + '2J' + chr(0x202e))}", 'engine = "identity"']
        (study.folder / "others.toml").write_text("\n".join(lines))
        machine.script.write_text(study("script", "others.toml", "--offer", "own/here", "--results", tmp_path / "saved").stdout)
        try:
            out = machine.run(code=1, NEPH_HURRY="1")
        finally:
            machine.clear()
        assert "the experiment reads it" in out and all(line.isprintable() for line in out.split("\n")), out
