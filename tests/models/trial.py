"""A model in all its trials, and what is to be said of each."""

import re
from dataclasses import dataclass, field

import verbs
from comparison import difference, difference_of_summaries
from inputs import engines_of, make_inputs
from packages import fetch

RIGHT = "right"


@dataclass
class Result:
    model: object
    bytes: int = 0
    inputs: str = ""  # "f32 1x3x224x224"
    alone: dict = field(default_factory=dict)  # engine -> "right", or what it says or gives instead of the reference's
    outcome: dict = field(default_factory=dict)  # (verb, engine) -> "right", or a sentence

    def is_right(self, verb):
        """By one engine or the other."""
        return any(each == RIGHT for (tried, _), each in self.outcome.items() if tried == verb)

    def wrongs(self):
        """(verb, engine, sentence) where neph gives answers that the engine alone does not."""
        return [
            (verb, engine, sentence)
            for (verb, engine), sentence in self.outcome.items()
            if sentence.startswith("wrong") and self.alone.get(engine) == RIGHT
        ]


def tried(program, model, cache, asked):
    """Raises packages.NotFetched."""
    file = fetch(model, cache)
    engines = engines_of(model.kind)
    reference_engine = engines[0](file)
    given = make_inputs(model, reference_engine.inputs)
    reference = reference_engine.answers(given)
    shown = ", ".join(f"{array.dtype} {'x'.join(map(str, array.shape)) or 'scalar'}" for array in given.values())
    result = Result(model, file.stat().st_size, shown)
    for engine in engines:
        result.alone[engine.name] = alone(engine, file, given, reference)
        if "infer" in asked:
            result.outcome["infer", engine.name] = judged(
                lambda: verbs.inferred(program, model, file, engine.name, given), reference, difference_of_summaries
            )
            result.outcome["generated", engine.name] = judged(
                lambda: verbs.inferred_as_shipped(program, file, engine.name), None, lambda *_: ""
            )
        if "serve" in asked:
            result.outcome["serve", engine.name] = judged(lambda: verbs.served(program, file, engine.name, given), reference)
    if "net" in asked and model.kind == "onnx":
        result.outcome["net", ""] = described(program, file, given, reference)
    return result


def alone(engine, file, given, reference):
    try:
        return judged(lambda: engine(file).answers(given), reference)
    except Exception as error:  # whatever a library raises
        return f"refused: {said(error)}"


def judged(answer, reference, compared=difference):
    try:
        different = compared(answer(), reference)
    except verbs.Refused as error:
        return f"refused: {said(error)}"
    except AssertionError as error:
        return f"wrong: {said(error)}"
    return f"wrong: {different}" if different else RIGHT


def said(error):
    """Its last line, without the folders of files."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return re.sub(r"/[^ :]*/", "", lines[-1]).removeprefix("neph: ")


def described(program, file, given, reference):
    """Whether `neph net` reads it, and is right where it knows a shape."""
    try:
        told = verbs.described(program, file)
    except verbs.Refused as error:
        return f"refused: {said(error)}"
    same_inputs = all(fits(port["shape"], given[port["name"]].shape) for port in told["inputs"] if port["name"] in given)
    for port in told["outputs"]:
        found, wanted = port["shape"], reference[port["name"]].shape
        if not fits(found, wanted) and (same_inputs or len(found) != len(wanted)):
            return f"wrong: output '{port['name']}' has the shape {found} instead of {list(wanted)}"
    return RIGHT


def fits(shape, known):
    """-1: not known."""
    return len(shape) == len(known) and all(size in (-1, true) for size, true in zip(shape, known))
