"""TLS between `neph serve` and the clients of others, with certificates that are right and ones that are not."""

import json
import subprocess

import numpy
import pytest
import tritonclient.grpc
from bystander import BODY
from raw_http import connect, post

NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


class Authority:
    """A certificate authority of the test's own: `pair = authority.certify("server", "IP:127.0.0.1")`."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.openssl("req", "-x509", *NEW_KEY, "-days", 2, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
        self.file = folder / f"{name}.pem"

    def certify(self, name, address="IP:127.0.0.1", days=2):
        """The options that name the certificate and its key."""
        self.openssl("req", *NEW_KEY, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
        (self.folder / f"{name}.ext").write_text(f"subjectAltName={address}\n")
        self.openssl(
            "x509", "-req", "-in", f"{name}.csr", "-CA", f"{self.name}.pem", "-CAkey", f"{self.name}.key", "-CAcreateserial",
            "-days", days, "-extfile", f"{name}.ext", "-out", f"{name}.pem",
        )
        return ["--certificate", self.folder / f"{name}.pem", "--key", self.folder / f"{name}.key"]

    def openssl(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], cwd=self.folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ours"), "ours")


@pytest.fixture(scope="module")
def strangers(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("strangers"), "strangers")


@pytest.fixture(scope="module")
def secure(serve, repository, ours):
    with serve(repository, *ours.certify("server")) as running:
        yield running


@pytest.fixture(scope="module")
def exclusive(serve, repository, ours):
    """A server for clients whose certificate is from `ours`."""
    with serve(repository, *ours.certify("door"), "--client-ca", ours.file) as running:
        yield running


def curl(served, *arguments):
    """(exit code, body) of one inference over HTTPS."""
    url = f"https://{served.http}/v2/models/identity/infer"
    done = subprocess.run(["curl", "-sS", "-m", "20", *map(str, arguments), "--json", BODY, url], capture_output=True)
    return done.returncode, done.stdout


def is_answer(body):
    return json.loads(body)["outputs"][0]["data"] == list(range(16))


def ask_over_grpc(served, ca, key=None, certificate=None):
    read = lambda file: str(file) if file else None  # noqa: E731
    client = tritonclient.grpc.InferenceServerClient(
        served.grpc, ssl=True, root_certificates=read(ca), private_key=read(key), certificate_chain=read(certificate)
    )
    values = numpy.arange(16, dtype="float32")[None]
    tensor = tritonclient.grpc.InferInput("x", [1, 16], "FP32")
    tensor.set_data_from_numpy(values)
    try:
        return (client.infer("identity", [tensor], client_timeout=10).as_numpy("y") == values).all()
    finally:
        client.close()


def load(neph, served, protocol, *options, code=0):
    address = f"{protocol}s://{getattr(served, protocol)}"
    return neph(
        "load", address, "--model", "identity", "--duration", "0.5s", "--warmup", "0s", "--json", *options, code=code, timeout_s=60
    )


class TestGoodOnes:
    def test_curl(self, secure, ours):
        code, body = curl(secure, "--cacert", ours.file)
        assert code == 0 and is_answer(body)

    @pytest.mark.parametrize("version", ["--tlsv1.2", "--tlsv1.3"])
    def test_versions(self, secure, ours, version):
        code, body = curl(secure, "--cacert", ours.file, version)
        assert code == 0 and is_answer(body)

    def test_old_versions_are_refused(self, secure, ours):
        assert curl(secure, "--cacert", ours.file, "--tls-max", "1.1")[0] != 0

    def test_tritonclient(self, secure, ours):
        assert ask_over_grpc(secure, ours.file)

    @pytest.mark.parametrize("protocol", ["http", "grpc"])
    def test_neph_load(self, neph, secure, ours, protocol):
        (cell,) = json.loads(load(neph, secure, protocol, "--ca", ours.file).stdout)["cells"]
        assert cell["figures"]["requests_answered"]["value"] > 0
        assert cell["figures"]["requests_unavailable"]["value"] == 0


    def test_neph_infer_with_a_token(self, neph, serve, small_model, pictures, ours, tmp_path):
        (tmp_path / "token").write_text("open sesame\n")
        token = ("--token-file", tmp_path / "token")
        with serve(small_model, "--max-batch", 8, *token, *ours.certify("infer")) as served:
            document = neph.json(
                "infer", small_model, "--images", pictures, "--count", 24, "--ca", ours.file, *token, "--repeat", 1,
                "--server", f"grpcs://{served.grpc},https://{served.http}", "--metrics", f"https://{served.metrics}",
            )
        assert [cell["runs_ok"] for cell in document["cells"]] == [1, 1]
        assert len({cell["answers_checksum"] for cell in document["cells"]}) == 1
        for cell in document["cells"]:
            assert cell["telemetry"]["server.memory_resident"]["mean"] > 20e6, "its page of figures wants the token too"
            assert "server_infer" in cell["stages_ms"] and "server_socket" not in cell["stages_ms"]


class TestServersThatAreNotBelieved:
    def test_by_curl(self, secure, strangers, ours):
        assert curl(secure, "--cacert", strangers.file)[0] == 60, "the certificate cannot be authenticated"
        assert curl(secure, "--cacert", ours.file)[0] == 0

    @pytest.mark.parametrize("protocol", ["http", "grpc"])
    def test_by_us(self, neph, secure, strangers, protocol):
        done = load(neph, secure, protocol, "--ca", strangers.file, code=None)
        assert done.returncode != 0
        assert "certificate" in done.stderr.lower()

    @pytest.mark.parametrize("protocol", ["http", "grpc"])
    def test_because_of_their_name(self, neph, serve, repository, ours, protocol):
        with serve(repository, *ours.certify("elsewhere", "DNS:elsewhere.example")) as other:
            assert curl(other, "--cacert", ours.file)[0] != 0
            assert load(neph, other, protocol, "--ca", ours.file, code=None).returncode != 0


    def test_because_their_time_is_over(self, neph, ours, tmp_path):
        """Of somebody else: `neph serve` does not start with such a certificate."""
        _, certificate, _, key = ours.certify("yesterday", days=-1)
        command = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as old:
            where = next(line for line in old.stdout if line.startswith("ACCEPT")).split()[1]
            done = neph("load", f"https://{where}", "--model", "m", "--ca", ours.file, code=None, timeout_s=60)
            old.terminate()
        assert done.returncode != 0
        assert "certificate has expired" in done.stderr


class TestClientsThatAreNotBelieved:
    def test_without_a_certificate(self, neph, exclusive, ours):
        assert curl(exclusive, "--cacert", ours.file)[0] != 0
        assert load(neph, exclusive, "http", "--ca", ours.file, code=None).returncode != 0
        with pytest.raises(tritonclient.grpc.InferenceServerException):
            ask_over_grpc(exclusive, ours.file)

    def test_with_one_of_strangers(self, exclusive, ours, strangers):
        _, certificate, _, key = strangers.certify("stranger")
        assert curl(exclusive, "--cacert", ours.file, "--cert", certificate, "--key", key)[0] != 0
        with pytest.raises(tritonclient.grpc.InferenceServerException):
            ask_over_grpc(exclusive, ours.file, key, certificate)

    def test_and_those_that_are(self, neph, exclusive, ours):
        options = ours.certify("friend")
        _, certificate, _, key = options
        code, body = curl(exclusive, "--cacert", ours.file, "--cert", certificate, "--key", key)
        assert code == 0 and is_answer(body)
        assert ask_over_grpc(exclusive, ours.file, key, certificate)
        for protocol in ("http", "grpc"):
            load(neph, exclusive, protocol, "--ca", ours.file, *options)


def test_words_in_the_clear_end_the_connection(secure, ours):
    for _ in range(20):
        with connect(secure) as stream:
            try:
                stream.sendall(post(body=BODY.encode()))
                assert not stream.recv(4096).startswith(b"HTTP/1.1 200")
            except ConnectionError:
                pass
    assert curl(secure, "--cacert", ours.file)[0] == 0


class TestFilesThatAreWrong:
    def refusal(self, neph, repository, *options):
        ports = [word for name in ("http", "grpc", "metrics") for word in (f"--{name}-port", 0)]
        done = neph("serve", repository, *ports, *options, code=None, timeout_s=30)
        assert done.returncode != 0
        assert done.stdout == ""
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        return done.stderr

    def test_a_key_of_another_certificate(self, neph, repository, ours):
        first, second = ours.certify("first"), ours.certify("second")
        assert "second.key" in self.refusal(neph, repository, *first[:2], *second[2:])

    def test_no_such_file(self, neph, repository, ours):
        certificate = ours.certify("third")
        assert "missing.key" in self.refusal(neph, repository, *certificate[:2], "--key", "missing.key")

    def test_no_certificate(self, neph, repository, ours, tmp_path):
        (tmp_path / "words.pem").write_text("these are words\n")
        assert "words.pem" in self.refusal(neph, repository, "--certificate", "words.pem", *ours.certify("fourth")[2:])
