"""How each provider words that a body does not fit: the gateway, Compute and Network say the same things differently.

Texts are those of the JSON reader that all of them use, and of the providers as users report them.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from provision.simulator.bodies.reading import (
    BAD_REFERENCE,
    BAD_VALUE,
    MISSING,
    NO_REFERENCE,
    NOT_ONE_OF,
    UNKNOWN,
    Misfit,
    path_of,
)
from provision.simulator.refusals.errors import Refusal, bad_content, bad_parameter, missing_parameter, service
from provision.simulator.refusals.network_errors import network
from provision.simulator.wire.json_places import END, KEY, VALUE, place_in

Manner = Callable[[Misfit, str], Refusal]


def gateway(found: Misfit, text: str) -> Refusal:
    """Return Resource Manager's refusal of a body that is its own, or of the envelope of another's."""
    return bad_content(reader_text(found, text))


def compute(found: Misfit, text: str) -> Refusal:
    """Return Compute's refusal, which names paths from inside `properties`."""
    path = found.path.removeprefix("properties.").removeprefix("virtualMachineProfile.")
    if found.kind == MISSING:
        return missing_parameter(path)
    if found.kind in (BAD_VALUE, NOT_ONE_OF):
        return bad_parameter(path, f"The value '{found.value}' of parameter '{path}' is invalid.")
    if found.kind in (BAD_REFERENCE, NO_REFERENCE):
        return bad_link(found)
    return service(400, "BadRequest", reader_text(found, text))


def network_service(found: Misfit, text: str) -> Refusal:
    """Return Network's refusal: it cannot parse the request, for the reason in the details."""
    code, message = "InvalidJson", reader_text(found, text)
    if found.kind == NO_REFERENCE:
        code, message = "MissingJsonReferenceId", f"Value for reference id is missing. Path {found.path}."
    elif found.kind == BAD_REFERENCE:
        code = "InvalidJsonReferenceFormat"
        message = (
            f"Reference Id {found.value} is not formatted correctly. The Id is expected to reference resources of "
            f"type {found.expected}. Path {found.path}."
        )
    return unreadable(code, message)


def unreadable(code: str, message: str) -> Refusal:
    refusal = network(400, "InvalidRequestFormat", "Cannot parse the request.")
    refusal.error["details"] = [{"code": code, "message": message}]
    return refusal


def bad_link(found: Misfit) -> Refusal:
    """Return the gateway's refusal of an id that is none: it looks at what a body refers to before its provider."""
    value = "" if found.value is None else found.value
    message = (
        f"Property id '{value}' at path '{found.path}.id' is invalid. Expect fully qualified resource Id that start "
        "with '/subscriptions/{subscriptionId}' or '/providers/{resourceProviderNamespace}/'."
    )
    return Refusal(400, "LinkedInvalidPropertyId", message)


def reader_text(found: Misfit, text: str) -> str:
    """Return what the JSON reader says: what is wrong, the path, and where in the text it had come to."""
    if found.kind == UNKNOWN:
        said = f"Could not find member '{found.name}' on object of type '{found.expected}'."
        return f"{said} {_where(found, text, KEY)}"
    if found.kind == MISSING:
        within = Misfit(MISSING, found.place[:-1])
        return f"Required property '{found.name}' not found in JSON. {_where(within, text, END)}"
    value = json.dumps(found.value, separators=(",", ":"))
    if not found.expected:
        # Of the right type and outside its limits: no reader says so, and Azure's texts, one a property, are not known.
        return f"The value {value} is not valid. {_where(found, text, VALUE)}"
    return f"Error converting value {value} to type '{found.expected}'. {_where(found, text, VALUE)}"


def _where(found: Misfit, text: str, part: str) -> str:
    line, position = place_in(text, found.place, part)
    return f"Path '{path_of(found.place)}', line {line}, position {position}."
