"""What came out, as the tables of docs/MODELS.md and as a line while it runs."""

from comparison import ABSOLUTE, TOLERANCE

COLUMNS = [(verb, engine) for verb in ("infer", "generated", "serve") for engine in ("onnxruntime", "openvino")] + [("net", "")]
NAMES = {
    "infer": "`infer --inputs x.npz`", "generated": "`infer` with generated inputs", "serve": "`serve`", "net": "`net`",
}  # fmt: skip
RIGHT = "right"
BEGIN = f"""# Real models of public packages

Models that ship in packages of PyPI and npm, tried as they are. Inputs are numbers of a fixed seed; the reference is the
engine's own Python package: ONNX Runtime for .onnx, OpenVINO for others.

- `serve`: `neph serve MODEL --engine E`, with no other option, asked once: in JSON over HTTP, large tensors over gRPC.
  **right**: every output has the reference's name, shape and type, and no value is off by more than {TOLERANCE:g} of the
  output's largest plus {ABSOLUTE:g}.
- `infer --inputs x.npz`: `neph infer MODEL --engine E --inputs x.npz --answers answers.csv`, with `--shape` where the file
  leaves dimensions open. **right**: name, type and shape, and the mean, root mean square and mark (a sum with signs that
  the places decide) of at most 4,096 elements of each output are those of the reference, to the same tolerance; of a
  classifier of pictures the five best classes and their scores. A looser check than that of `serve`.
- `infer` with generated inputs: `neph infer MODEL --engine E` (of few inputs, one run). **right**: it ran to its end.
- `net`: `neph net MODEL`. **right**: it reads the file, and the shapes of outputs that it knows are the reference's.

"alone" is what the engine's own Python package does with the same inputs, held to the same reference.

Written by `.venv/bin/python tests/models --document docs/MODELS.md`, which fetches the packages that
`tests/models/models.toml` lists.
"""


def line_of(result):
    cells = [f"{' '.join(column)}: {result.outcome[column]}" for column in COLUMNS if column in result.outcome]
    unlike = [f"{engine} alone: {sentence}" for engine, sentence in result.alone.items() if sentence != RIGHT]
    return f"{result.model.name} ({result.inputs}): " + "; ".join(cells + unlike)


def document(results):
    """The page, as Markdown."""
    outcomes = ["## Each model\n", outcome_table(results), reasons(results)]
    return "\n".join(filter(None, [BEGIN, share_table(results), *outcomes, "## The files\n", file_table(results)]))


def share_table(results):
    rows = [["what", "models", "right"]]
    for verb in ("infer", "generated", "serve"):
        either = [each.is_right(verb) for each in results if tried(each, verb)]
        rows.append([f"{NAMES[verb]}, by one engine or the other", *share(either)])
        for engine in ("onnxruntime", "openvino"):
            rows.append([f"{NAMES[verb]}, `--engine {engine}`", *share(rights(results, verb, engine))])
    rows.append(["`net`, of ONNX files", *share(rights(results, "net", ""))])
    rows.append(["wrong where the engine alone is right", str(len(results)), str(sum(len(each.wrongs()) for each in results))])
    return markdown([row for row in rows if row[1] != "0"])


def rights(results, *column):
    return [each.outcome[column] == RIGHT for each in results if column in each.outcome]


def tried(result, verb):
    return any(each == verb for each, _ in result.outcome)


def share(right):
    return [str(len(right)), f"{sum(right)} ({sum(right) / max(1, len(right)):.1%})"]


def outcome_table(results):
    columns = [column for column in COLUMNS if any(column in each.outcome for each in results)]
    rows = [["model", "inputs", *(f"{NAMES[verb]} {engine}".strip() for verb, engine in columns)]]
    for each in results:
        rows.append([each.model.name, each.inputs, *(word(each.outcome.get(column)) for column in columns)])
    return markdown(rows)


def word(outcome):
    return "–" if outcome is None else outcome.partition(":")[0]


def reasons(results):
    """Why not, of all that is not right."""
    lines = [
        f"- {each.model.name}, {NAMES[verb]} {engine}: {sentence}{beside(each, engine)}".replace(" :", ":")
        for each in results
        for (verb, engine), sentence in each.outcome.items()
        if sentence != RIGHT
    ]
    return "What was not right:\n\n" + "\n".join(lines) + "\n" if lines else ""


def beside(result, engine):
    """What the engine alone does."""
    return f" (alone: {result.alone[engine]})" if engine in result.alone else ""


def file_table(results):
    rows = [["model", "package", "version", "licence", "file", "bytes", "SHA-256"]]
    for each in results:
        model = each.model
        package = f"{model.registry}: {model.package}"
        rows.append([model.name, package, model.version, model.licence, model.path, f"{each.bytes:,}", f"`{model.sha256}`"])
    return markdown(rows)


def markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines) + "\n"
