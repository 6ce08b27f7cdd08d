"""Holds the sources to docs/layers.txt and to the rules that a program can check.

The rules are one function, `broken_rules`, from a tree to a list of complaints. The first test applies it to this
repository; the others apply it to small trees that each break one rule, so that the test itself is tested.
"""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
LONGEST_FILE = 400  # lines; beyond that a file holds more than one idea
BANNED_WORDS = {"manager", "helper", "helpers", "util", "utils", "impl", "common", "misc"}
CODE = {".cpp", ".hpp", ".py", ".sh"}
VOCABULARY = {"core", "os", "record"}  # modules of many small headers, all of them public

INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<target>"[^"]+"|<[^>]+>)', re.MULTILINE)
TYPE_NAME = re.compile(r"\b(?:class|struct|enum class|concept)\s+(?:\[\[\w+\]\]\s*)?(\w+)")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def read_layers(text):
    """docs/layers.txt as ({module: modules it may include}, {start of an include: the only modules that may have it}).

    A module all of whose headers are open to another has a slash behind its name there.
    """
    modules, libraries = {}, {}
    for line in text.splitlines():
        name, colon, allowed = line.partition("#")[0].partition(":")
        if colon:
            table = libraries if name.startswith("<") else modules
            table[name.strip()] = allowed.split()
    return modules, libraries


def module_of(path, modules):
    """The module that a path below src/ lies in: the deepest folder that has a line of its own; None if none has."""
    parents = [parent.as_posix() for parent in Path(path).parents]
    return next((folder for folder in parents if folder in modules), None)


def whole_of(module, modules):
    """The module that includes `module` as a part of it, or `module` itself."""
    around = Path(module).parent.as_posix()
    return around if f"{module}/" in modules.get(around, []) else module


def is_public(header, module, of_tests):
    """Whether files of other modules may include `header` of `module`; between tests, what tests share is open too."""
    return module in VOCABULARY or header == f"{module}/{Path(module).name}.hpp" or (of_tests and header.endswith("_test.hpp"))


def cycle_in(modules):
    """Some modules that may include each other in a ring, or None. A module is removed once all it uses are removed.

    A part of a module counts as that module to those that it may include, since the two may include each other.
    """
    left = {}
    for module, uses in modules.items():
        whole = whole_of(module, modules)
        left.setdefault(whole, set()).update(whole_of(used.rstrip("/"), modules) for used in uses)
        left[whole].discard(whole)
    while True:
        free = [module for module, uses in left.items() if not uses & left.keys()]
        if not free:
            return sorted(left) or None
        for module in free:
            del left[module]


def broken_includes(file, text, modules, libraries):
    module = module_of(file, modules)
    if module is None:
        yield f"src/{file}: lies in a module that docs/layers.txt does not know"
        return
    for match in INCLUDE.finditer(text):
        target, header = match["target"], match["target"][1:-1]
        line = f"src/{file}:{text.count(chr(10), 0, match.start('target')) + 1}"
        for library, owners in libraries.items():
            if f"<{header}>".startswith(library) and module not in owners:
                yield f"{line}: {target} may be included only by {', '.join(owners)}"
        other = module_of(header, modules)
        if other is None:
            if target.startswith('"'):
                yield f"{line}: {target} names no module; write the path from src/"
        elif other != module:
            if f"{other}/" in modules[module]:
                continue
            if other not in modules[module]:
                yield f"{line}: {module} may not include {other} ({target})"
            elif not is_public(header, other, of_tests=file.endswith("_test.cpp")):
                yield f"{line}: {target} is no public header of {other}"


def broken_names(file, text):
    words = set(Path(file).stem.split("_"))
    if file.endswith("pp"):
        words |= {word.lower() for name in TYPE_NAME.findall(text) for word in WORD.findall(name)}
    for word in sorted(words & BANNED_WORDS):
        yield f"{file}: '{word}' says nothing; name the thing"


