"""Whether answers are those of a reference."""

from dataclasses import dataclass

import numpy

TOLERANCE = 1e-3  # of the largest value of an output
ABSOLUTE = 1e-5


def difference(answers, reference):
    """A sentence that says what differs; empty: nothing does."""
    if set(answers) != set(reference):
        return f"outputs {sorted(answers)} instead of {sorted(reference)}"
    sentences = (difference_of(name, answers[name], reference[name]) for name in reference)
    return next(filter(None, sentences), "")


def difference_of(name, found, wanted):
    wanted = numpy.asarray(wanted)
    if found.shape != wanted.shape:
        return f"'{name}' has the shape {list(found.shape)} instead of {list(wanted.shape)}"
    if wanted.dtype == object or found.dtype == object:
        return "" if [*map(text, found.ravel())] == [*map(text, wanted.ravel())] else f"'{name}' has other words"
    if found.dtype != wanted.dtype:
        return f"'{name}' is {found.dtype} instead of {wanted.dtype}"
    if wanted.size == 0:
        return ""
    return numbers_apart(name, found.astype("float64"), wanted.astype("float64"))


def numbers_apart(name, found, wanted):
    with numpy.errstate(invalid="ignore"):
        same = (found == wanted) | (numpy.isnan(found) & numpy.isnan(wanted))
        apart = numpy.where(same, 0, numpy.abs(found - wanted))
    finite = wanted[numpy.isfinite(wanted)]
    scale = numpy.abs(finite).max() if finite.size else 0
    worst = apart.max()
    if worst <= ABSOLUTE + TOLERANCE * scale:
        return ""
    return f"'{name}' is off by {worst:.2g} of {scale:.2g}"


def text(word):
    return word.decode() if isinstance(word, bytes) else str(word)


ELEMENTS = {
    "float32": "f32", "float16": "f16", "float64": "f64", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
    "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8", "bool": "boolean", "object": "text",
}  # fmt: skip
MOST_LOOKED_AT = 4096
ODD = 0x9E3779B97F4A7C15  # splits 2^64 by the golden ratio


@dataclass(frozen=True)
class Summary:
    """What `neph infer --answers` keeps of an output: of at most 4096 elements, evenly taken, the mean, the root of the
    mean square, and the sum with signs that the places decide, over the root of their number."""

    type: str
    shape: list
    mean: float
    rms: float
    mark: float


def summary_of(array):
    places = numpy.arange(0, array.size, array.size // MOST_LOOKED_AT + 1, dtype="uint64")
    values = numpy.asarray(array).ravel()[places].astype("float64")
    with numpy.errstate(over="ignore"):
        signs = numpy.where((places * numpy.uint64(ODD)) >> numpy.uint64(63), 1.0, -1.0)
    finite = numpy.isfinite(values)
    values, signs = values[finite], signs[finite]
    count = max(1, values.size)
    rms, mark = (values**2).sum() / count, (signs * values).sum() / count**0.5
    return Summary(ELEMENTS[str(array.dtype)], list(array.shape), values.sum() / count, rms**0.5, mark)


def difference_of_summaries(summaries, reference):
    """As difference(), of what `neph infer` keeps."""
    if isinstance(summaries, list):
        return difference_of_classes(summaries, next(iter(reference.values())))
    if set(summaries) != set(reference):
        return f"outputs {sorted(summaries)} instead of {sorted(reference)}"
    for name, array in reference.items():
        found, wanted = summaries[name], summary_of(numpy.asarray(array))
        if (found.type, found.shape) != (wanted.type, wanted.shape):
            return f"'{name}' is {found.type} {found.shape} instead of {wanted.type} {wanted.shape}"
        values = [numpy.array([each.mean, each.rms, each.mark]) for each in (found, wanted)]
        finite = array[numpy.isfinite(array)] if array.size else array
        scale = numpy.abs(finite.astype("float64")).max() if finite.size else 0
        worst = numpy.abs(values[0] - values[1]).max()
        if not worst <= ABSOLUTE + TOLERANCE * scale:
            return f"'{name}' has a mean, root mean square or mark off by {worst:.2g} of {scale:.2g}"
    return ""


def difference_of_classes(pictures, scores):
    """Classes as good as the reference's best, with their scores. Of equal ones any will do."""
    scores = scores.reshape(len(scores), -1)
    allowed = ABSOLUTE + TOLERANCE * numpy.abs(scores).max()
    for found, row in zip(pictures, scores):
        best = numpy.sort(row)[::-1]
        for (number, score), wanted in zip(found, best):
            if not max(abs(score - wanted), abs(row[number] - wanted)) <= allowed:
                return f"class {number} has the score {score:.4g} where the best has {wanted:.4g}"
    return "" if len(pictures) >= len(scores) else f"answers for {len(pictures)} of {len(scores)} pictures"
