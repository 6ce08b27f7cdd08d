"""NVIDIA's own client asks `neph serve` what it is and what it did, and tells it what to load."""

import os
import shutil
from pathlib import Path

import numpy
import pytest
import tritonclient.utils.shared_memory as shared_memory
from counterparts.triton_clients import Client, floats
from tritonclient.utils import InferenceServerException


@pytest.fixture(params=["http", "grpc"])
def client(request, served):
    with Client(request.param, served) as made:
        yield made


def test_it_is_alive_and_ready(client):
    assert client.raw.is_server_live()
    assert client.raw.is_server_ready()
    assert client.raw.is_model_ready("identity")
    assert client.raw.is_model_ready("identity", "1")
    assert not client.raw.is_model_ready("identity", "7")
    assert not client.raw.is_model_ready("nobody")


def test_it_says_what_it_is(client):
    about = client.ask("get_server_metadata")
    assert about["name"] == "neph"
    assert {"binary_tensor_data", "statistics", "model_repository", "system_shared_memory"} <= set(about["extensions"])


def test_it_says_what_a_model_is(client):
    about = client.ask("get_model_metadata", "identity")
    assert about["versions"] == ["1"]
    assert about["platform"] == "identity_identity"
    (x,), (y,) = about["inputs"], about["outputs"]
    assert (x["name"], x["datatype"], [int(n) for n in x["shape"]]) == ("x", "FP32", [-1, 16])
    assert (y["name"], y["datatype"], [int(n) for n in y["shape"]]) == ("y", "FP32", [-1, 16])
    config = client.ask("get_model_config", "identity")
    config = config.get("config", config)  # gRPC wraps it
    assert config["name"] == "identity"
    assert config["max_batch_size"] == 64
    assert config["input"][0]["data_type"] == "TYPE_FP32"
    assert [int(n) for n in config["input"][0]["dims"]] == [16]


@pytest.mark.parametrize("call", ["get_model_metadata", "get_model_config", "get_inference_statistics"])
def test_nobody_is_nowhere(client, call):
    with pytest.raises(InferenceServerException, match="nobody"):
        client.ask(call, "nobody")


def test_statistics_count_what_was_asked(serve, repository, client):
    with serve(repository) as fresh, Client(client.protocol, fresh) as own:
        for rows in (1, 1, 4):
            own.infer("identity", floats(rows))
        with pytest.raises(InferenceServerException):
            own.infer("identity", floats(1), name="z")
        (about,) = own.ask("get_inference_statistics", "identity")["model_stats"]
        every = {each["name"] for each in own.ask("get_inference_statistics")["model_stats"]}
    assert int(about["inference_count"]) == 6
    assert int(about["execution_count"]) == 3
    times = about["inference_stats"]
    assert int(times["success"]["count"]) == 3
    assert int(times["fail"]["count"]) == 1
    parts = sum(int(times[part].get("ns", 0)) for part in ("queue", "compute_input", "compute_infer", "compute_output"))
    assert 0 < parts <= int(times["success"]["ns"])
    by_size = {int(each["batch_size"]): int(each["compute_infer"]["count"]) for each in about["batch_stats"]}
    assert by_size == {1: 2, 4: 1}
    assert {"identity", "ten_ms", "every_type"} <= every


def states(client):
    index = client.ask("get_model_repository_index")
    return {model["name"]: model.get("state") for model in (index if isinstance(index, list) else index["models"])}


def test_models_come_and_go(serve, repository, client, tmp_path):
    shutil.copytree(repository / "identity", tmp_path / "models/first")
    with serve(tmp_path / "models") as fresh, Client(client.protocol, fresh) as own:
        assert states(own) == {"first": "READY"}
        with pytest.raises(InferenceServerException, match="second"):
            own.raw.load_model("second")
        shutil.copytree(repository / "identity", tmp_path / "models/second")
        own.raw.load_model("second")
        assert states(own) == {"first": "READY", "second": "READY"}
        numpy.testing.assert_array_equal(own.infer("second", floats(2)), floats(2))
        own.raw.unload_model("first")
        assert states(own)["first"] == "UNAVAILABLE"
        assert not own.raw.is_model_ready("first")
        with pytest.raises(InferenceServerException, match="first"):
            own.infer("first", floats(1))
        with pytest.raises(InferenceServerException, match="'config' of a load is not taken"):
            own.raw.load_model("first", config="{}")
        own.raw.load_model("first")
        numpy.testing.assert_array_equal(own.infer("first", floats(2)), floats(2))


