"""The simulator as a process, met over HTTP."""

from __future__ import annotations

import json
import ssl
import subprocess
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPSConnection
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.simulator.processes import process

GROUP = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg?api-version=2025-04-01"


def ask(running: subprocess.Popen[bytes], requests: list[tuple[str, str, Any]]) -> list[tuple[int, Any]]:
    """Send requests over one connection and return status and body of each."""
    assert running.stdout is not None
    line = json.loads(running.stdout.readline())
    assert list(line) == ["endpoint"]
    assert line["endpoint"].startswith("http://127.0.0.1:")
    connection = HTTPConnection(line["endpoint"].removeprefix("http://"), timeout=10)
    answers = []
    for method, path, body in requests:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"Authorization": "Bearer x", "Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read()
        answers.append((response.status, json.loads(text) if text else None))
    connection.close()
    return answers


def test_a_state_outlives_the_process_and_the_process_ends_with_its_input(tmp_path: Path) -> None:
    options = ("--state", str(tmp_path / "world.db"), "--exit-with-stdin")
    with process(*options) as first:
        answers = ask(
            first,
            [
                ("PUT", GROUP, {"location": "eastus"}),
                ("HEAD", GROUP, None),
                ("POST", "/_simulator/clock", {"to": "2026-12-01T01:00:00Z"}),
                ("GET", "/_simulator/log", None),
            ],
        )
        assert first.stdin is not None
        first.stdin.close()
        ended = first.wait(10)
        assert first.stdout is not None
        assert first.stderr is not None
        said = first.stdout.read() + first.stderr.read()
    with process(*options) as second:
        later = ask(second, [("GET", GROUP, None), ("GET", "/_simulator/clock", None)])

    assert [status for status, _ in answers] == [201, 204, 200, 200]
    url = answers[3][1][0]["url"]
    assert (url.startswith("http://127.0.0.1:"), url.endswith(GROUP)) == (True, True)
    assert (ended, said) == (0, b"")
    assert [status for status, _ in later] == [200, 200]
    assert later[1][1] == {"now": "2026-12-01T01:00:00.0000000Z", "virtual": True}


def test_only_loopback_is_served() -> None:
    with process("--host", "0.0.0.0") as running:
        out, error = running.communicate(timeout=10)

    assert (running.returncode, out) == (64, b"")
    assert error == b"the simulator listens on loopback only, not on 0.0.0.0\n"


def test_with_a_certificate_it_serves_https(tmp_path: Path) -> None:
    certificate, key = a_certificate(tmp_path)
    with process("--certificate", str(certificate), "--key", str(key)) as running:
        assert running.stdout is not None
        endpoint = json.loads(running.stdout.readline())["endpoint"]
        context = ssl.create_default_context(cafile=certificate)
        connection = HTTPSConnection(endpoint.removeprefix("https://"), timeout=10, context=context)
        connection.request("GET", "/metadata/endpoints?api-version=2022-09-01")
        cloud = json.loads(connection.getresponse().read())
        connection.close()

    assert endpoint.startswith("https://127.0.0.1:")
    assert cloud["resourceManager"] == endpoint


def test_a_certificate_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("no certificate")
    with process("--certificate", str(tmp_path / "no.pem")) as running:
        assert running.stderr is not None
        said = running.stderr.read().decode()
        code = running.wait(10)

    assert code == 64
    assert said.startswith(f"cannot serve HTTPS with {tmp_path / 'no.pem'}: ")


def a_certificate(folder: Path) -> tuple[Path, Path]:
    """Return the files of a certificate for 127.0.0.1 and of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(address, critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return files
