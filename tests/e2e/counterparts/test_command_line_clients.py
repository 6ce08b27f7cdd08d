"""curl, grpcurl, wrk and h2load against `neph serve`: other people's HTTP and HTTP/2 from the outside."""

import base64
import json
import re
import struct
import subprocess

import numpy
import pytest
from counterparts.triton_clients import floats

INFER = "/v2/models/identity/infer"
ONE_ROW = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 16], "data": list(range(16))}]}


def run(*command, code=0, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, timeout=60, **options)
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def curl(*arguments, **options):
    """The reply's status and body."""
    out = run("curl", "--silent", "--show-error", "--max-time", "30", "--write-out", "\n%{http_code}", *arguments, **options)
    body, _, status = out.rpartition(b"\n")
    return int(status), body


class TestCurl:
    @pytest.mark.parametrize("version", ["--http1.1", "--http1.0"])
    def test_health(self, served, version):
        for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/identity/ready"):
            assert curl(version, served.url + path)[0] == 200

    def test_metadata_is_json(self, served):
        status, body = curl(served.url + "/v2")
        assert status == 200
        assert json.loads(body)["name"] == "neph"

    @pytest.mark.parametrize("how", [[], ["--http1.0"], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"]])
    def test_numbers_in_json(self, served, how):
        status, body = curl(*how, "--json", json.dumps(ONE_ROW), served.url + INFER)
        assert status == 200
        (y,) = json.loads(body)["outputs"]
        assert (y["name"], y["datatype"], y["shape"], y["data"]) == ("y", "FP32", [1, 16], list(range(16)))

    def test_bytes_behind_json(self, served, tmp_path):
        values = floats(64)
        head = json.dumps({
            "inputs": [{"name": "x", "datatype": "FP32", "shape": [64, 16], "parameters": {"binary_data_size": values.nbytes}}],
            "outputs": [{"name": "y", "parameters": {"binary_data": True}}],
        }).encode()
        (tmp_path / "request").write_bytes(head + values.tobytes())
        status, body = curl(
            "--data-binary", f"@{tmp_path / 'request'}", "-H", "Content-Type: application/octet-stream",
            "-H", f"Inference-Header-Content-Length: {len(head)}", "-D", tmp_path / "head", served.url + INFER,
        )
        assert status == 200
        length = int(re.search(r"(?i)inference-header-content-length: (\d+)", (tmp_path / "head").read_text())[1])
        assert json.loads(body[:length])["outputs"][0]["name"] == "y"
        assert body[length:] == values.tobytes()

    def test_nothing_but_bytes(self, served, tmp_path):
        values = floats(2)
        (tmp_path / "request").write_bytes(values.tobytes())
        status, body = curl(
            "--data-binary", f"@{tmp_path / 'request'}", "-H", "Inference-Header-Content-Length: 0", served.url + INFER
        )
        assert status == 200, body
        assert values.tobytes() in body or json.loads(body)["outputs"][0]["shape"] == [2, 16]

    def test_a_large_body_after_100_continue(self, served, tmp_path):
        """A picture of 602,112 bytes; curl asks before it sends so much."""
        picture = numpy.random.default_rng(3).normal(size=(2, 3, 224, 224)).astype("float32")
        head = json.dumps({"inputs": [{
            "name": "picture", "datatype": "FP32", "shape": list(picture.shape),
            "parameters": {"binary_data_size": picture.nbytes},
        }], "parameters": {"binary_data_output": True}}).encode()
        (tmp_path / "request").write_bytes(head + picture.tobytes())
        status, body = curl(
            "--data-binary", f"@{tmp_path / 'request'}", "-H", f"Inference-Header-Content-Length: {len(head)}",
            "-v", "--stderr", tmp_path / "talk", served.url + "/v2/models/picture/infer",
        )
        assert status == 200
        assert b"100 Continue" in (tmp_path / "talk").read_bytes()
        assert body.endswith(picture.reshape(2, -1)[:, :1000].tobytes())

    def test_compressed_both_ways(self, served, tmp_path):
        many = {"inputs": [ONE_ROW["inputs"][0] | {"shape": [64, 16], "data": list(range(1024))}]}
        (tmp_path / "request").write_text(json.dumps(many))
        run("gzip", tmp_path / "request")
        status, body = curl(
            "--compressed", "--data-binary", f"@{tmp_path / 'request.gz'}", "-H", "Content-Encoding: gzip",
            "-H", "Content-Type: application/json", "-D", tmp_path / "head", served.url + INFER,
        )
        assert status == 200
        assert json.loads(body)["outputs"][0]["data"] == list(range(1024))
        assert re.search("(?i)content-encoding: (gzip|deflate)", (tmp_path / "head").read_text())

    def test_one_connection_carries_many_requests(self, served):
        urls = [served.url + "/v2/health/live"] * 20
        talk = subprocess.run(["curl", "-sv", *urls], capture_output=True, text=True, timeout=30).stderr
        assert talk.count("Re-using existing connection") == 19

    @pytest.mark.parametrize(
        "path, arguments, expected",
        [
            ("/v2/models/nobody/infer", ["--json", json.dumps(ONE_ROW)], 404),
            ("/v2/nowhere", [], 404),
            (INFER, ["--json", "{"], 400),
            (INFER, ["--json", "{}"], 400),
            (INFER, [], 405),
            ("/v2", ["-X", "DELETE"], 405),
            (INFER, ["--data-binary", "abc", "-H", "Inference-Header-Content-Length: 99"], 400),
            (INFER, ["--data-binary", "abc", "-H", "Content-Encoding: br"], 415),
        ],
    )
    def test_mistakes_are_said(self, served, path, arguments, expected):
        status, body = curl(*arguments, served.url + path)
        assert status == expected, body
        assert json.loads(body)["error"]

    def test_metrics(self, served):
        curl("--json", json.dumps(ONE_ROW), served.url + INFER)
        for url in (served.metrics_url, served.url + "/metrics"):
            status, body = curl(url)
            assert status == 200
            assert re.search(rb'nv_inference_request_success\{[^}]*model="identity"[^}]*\} [1-9]', body)
            assert re.search(rb"process_cpu_seconds_total [0-9.]+", body)


class TestGrpcurl:
    @pytest.fixture
    def call(self, served, grpcurl):
        def call(method, data=None, code=0):
            arguments = ["-d", json.dumps(data)] if data is not None else []
            out = run(grpcurl, "-plaintext", *arguments, served.grpc, method, code=code)
            return json.loads(out) if code == 0 else out

        return call

    def test_reflection_lists_and_describes(self, served, grpcurl):
        services = run(grpcurl, "-plaintext", served.grpc, "list").decode().split()
        assert {"inference.GRPCInferenceService", "grpc.health.v1.Health"} <= set(services)
        about = run(grpcurl, "-plaintext", served.grpc, "describe", "inference.GRPCInferenceService.ModelInfer").decode()
        assert "rpc ModelInfer ( .inference.ModelInferRequest ) returns ( .inference.ModelInferResponse )" in about

    def test_health(self, call):
        assert call("inference.GRPCInferenceService/ServerReady", {}) == {"ready": True}
        assert call("grpc.health.v1.Health/Check", {}) == {"status": "SERVING"}
        assert call("grpc.health.v1.Health/Check", {"service": "identity"}) == {"status": "SERVING"}

    def test_inference_with_typed_contents(self, call):
        request = {"model_name": "identity", "inputs": [
            {"name": "x", "datatype": "FP32", "shape": [1, 16], "contents": {"fp32_contents": list(range(16))}}
        ]}
        reply = call("inference.GRPCInferenceService/ModelInfer", request)
        raw = base64.b64decode(reply["raw_output_contents"][0])
        assert struct.unpack("<16f", raw) == tuple(range(16))

    def test_mistakes_have_their_status(self, served, grpcurl):
        done = subprocess.run(
            [grpcurl, "-plaintext", "-d", '{"name": "nobody"}', served.grpc, "inference.GRPCInferenceService/ModelMetadata"],
            capture_output=True, text=True, timeout=30,
        )
        assert done.returncode == 64 + 5, "NOT_FOUND"
        assert "nobody" in done.stderr


class TestWrk:
    def test_reads(self, served):
        out = run("wrk", "-t1", "-c8", "-d2s", served.url + "/v2/health/ready").decode()
        assert "Non-2xx" not in out and "Socket errors" not in out, out
        assert float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]) > 100

    def test_inferences(self, served, tmp_path):
        script = tmp_path / "infer.lua"
        script.write_text(
            'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
            f"wrk.body = [[{json.dumps(ONE_ROW)}]]\n"
        )
        out = run("wrk", "-t2", "-c64", "-d3s", "-s", script, served.url + INFER).decode()
        assert "Non-2xx" not in out and "Socket errors" not in out, out


