"""What users of other tools type: answered with the word that does it here."""

import re

import pytest

WORDS = {
    "load": """
        -m -b -u --url -i -f -p --measurement-interval --concurrency --concurrency-range=1:8 --request-rate
        --request-rate-range --request-distribution --request-intervals --request-count --max-threads --input-data -l
        --latency_threshold -c --connections -n -q -R -z --qps --target-qps --target-latency --min-duration --min-query-count
        --samples-per-query
    """,
    "infer": """
        -m -i -d -b -api -hint -niter -nireq -nstreams -nthreads -infer_precision --nireq --niter --onnx=model.onnx --fp16
        --bf16 --int8 --iterations --infStreams --concurrency-range
    """,
    "serve": """
        --model-repository=models --model-store --model-path --model-name --http-address --grpc-address --host --rest_port
        --port --exit-timeout-secs
    """,
}


@pytest.mark.parametrize("verb, word", [(verb, word) for verb, words in WORDS.items() for word in words.split()])
def test_an_option_of_another_tool_is_answered_with_ours(neph, verb, word):
    first = "http://127.0.0.1:1" if verb == "load" else "resnet50"
    said = neph(verb, first, word, "8", code=2).stderr
    assert said.startswith(f"neph: {verb} has no {word.split('=')[0]}: ") and said.count("\n") == 1
    known = neph(verb, "--help").stdout
    for option in re.findall(r" (--[a-z0-9-]+)", said.split(": ", 2)[2]):
        assert f"{option} " in known or f"{option}," in known, "an answer names what there is"


def test_a_time_without_its_unit_is_refused(neph, tmp_path):
    assert "--stop-limit 5: a time needs its unit: 5ms, 5s" in neph("serve", "resnet50", "--stop-limit", 5, code=2).stderr
    assert "--request-timeout 2: a time needs its unit" in neph("infer", "resnet50", "--request-timeout", "1s,2", code=2).stderr
    (tmp_path / "x.toml").write_text('[load]\nurl = "http://127.0.0.1:1"\nmodel = "m"\nwarmup = 0.1\n')
    assert "warmup 0.1: a time needs its unit: 0.1ms, 0.1s" in neph("run", tmp_path / "x.toml", code=2).stderr


def test_a_precision_by_its_other_name_is_the_same_precision(neph, tmp_path):
    assert "f32 is given twice" in neph("infer", "resnet50", "--images", tmp_path, "--precision", "fp32,f32", code=2).stderr


def test_an_option_is_taken_by_the_name_that_it_had_before_and_not_shown_by_it(neph):
    shown = neph("load", "http://127.0.0.1:1", "--model", "m", "--find-rate", code=2).stderr
    assert "--find-max-rate needs" in shown
    asked = neph("load", "http://127.0.0.1:1", "--model", "m", "--deadline", "3", code=2).stderr
    assert "--request-timeout 3: a time needs its unit" in asked
    assert not re.search("--(deadline|narrow|find-rate) ", neph("load", "--help").stdout)
