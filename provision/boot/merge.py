"""How a user's cloud-init joins ours: as the parts of one MIME message, ours first.

The parts are as cloud-init's documentation has them. Its default on joining two cloud-configs is that the later list
replaces the earlier, so the user's part says that lists append; a `merge_how` of its own still wins.
"""

from __future__ import annotations

import base64
import hashlib

from provision.environment.boot_files import content_type

_APPEND = "Merge-Type: list(append)+dict(no_replace,recurse_list)+str()\n"


def merged(ours: str | None, theirs: str) -> str:
    """Return one text of both, `theirs` of a known type; the same of the same, so the boundary is told from them."""
    if ours is None:
        return theirs
    parts = [_part("text/cloud-config", "provision.cfg", ours), _part(content_type(theirs) or "", "own", theirs)]
    boundary = f"==={hashlib.sha256(''.join(parts).encode()).hexdigest()[:32]}==="
    body = "".join(f"--{boundary}\n{part}" for part in parts)
    return f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{boundary}"\n\n{body}--{boundary}--\n'


def _part(type: str, name: str, text: str) -> str:
    # cloud-init decodes the message as text and then asks for bytes, which keeps only ASCII as it is.
    encoding, body = ("7bit", text) if text.isascii() else ("base64", base64.encodebytes(text.encode()).decode())
    append = _APPEND if name == "own" and type != "text/x-shellscript" else ""
    return (
        f'Content-Type: {type}; charset="utf-8"\nContent-Transfer-Encoding: {encoding}\n'
        f'Content-Disposition: attachment; filename="{name}"\n{append}\n{body}\n'
    )
