"""A user's cloud-init beside ours, read back as cloud-init reads it."""

from __future__ import annotations

import email
from typing import Any

import pytest

from provision.boot.merge import merged

APPEND = "list(append)+dict(no_replace,recurse_list)+str()"
OURS = "#cloud-config\nruncmd:\n- [ls]\n"


def parts_of(text: str) -> list[tuple[str, str, Any]]:
    """Return (type, text, Merge-Type) of each part, by the steps of cloud-init's own reader."""
    message = email.message_from_string(text)
    assert message.get_content_type() == "multipart/mixed"
    found = []
    for part in message.walk():
        if part.is_multipart():
            continue
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        found.append((part.get_content_type(), data.decode("utf-8", "surrogateescape"), part["Merge-Type"]))
    return found


@pytest.mark.parametrize(
    ("theirs", "type", "merge"),
    [
        ("#cloud-config\nruncmd: [[pwd]]\n", "text/cloud-config", APPEND),
        ("#!/bin/bash\necho 'a = b'\n", "text/x-shellscript", None),
        (
            "## template: jinja\n#cloud-config\nruncmd: [[echo, '{{ v1.region }}']]\n",
            "text/jinja2",
            APPEND,
        ),
        ("#cloud-config\nruncmd: [[echo, é, \u2028]]\n", "text/cloud-config", APPEND),
    ],
)
def test_ours_comes_first_and_each_part_arrives_as_it_is(theirs: str, type: str, merge: str | None) -> None:
    assert parts_of(merged(OURS, theirs)) == [("text/cloud-config", OURS, None), (type, theirs, merge)]


def test_the_same_texts_give_the_same_message_and_others_another() -> None:
    theirs = "#cloud-config\nruncmd: [[pwd]]\n"

    assert merged(OURS, theirs) == merged(OURS, theirs)
    assert merged(OURS, theirs) != merged(OURS, theirs + "# \n")


def test_a_part_that_holds_a_boundary_of_another_message_arrives_whole() -> None:
    inner = merged(OURS, "#!/bin/sh\nls\n")
    theirs = f"#!/bin/sh\ncat <<'E'\n{inner}E\n"

    assert parts_of(merged(OURS, theirs))[1] == ("text/x-shellscript", theirs, None)


def test_where_we_have_nothing_to_say_their_text_stands_alone() -> None:
    assert merged(None, "#!/bin/sh\nls\n") == "#!/bin/sh\nls\n"