def grpc_frame(message):
    return b"\0" + struct.pack(">I", len(message)) + message


def varint_field(number, payload):
    return bytes([number << 3 | 2, len(payload)]) + payload


class TestH2load:
    def counts(self, out):
        found = re.search(r"requests: (\d+) total, .* (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", out)
        return tuple(map(int, found.groups()))

    @pytest.mark.parametrize("streams", [1, 64])
    def test_http2_streams_side_by_side(self, served, tmp_path, streams):
        """ModelInfer as gRPC clients frame it, from a client that is none."""
        tensor = varint_field(1, b"x") + varint_field(2, b"FP32") + varint_field(3, bytes([1, 16]))
        message = varint_field(1, b"identity") + varint_field(5, tensor) + varint_field(7, floats(1).tobytes())
        (tmp_path / "frame").write_bytes(grpc_frame(message))
        out = run(
            "h2load", "-n", 5000, "-c", 2, "-m", streams, "-d", tmp_path / "frame", "-H", "content-type: application/grpc",
            "-H", "te: trailers", f"http://{served.grpc}/inference.GRPCInferenceService/ModelInfer",
        ).decode()
        assert self.counts(out) == (5000, 5000, 0, 0, 0), out

    def test_http1_connections(self, served, tmp_path):
        (tmp_path / "body").write_text(json.dumps(ONE_ROW))
        out = run("h2load", "--h1", "-n", 5000, "-c", 32, "-d", tmp_path / "body", served.url + INFER).decode()
        assert self.counts(out) == (5000, 5000, 0, 0, 0), out
        assert "status codes: 5000 2xx" in out
