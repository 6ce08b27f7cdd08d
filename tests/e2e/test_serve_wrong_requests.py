"""Requests that make no sense, to `neph serve`: a clear error to the one who sent it, service to everybody else."""

import gzip
import io
import json
import struct
import zlib

import numpy
import pytest
import tritonclient.grpc
from bystander import Bystander
from PIL import Image
from raw_http import ask, connect, error_of, post, read_reply

FLOATS = {"name": "x", "datatype": "FP32", "shape": [1, 16], "data": [0.5] * 16}


@pytest.fixture(autouse=True)
def others_are_served(served):
    with Bystander(served):
        yield


def inputs(**changes):
    return json.dumps({"inputs": [FLOATS | changes]}).encode()


def binary(tail, **changes):
    """A body with `tail` behind its JSON, and the header that says where it begins."""
    tensor = {key: value for key, value in FLOATS.items() if key != "data"} | changes
    tensor.setdefault("parameters", {"binary_data_size": len(tail)})
    head = json.dumps({"inputs": [tensor]}).encode()
    return head + tail, [f"Inference-Header-Content-Length: {len(head)}"]


WRONG_JSON = {
    "not JSON": (b"hello", "JSON"),
    "JSON cut short": (b'{"inputs": [', "JSON"),
    "another type": (b"[]", ""),
    "nested 10,000 deep": (b'{"extra": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "deep"),
    "no input": (b'{"inputs": []}', "'x' is missing"),
    "a shape that overflows": (inputs(shape=[2**31, 2**31, 2**31]), "shape"),
    "a shape below zero": (inputs(shape=[-1, 16]), "shape"),
    "another rank": (inputs(shape=[16]), "shape"),
    "too few numbers": (inputs(data=[0.5] * 15), "60 bytes of data"),
    "too many numbers": (inputs(data=[0.5] * 17), "68 bytes of data"),
    "words for numbers": (inputs(data=["a"] * 16), "text does not fit FP32"),
    "another element": (inputs(datatype="INT64", data=[1] * 16), "INT64"),
    "an unknown element": (inputs(datatype="FP31"), "FP31"),
    "an unknown input": (inputs(name="z"), "unknown input 'z'"),
    "no rows": (inputs(shape=[0, 16], data=[]), ""),
}


@pytest.mark.parametrize("name", ["a" * 300, "..", "a%2Fb", "%00"], ids=["long", "above", "nested", "null"])
@pytest.mark.parametrize("verb", ["load", "unload"])
def test_names_that_no_folder_has(served, verb, name):
    head = f"POST /v2/repository/models/{name}/{verb} HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n"
    status, _, answer = ask(served, head.encode())
    assert status in (400, 404), answer
    assert error_of(answer)


@pytest.mark.parametrize("coding", ["plain", "chunked", "packed"])
def test_much_where_little_is_wanted(served, coding):
    body = b"[" + b"0," * 2_000_000 + b"0]"
    lines = ["POST /v2/repository/index HTTP/1.1", "Host: here"]
    if coding == "packed":
        body = gzip.compress(body)
        lines.append("Content-Encoding: gzip")
    if coding == "chunked":
        body = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
        lines.append("Transfer-Encoding: chunked")
    else:
        lines.append(f"Content-Length: {len(body)}")
    status, _, answer = ask(served, "\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    assert status in (400, 413), answer
    assert "1048576 bytes" in error_of(answer)


@pytest.mark.parametrize("name", WRONG_JSON)
def test_wrong_json(served, name):
    body, complaint = WRONG_JSON[name]
    status, _, answer = ask(served, post(body=body))
    assert status == 400
    assert complaint in error_of(answer)


ROW_BYTES = numpy.zeros(16, "float32").tobytes()
WRONG_BYTES = {
    "too few bytes": (*binary(ROW_BYTES[:-4]), "60"),
    "too many bytes": (*binary(ROW_BYTES + b"\0\0\0\0"), "68"),
    "fewer than announced": (*binary(ROW_BYTES, parameters={"binary_data_size": 640}), ""),
    "bytes that nobody claims": (*binary(ROW_BYTES, parameters={"binary_data_size": 60}), ""),
    "an announcement below zero": (*binary(ROW_BYTES, parameters={"binary_data_size": -1}), ""),
    "a JSON longer than the body": (b"{}", ["Inference-Header-Content-Length: 99"], ""),
    "a JSON of no number": (b"{}", ["Inference-Header-Content-Length: two"], ""),
    "a JSON beyond all numbers": (b"{}", ["Inference-Header-Content-Length: 99999999999999999999"], ""),
    "raw bytes that are no rows": (b"abc", ["Inference-Header-Content-Length: 0"], "no whole rows"),
}


@pytest.mark.parametrize("name", WRONG_BYTES)
def test_wrong_bytes(served, name):
    body, headers, complaint = WRONG_BYTES[name]
    status, _, answer = ask(served, post(body=body, headers=headers))
    assert status == 400
    assert complaint in error_of(answer)


WRONG_FRAMES = {
    "no HTTP": b"hello\r\n\r\n",
    "TLS where there is none": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64),
    "a length of no number": b"POST /v2/models/identity/infer HTTP/1.1\r\nHost: h\r\nContent-Length: ten\r\n\r\n",
    "two lengths": b"POST /v2/models/identity/infer HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a header of 1 MB": b"GET /v2 HTTP/1.1\r\nHost: h\r\nX: " + b"a" * (1 << 20) + b"\r\n\r\n",
    "a broken chunk": b"POST /v2/models/identity/infer HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n",
}


@pytest.mark.parametrize("name", WRONG_FRAMES)
def test_broken_framing_ends_the_connection(served, name):
    with connect(served) as stream:
        try:
            stream.sendall(WRONG_FRAMES[name])
            status, _, _ = read_reply(stream)
            rest = stream.recv(1)
        except ConnectionResetError:
            status, rest = None, b""  # it need not read to the end what it will not take
    assert status in (None, 400, 413, 431)
    assert rest == b"", "and nothing comes after"


@pytest.fixture(scope="module")
def small(serve, repository):
    """A server that takes no more than 100,000 bytes at once."""
    with serve(repository, "--max-body-bytes", 100_000) as running:
        yield running


class TestLargeBodies:
    def test_a_body_beyond_the_limit(self, small):
        with Bystander(small):
            with connect(small) as stream:
                stream.sendall(post(body=b"", headers=[]).replace(b"Content-Length: 0", b"Content-Length: 100001"))
                status, _, answer = read_reply(stream)
        assert status == 413
        assert "100000" in error_of(answer).replace(",", "")

    @pytest.mark.parametrize("encoding, pack", [("gzip", gzip.compress), ("deflate", zlib.compress)])
    def test_a_body_that_unpacks_beyond_the_limit(self, small, encoding, pack):
        packed = pack(b" " * 50_000_000)
        assert len(packed) < 100_000
        with Bystander(small):
            status, _, answer = ask(small, post(body=packed, headers=[f"Content-Encoding: {encoding}"]))
        assert status in (400, 413)
        assert "100000" in error_of(answer).replace(",", "")

    def test_a_grpc_message_beyond_the_limit(self, small):
        tensor = tritonclient.grpc.InferInput("x", [4096, 16], "FP32")
        tensor.set_data_from_numpy(numpy.zeros((4096, 16), "float32"))
        with Bystander(small):
            with pytest.raises(tritonclient.grpc.InferenceServerException, match="RESOURCE_EXHAUSTED|larger"):
                tritonclient.grpc.InferenceServerClient(small.grpc).infer("identity", [tensor])

    def test_broken_compression(self, small):
        with Bystander(small):
            status, _, answer = ask(small, post(body=b"this is no gzip", headers=["Content-Encoding: gzip"]))
        assert status == 400
        assert error_of(answer)


def jpeg(width, height, quality=50):
    file = io.BytesIO()
    Image.new("RGB", (width, height), (200, 30, 90)).save(file, "JPEG", quality=quality)
    return file.getvalue()


def with_size(picture, width, height):
    """The same file, whose header promises another size."""
    at = picture.index(b"\xff\xc0") + 5
    return picture[:at] + struct.pack(">HH", height, width) + picture[at + 4 :]


@pytest.fixture(scope="module")
def gallery(serve, small_model):
    """A server whose model takes picture files, which it decodes itself."""
    with serve(small_model, "--name", "pictures", "--payload", "jpeg", "--max-batch", 4) as running:
        yield running


class TestPictures:
    def ask(self, gallery, *files):
        client = tritonclient.grpc.InferenceServerClient(gallery.grpc)
        about = client.get_model_metadata("pictures")
        tensor = tritonclient.grpc.InferInput(about.inputs[0].name, [len(files), 1], "BYTES")
        tensor.set_data_from_numpy(numpy.array([[file] for file in files], dtype=object))
        return client.infer("pictures", [tensor], client_timeout=20).as_numpy(about.outputs[0].name)

    def test_good_ones_are_answered(self, gallery):
        assert self.ask(gallery, jpeg(80, 90), jpeg(300, 200)).shape[0] == 2

    @pytest.mark.parametrize(
        "name, file",
        [
            ("a bomb of 65,000 x 65,000", with_size(jpeg(64, 64), 65_000, 65_000)),
            ("cut short", jpeg(200, 200)[:100]),
            ("no picture", b"these are words"),
            ("nothing", b""),
            ("another format", b"GIF89a" + bytes(100)),
        ],
    )
    def test_bad_ones_are_refused_at_once(self, gallery, name, file):
        with pytest.raises(tritonclient.grpc.InferenceServerException):
            self.ask(gallery, file)
        assert self.ask(gallery, jpeg(80, 90)).shape[0] == 1

    def test_one_bad_picture_of_a_batch_names_itself(self, gallery):
        with pytest.raises(tritonclient.grpc.InferenceServerException, match="1"):
            self.ask(gallery, jpeg(80, 90), b"these are words")