def test_a_newer_version_takes_over(serve, repository, client, tmp_path):
    shutil.copytree(repository / "identity", tmp_path / "models/m")
    with serve(tmp_path / "models") as fresh, Client(client.protocol, fresh) as own:
        shutil.copytree(tmp_path / "models/m/1", tmp_path / "models/m/2")
        own.raw.load_model("m")
        assert own.raw.is_model_ready("m", "2")
        numpy.testing.assert_array_equal(own.infer("m", floats(1), model_version="2"), floats(1))
        with pytest.raises(InferenceServerException, match="version"):
            own.infer("m", floats(1), model_version="1")


def test_several_versions_are_served_side_by_side(serve, repository, client, tmp_path):
    for version in ("1", "2", "3"):
        shutil.copytree(repository / "identity/1", tmp_path / "models/m" / version)
    with serve(tmp_path / "models", "--versions", "2") as fresh, Client(client.protocol, fresh) as own:
        assert own.ask("get_model_metadata", "m")["versions"] == ["2", "3"]
        assert [own.raw.is_model_ready("m", version) for version in ("1", "2", "3")] == [False, True, True]
        for version in ("2", "3", ""):
            numpy.testing.assert_array_equal(own.infer("m", floats(1), model_version=version), floats(1))
        told = own.ask("get_inference_statistics", "m")["model_stats"]
        assert {each["version"]: int(each["inference_count"]) for each in told} == {"2": 1, "3": 2}


def test_a_model_that_breaks_keeps_the_one_that_ran(serve, repository, client, tmp_path):
    shutil.copytree(repository / "identity", tmp_path / "models/m")
    with serve(tmp_path / "models") as fresh, Client(client.protocol, fresh) as own:
        Path(tmp_path / "models/m/1/model.identity").write_text("this is no model")
        with pytest.raises(InferenceServerException, match="model.identity"):
            own.raw.load_model("m")
        numpy.testing.assert_array_equal(own.infer("m", floats(1)), floats(1))


@pytest.fixture
def region():
    """A piece of the system's shared memory of 4 KiB, and its key."""
    key = f"/neph-test-region-{os.getpid()}"
    handle = shared_memory.create_shared_memory_region("region", key, 4096)
    yield handle, key
    shared_memory.destroy_shared_memory_region(handle)


def test_tensors_pass_through_shared_memory(serve, repository, client, region):
    handle, key = region
    values = floats(4)
    with serve(repository, "--shared-memory", "true") as fresh, Client(client.protocol, fresh) as own:
        own.raw.register_system_shared_memory("region", key, 4096)
        status = own.ask("get_system_shared_memory_status")
        assert "region" in str(status) and "4096" in str(status)
        shared_memory.set_shared_memory_region(handle, [values])
        x = own.library.InferInput("x", [4, 16], "FP32")
        x.set_shared_memory("region", values.nbytes)
        y = own.library.InferRequestedOutput("y")
        y.set_shared_memory("region", values.nbytes, offset=2048)
        own.raw.infer("identity", [x], outputs=[y])
        answer = shared_memory.get_contents_as_numpy(handle, "float32", [4, 16], offset=2048)
        numpy.testing.assert_array_equal(answer, values)

        y.set_shared_memory("region", values.nbytes, offset=4000)
        with pytest.raises(InferenceServerException):
            own.raw.infer("identity", [x], outputs=[y])
        own.raw.unregister_system_shared_memory("region")
        with pytest.raises(InferenceServerException, match="region"):
            own.raw.infer("identity", [x])


def test_shared_memory_is_off_unless_allowed(client, region):
    with pytest.raises(InferenceServerException, match="shared.memory"):
        client.raw.register_system_shared_memory("region", region[1], 4096)


def test_a_token_is_asked_for(serve, repository, client, tmp_path):
    (tmp_path / "token").write_text("open sesame\n")
    with serve(repository, "--token-file", tmp_path / "token") as guarded, Client(client.protocol, guarded) as own:
        assert own.raw.is_server_live()
        with pytest.raises(InferenceServerException):
            own.infer("identity", floats(1))
        with pytest.raises(InferenceServerException):
            own.infer("identity", floats(1), headers={"authorization": "Bearer open says me"})
        answer = own.infer("identity", floats(1), headers={"authorization": "Bearer open sesame"})
        numpy.testing.assert_array_equal(answer, floats(1))


def test_what_it_does_not_know_is_refused_and_does_no_harm(client):
    for call in ("get_trace_settings", "get_log_settings", "get_cuda_shared_memory_status"):
        with pytest.raises(InferenceServerException):
            getattr(client.raw, call)()
    assert client.raw.is_server_ready()
