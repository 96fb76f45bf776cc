"""Programs for live hosts, in the standard library alone: `python udp_program.py WHAT ...`."""

import json
import os
import socket
import struct
import sys
import time

PORT = 4000
ECT0, CE = 2, 3


def echo(family: str) -> None:
    """Send every datagram back, until it is killed."""
    server = socket.socket(getattr(socket, family), socket.SOCK_DGRAM)
    server.bind(("", PORT))
    while True:
        server.sendto(*server.recvfrom(65_535))


def ask(family: str, host: str, count: str) -> None:
    """Measure round trips of datagrams, s; an answer may take a second."""
    client = socket.socket(getattr(socket, family), socket.SOCK_DGRAM)
    client.settimeout(1)
    took_s = []
    for number in range(int(count)):
        begun_s = time.perf_counter()
        client.sendto(str(number).encode(), (host, PORT))
        try:
            assert client.recv(100) == str(number).encode()
        except OSError:
            time.sleep(0.05)  # nobody is there yet
            continue
        took_s.append(time.perf_counter() - begun_s)
    print(json.dumps(took_s))


def blast(host: str, count: str, size: str, tos: str) -> None:
    """Send datagrams as fast as the device takes them."""
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, int(tos))
    for _ in range(int(count)):
        client.sendto(bytes(int(size)), (host, PORT))


def count_marks(seconds: str) -> None:
    """Count the datagrams that come, and the marks that they bear."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
    server.setsockopt(socket.IPPROTO_IP, 13, 1)  # IP_RECVTOS
    server.bind(("", PORT))
    server.settimeout(0.1)
    until_s, got, marks = time.monotonic() + float(seconds), 0, 0
    while time.monotonic() < until_s:
        try:
            _, about, _, _ = server.recvmsg(65_535, 100)
        except TimeoutError:
            continue
        got += 1
        marks += any(data[0] & 3 == CE for _, kind, data in about if kind == socket.IP_TOS)
    print(json.dumps([got, marks]))


def ping(host: str) -> None:
    """Send an ICMP echo request; the kernel there answers."""
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    raw.settimeout(2)
    head = struct.pack(">BBHHH", 8, 0, 0, 7, 1)
    words = struct.unpack(">4H", head)
    sum_ = sum(words)
    raw.sendto(struct.pack(">BBHHH", 8, 0, ~sum_ & 0xFFFF, 7, 1), (host, 0))
    print(raw.recv(100)[20])


def throw(count: str) -> None:
    """Hand random bytes to the device, some of which begin as IP packets do."""
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0x0800)
    for number in range(int(count)):
        junk = os.urandom(1 + number % 1400)
        if number % 2:
            junk = bytes([0x45, 0]) + struct.pack(">H", len(junk)) + junk[4:]
        if number % 4 == 3 and len(junk) >= 20:
            junk = junk[:16] + bytes([10, 72, 0, 2]) + junk[20:]
        raw.sendto(junk, ("headgate", 0x0800))


globals()[sys.argv[1]](*sys.argv[2:])
