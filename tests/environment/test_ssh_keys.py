"""Key files: where they are looked for, each read once, and nothing of a refused one is kept."""

from __future__ import annotations

import pytest

from provision.environment import Environment, ssh_keys_of
from provision.errors import FileError
from provision.source import beside
from tests.environment.texts import REST, TOP, loaded


@pytest.mark.parametrize(
    ("file", "path", "found"),
    [
        ("env.yaml", "keys/a.pub", "keys/a.pub"),
        ("environments/env.yaml", "keys/a.pub", "environments/keys/a.pub"),
        ("/srv/env.yaml", "../a.pub", "/srv/../a.pub"),
        ("environments/env.yaml", "/etc/a.pub", "/etc/a.pub"),
        ("C:\\work\\env.yaml", "keys\\a.pub", "C:\\work\\keys\\a.pub"),
        ("C:\\work\\env.yaml", "D:\\a.pub", "D:\\a.pub"),
        ("env.yaml", "\\\\host\\share\\a.pub", "\\\\host\\share\\a.pub"),
        ("<stdin>", "a.pub", "a.pub"),
    ],
)
def test_a_key_file_is_looked_for_beside_the_environments_file(file: str, path: str, found: str) -> None:
    assert beside(file, path) == found


def an_environment(*keys: str) -> Environment:
    pools = "".join(
        f"  p{n}: {{size: Standard_ND96isr_H100_v5, nodes: 1, ssh_public_key_file: {key}}}\n"
        for n, key in enumerate(keys)
    )
    environment = loaded(text=TOP + REST.partition("\n")[0] + "\npools:\n" + pools).environment
    assert environment is not None
    return environment


def test_each_key_file_is_read_once() -> None:
    read: list[str] = []

    def no_file(path: str) -> str:
        read.append(path)
        raise FileError(path, "there is no such file")

    keys = ssh_keys_of(an_environment("b.pub", "a.pub", "b.pub"), "dir/env.yaml", no_file)

    assert read == ["dir/a.pub", "dir/b.pub"]
    assert keys.texts == {}
    assert list(keys.refused) == ["a.pub", "b.pub"]


@pytest.mark.parametrize("header", ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"])
def test_nothing_of_a_private_key_goes_on(header: str) -> None:
    secret = f"-----BEGIN {header}-----\nMIIEsecret\n-----END {header}-----\n"

    keys = ssh_keys_of(an_environment("a"), "env.yaml", lambda path: secret)

    assert keys.texts == {}
    assert keys.refused == {
        "a": ("the file holds a private key", "name the .pub file beside it; keep the private key to yourself")
    }