def broken_rules(root):
    """Every complaint about the tree at `root`, one line each; empty when all rules hold."""
    modules, libraries = read_layers((root / "docs/layers.txt").read_text())
    complaints = []
    if ring := cycle_in(modules):
        complaints.append(f"docs/layers.txt: these modules form a ring: {', '.join(ring)}")
    used = {other.rstrip("/") for allowed in modules.values() for other in allowed}
    for module in sorted(used - modules.keys()):
        complaints.append(f"docs/layers.txt: '{module}' is used but has no line")
    closed = {other for allowed in modules.values() for other in allowed if not other.endswith("/")}
    for module in sorted(closed & modules.keys() - VOCABULARY):
        if not (root / "src" / module / f"{Path(module).name}.hpp").is_file():
            complaints.append(f"src/{module}: has no public header {Path(module).name}.hpp")

    for folder in ("src", "tests", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in CODE or not path.is_file():
                continue
            text, file = path.read_text(), path.relative_to(root).as_posix()
            if (lines := text.count("\n")) > LONGEST_FILE:
                complaints.append(f"{file}: {lines} lines; at most {LONGEST_FILE}")
            complaints += broken_names(file, text)
            if folder == "src" and path.suffix in {".cpp", ".hpp"}:
                complaints += broken_includes(path.relative_to(root / "src").as_posix(), text, modules, libraries)
    return complaints


def test_this_repository_keeps_the_rules():
    complaints = broken_rules(REPOSITORY)
    assert not complaints, "\n".join(complaints)


GOOD_TREE = {
    "docs/layers.txt": "core:\nengine: core\nengine/fast: core engine\nengine/part: engine/\nrun: core engine run/part/\nrun/part: run/\n"
    "<sqlite3.h>: engine\n",
    "src/core/result.hpp": "#include <string>\n",
    "src/engine/engine.hpp": '#include "core/result.hpp"\n',
    "src/engine/plugin.hpp": "#include <sqlite3.h>\n",
    "src/engine/fast/fast.cpp": '#include "engine/engine.hpp"\n',
    "src/engine/part/part.cpp": '#include "engine/plugin.hpp"\n',
    "src/run/part/part.hpp": '#include "run/shared.hpp"\n',
    "src/run/run_test.cpp": '#include "engine/scratch_test.hpp"\n',
    "src/run/run.cpp": '#include "core/result.hpp"\n#include "engine/engine.hpp"\n#include "run/part/part.hpp"\n',
}


def plant(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_a_good_tree_has_no_complaint(tmp_path):
    assert broken_rules(plant(tmp_path, GOOD_TREE)) == []


@pytest.mark.parametrize(
    "file, text, complaint",
    [
        ("src/engine/a.cpp", '#include "run/run.hpp"\n', "src/engine/a.cpp:1: engine may not include run"),
        ("src/run/a.cpp", "\n#include <engine/plugin.hpp>\n", "src/run/a.cpp:2: <engine/plugin.hpp> is no public header"),
        ("src/run/a.cpp", '  #  include "engine/fast/fast.hpp"\n', "run may not include engine/fast"),
        ("src/engine/fast/a.cpp", '#include "engine/plugin.hpp"\n', "is no public header of engine"),
        ("src/run/a.cpp", '#include "engine/scratch_test.hpp"\n', "is no public header of engine"),
        ("src/run/a.cpp", "#include <sqlite3.h>\n", "<sqlite3.h> may be included only by engine"),
        ("src/run/a.cpp", '#include "run.hpp"\n', '"run.hpp" names no module'),
        ("src/attic/a.cpp", "\n", "src/attic/a.cpp: lies in a module that docs/layers.txt does not know"),
        ("docs/layers.txt", "core:\nengine: core run\nrun: engine\n", "form a ring: engine, run"),
        ("docs/layers.txt", "core:\nengine: run\nrun: engine/\n", "form a ring: engine, run"),
        ("docs/layers.txt", GOOD_TREE["docs/layers.txt"] + "web: core run\n", "src/run: has no public header run.hpp"),
        ("docs/layers.txt", GOOD_TREE["docs/layers.txt"] + "web: attic\n", "'attic' is used but has no line"),
        ("docs/layers.txt", "core:\na: core a/part/\na/part: core a/ b\nb: core a\n", "form a ring: a, b"),
        ("src/run/long.cpp", "\n" * 401, "src/run/long.cpp: 401 lines; at most 400"),
        ("src/run/run_util.cpp", "\n", "src/run/run_util.cpp: 'util' says nothing"),
        ("src/run/a.hpp", "class RunManager;\n", "src/run/a.hpp: 'manager' says nothing"),
    ],
)
def test_a_broken_rule_is_found(tmp_path, file, text, complaint):
    complaints = broken_rules(plant(tmp_path, GOOD_TREE | {file: text}))
    assert any(complaint in line for line in complaints), complaints
