"""Tries real models of public packages with each engine: `.venv/bin/python tests/models [NAME...]`.

Each model of models.toml is fetched, its hash checked, and run on the same inputs by the engine alone (Python), by
`neph serve` and by `neph infer`, as shipped. Writes what came out to docs/MODELS.md (--document) where all were tried.
"""

import argparse
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "tests/e2e"))

from document import document, line_of  # noqa: E402
from packages import listed  # noqa: E402
from trial import tried  # noqa: E402


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("names", nargs="*", metavar="NAME", help="models of models.toml; none: all")
    options.add_argument("--program", type=Path, default=REPOSITORY / "build/release/bin/neph")
    options.add_argument("--cache", type=Path, default=REPOSITORY / "build/models", help="folder for what is fetched")
    options.add_argument("--verbs", default="serve,infer,net")
    options.add_argument("--document", type=Path, help="Markdown file to write, as docs/MODELS.md")
    asked = options.parse_args()
    models = [model for model in listed() if not asked.names or model.name in asked.names]
    results = []
    for model in models:
        results.append(tried(asked.program, model, asked.cache, asked.verbs.split(",")))
        print(line_of(results[-1]), flush=True)
    if asked.document:
        asked.document.write_text(document(results))


main()
