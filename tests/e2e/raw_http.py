"""HTTP by hand, for clients that break its rules."""

import json
import socket


def connect(served, timeout_s=10):
    host, _, port = served.http.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=timeout_s)


def post(model="identity", body=b"", headers=()):
    """The bytes of one inference request."""
    lines = [f"POST /v2/models/{model}/infer HTTP/1.1", "Host: here", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def read_reply(stream):
    """(status, headers in lower case, body); (None, {}, b"") where the server closed without a word. An interim reply
    is passed over."""
    status, headers, body = read_one_reply(stream)
    while status == 100:
        status, headers, body = read_one_reply(stream, body)
    return status, headers, body


def read_one_reply(stream, data=b""):
    """Of the bytes that came with the one before, `data`, and those of the socket."""
    while b"\r\n\r\n" not in data:
        more = stream.recv(1 << 16)
        if not more:
            return None, {}, data
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    while len(body) < int(headers.get("content-length", 0)):
        more = stream.recv(1 << 16)
        if not more:
            break
        body += more
    return int(lines[0].split()[1]), headers, body


def ask(served, request):
    """What one request on a connection of its own is answered with."""
    with connect(served) as stream:
        stream.sendall(request)
        return read_reply(stream)


def error_of(body):
    return json.loads(body)["error"]
