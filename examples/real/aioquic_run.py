"""Transfer a file over QUIC with aioquic, through the simulated network.

python examples/real/aioquic_run.py [MEGABYTES]
It requires aioquic: pip install -r examples/real/requirements.txt.
"""

import asyncio
import datetime
import subprocess
import sys
import tempfile
from pathlib import Path

import headgate

PORT = 4433


def make_certificate(folder: Path) -> None:
    """Write a certificate for the host b, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "b")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("b")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


async def serve(folder: Path) -> None:
    """Answer each stream with as many bytes as it requests."""
    from aioquic.asyncio import serve as serve_quic
    from aioquic.quic.configuration import QuicConfiguration

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = int(await reader.read())
        writer.write(bytes(asked))
        writer.write_eof()

    answers = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers.add(asyncio.ensure_future(answer(reader, writer)))

    settings = QuicConfiguration(is_client=False)
    settings.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    await serve_quic("::", PORT, configuration=settings, stream_handler=begin)
    print("ready", flush=True)
    await asyncio.Event().wait()


async def fetch(folder: Path, count: int) -> None:
    """Fetch `count` bytes from b, and print the smoothed round-trip time in seconds."""
    from aioquic.asyncio import connect
    from aioquic.quic.configuration import QuicConfiguration

    settings = QuicConfiguration(is_client=True, server_name="b")
    settings.load_verify_locations(folder / "cert.pem")
    async with connect("b", PORT, configuration=settings) as connection:
        reader, writer = await connection.create_stream()
        writer.write(str(count).encode())
        writer.write_eof()
        assert len(await reader.read()) == count
        print(connection._quic._loss._rtt_smoothed)  # it has no public name


def main() -> None:
    """Run server and client in their hosts, and report the result."""
    from answer import SCENARIO, report

    try:
        import aioquic  # noqa: F401
    except ImportError:
        sys.exit("this example needs aioquic: pip install -r examples/real/requirements.txt")
    count = round(float(sys.argv[1] if len(sys.argv) > 1 else "10") * 1e6)
    again = [sys.executable, __file__]
    with tempfile.TemporaryDirectory() as folder:
        make_certificate(Path(folder))
        with headgate.emulate(SCENARIO) as net:
            server = net.start("b", [*again, "serve", folder], stdout=subprocess.PIPE, text=True)
            assert server.stdout is not None
            server.stdout.readline()
            words = [*again, "fetch", folder, str(count)]
            done = net.run("a", words, check=True, capture_output=True, text=True, timeout=55)
    report(net.result, "aioquic", float(done.stdout))


if sys.argv[1:2] == ["serve"]:
    asyncio.run(serve(Path(sys.argv[2])))
elif sys.argv[1:2] == ["fetch"]:
    asyncio.run(fetch(Path(sys.argv[2]), int(sys.argv[3])))
else:
    main()
