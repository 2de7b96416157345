"""Fetches cloud-init's own JSON schema from Debian's package of it: it is on no Python registry.

Run: python tools/cloud_init_schema.py FILE. Says why and exits 0 where there is no network: the tests that need the
schema then skip, and say so.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import re
import sys
import tarfile
from pathlib import Path
from urllib.request import urlopen

DEBIAN = "https://deb.debian.org/debian/"
INDEX = "dists/stable/main/binary-all/Packages.xz"
_ENTRY = re.compile(r"^Package: cloud-init\n(?:.+\n)+", re.MULTILINE)
_SCHEMA = re.compile(r"/schema-cloud-config-v1\.json$")
_TIMEOUT_S = 20


def main(file: str) -> None:
    """Write the schema of Debian stable's package to a file."""
    try:
        entry = _entry(lzma.decompress(_fetched(INDEX)).decode())
        package = _fetched(entry["Filename"])
        if hashlib.sha256(package).hexdigest() != entry["SHA256"]:
            raise ValueError(f"{entry['Filename']} is not what the index says")
        schema = _member(package)
    except (OSError, KeyError, ValueError, lzma.LZMAError, tarfile.TarError) as error:
        print(f"cloud-init's schema could not be fetched: {error}", file=sys.stderr)
        return
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_bytes(schema)
    print(f"wrote {file} from cloud-init {entry['Version']}")


def _fetched(path: str) -> bytes:
    with urlopen(DEBIAN + path, timeout=_TIMEOUT_S) as answer:
        data: bytes = answer.read()
        return data


def _entry(index: str) -> dict[str, str]:
    """Return the fields of the package in Debian's index."""
    found = _ENTRY.search(index)
    if found is None:
        raise ValueError(f"there is no cloud-init in {INDEX}")
    return dict(re.findall(r"^([A-Za-z0-9]+): (.+)$", found.group(), re.MULTILINE))


def _member(package: bytes) -> bytes:
    """Return the schema in a Debian package: an `ar` archive with the files in `data.tar.xz`."""
    at = len(b"!<arch>\n")
    while at < len(package):
        name, size = package[at : at + 16].decode().strip(), int(package[at + 48 : at + 58])
        content = package[at + 60 : at + 60 + size]
        if name.startswith("data.tar"):
            with tarfile.open(fileobj=io.BytesIO(content), mode="r:*") as tar:
                for member in tar:
                    if _SCHEMA.search(member.name) and (file := tar.extractfile(member)) is not None:
                        return file.read()
        at += 60 + size + size % 2
    raise ValueError("there is no schema in the package")


if __name__ == "__main__":
    main(*sys.argv[1:])
