"""The functions of the template language that Azure alone has: ids, hashes, address ranges, moments."""

from __future__ import annotations

import ipaddress
import re
import uuid
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from provision.simulator.language.texts import string
from provision.simulator.state.facts import location_name, regions
from provision.simulator.state.versions import newest_first

_WORD = 0xFFFFFFFF
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_GUIDS = uuid.UUID("11fb06fb-712d-4ddd-98c7-e71bbd588830")
"""The namespace in which ARM makes its guids, as version 5 UUIDs."""
_DURATION = re.compile(
    r"(-)?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?",
)


def resource_id(whose: list[Any], *parts: Any) -> str:
    """Return a resource's id; in front of its type may stand a group, or a subscription and a group."""
    given = [string(each) for each in parts]
    at = next((place for place, each in enumerate(given) if "/" in each and place < 3), None)
    if at is None:
        raise ValueError("there is no resource type among them")
    subscription, group = whose
    if group is None:
        subscription = given[0] if at else subscription
        return f"/subscriptions/{subscription}{_provider(given[at], given[at + 1 :])}"
    group = given[at - 1] if at else group
    subscription = given[0] if at == 2 else subscription
    return f"/subscriptions/{subscription}/resourceGroups/{group}{_provider(given[at], given[at + 1 :])}"


def extension_resource_id(scope: str, type_: str, *names: str) -> str:
    return f"{scope.rstrip('/')}{_provider(type_, list(names))}"


def tenant_resource_id(type_: str, *names: str) -> str:
    return _provider(type_, list(names))


def providers(namespace: str, type_: str) -> dict[str, Any]:
    """Return what a provider says of one of its types. Outdated, and still in templates that `az` makes."""
    places = [region.display_name for region in regions().values()]
    return {"resourceType": type_, "locations": places, "apiVersions": newest_first(f"{namespace}/{type_}")}


def _provider(type_: str, names: list[str]) -> str:
    namespace, *kinds = type_.split("/")
    if len(kinds) != len(names):
        raise ValueError(f"the type '{type_}' has {len(kinds)} names, and {len(names)} are given")
    pairs = "".join(f"/{kind}/{name}" for kind, name in zip(kinds, names, strict=True))
    return f"/providers/{namespace}{pairs}"


def unique_string(*values: Any) -> str:
    """Return the 13 letters that ARM makes of some values: a 64-bit Murmur hash in base 32."""
    # 64 bits are twelve letters and four bits: one bit more makes the thirteenth.
    left = _murmur("-".join(string(each) for each in values).encode()) << 1
    return "".join(_LETTERS[left >> (60 - 5 * place) & 31] for place in range(13))


def _murmur(data: bytes) -> int:
    """Return the hash of ARM's `uniqueString`: Murmur over two 32-bit lanes, seed 0, the second lane on top."""
    one = two = 0
    whole = len(data) // 8 * 8
    for start in range(0, whole, 8):
        one ^= _mixed(data[start : start + 4], 0x239B961B, 15, 0xAB0E9789)
        one = (_turned(one, 19) + two) * 5 + 0x561CCD1B & _WORD
        two ^= _mixed(data[start + 4 : start + 8], 0xAB0E9789, 17, 0x239B961B)
        two = (_turned(two, 13) + one) * 5 + 0x0BCAA747 & _WORD
    one ^= _mixed(data[whole : whole + 4], 0x239B961B, 15, 0xAB0E9789)
    two ^= _mixed(data[whole + 4 :], 0xAB0E9789, 17, 0x239B961B)
    one ^= len(data)
    two ^= len(data)
    one = one + two & _WORD
    two = two + one & _WORD
    one, two = _finished(one), _finished(two)
    one = one + two & _WORD
    two = two + one & _WORD
    return two << 32 | one


def _mixed(lane: bytes, first: int, turn: int, second: int) -> int:
    return _turned(int.from_bytes(lane, "little") * first & _WORD, turn) * second & _WORD


def _turned(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & _WORD


def _finished(value: int) -> int:
    value = (value ^ value >> 16) * 0x85EBCA6B & _WORD
    value = (value ^ value >> 13) * 0xC2B2AE35 & _WORD
    return value ^ value >> 16


# --- moments ---


def utc_now(now: datetime) -> Callable[..., str]:
    """Return the function `utcNow` at a moment; of .NET's formats, the common ones."""

    def show(style: str = "yyyyMMddTHHmmssZ") -> str:
        return formatted(now, style)

    return show


def formatted(when: datetime, style: str) -> str:
    """Return a moment in a .NET format."""
    named = {
        "o": "yyyy-MM-ddTHH:mm:ss.fffffffZ",
        "s": "yyyy-MM-ddTHH:mm:ss",
        "u": "yyyy-MM-dd HH:mm:ssZ",
        "d": "MM/dd/yyyy",
    }
    parts = {
        "yyyy": f"{when:%Y}",
        "yy": f"{when:%y}",
        "MM": f"{when:%m}",
        "dd": f"{when:%d}",
        "HH": f"{when:%H}",
        "mm": f"{when:%M}",
        "ss": f"{when:%S}",
        "fffffff": f"{when.microsecond * 10:07d}",
        "fff": f"{when.microsecond // 1000:03d}",
        "M": str(when.month),
        "d": str(when.day),
    }
    pattern = "|".join(sorted(parts, key=len, reverse=True))
    return re.sub(pattern, lambda found: parts[found[0]], named.get(style, style))


def date_time_add(base: str, duration: str, style: str = "") -> str:
    """Return a moment some duration on. Without a format, as ARM prints it: to the second, in UTC."""
    found = _DURATION.fullmatch(duration)
    if found is None or not any(found.groups()[1:]):
        raise ValueError(f"'{duration}' is no ISO 8601 duration")
    years, months, weeks, days, hours, minutes, seconds = (int(each or 0) for each in found.groups()[1:])
    sign = -1 if found[1] else 1
    when = _moment(base)
    month = when.month - 1 + sign * (years * 12 + months)
    year, month = when.year + month // 12, month % 12 + 1
    moved = when.replace(year=year, month=month, day=min(when.day, monthrange(year, month)[1]))
    moved += sign * timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    return formatted(moved, style or "yyyy-MM-ddTHH:mm:ssZ")


def _moment(text: str) -> datetime:
    basic = re.fullmatch(r"(\d{8})T(\d{6})Z", text)
    if basic:
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    # Seven decimals are one more than Python reads.
    found = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text))
    return found if found.tzinfo else found.replace(tzinfo=UTC)


# --- addresses and zones ---


def parse_cidr(text: str) -> dict[str, Any]:
    network = ipaddress.ip_network(text, strict=False)
    hosts = network.num_addresses > 2
    return {
        "network": str(network.network_address),
        "netmask": str(network.netmask),
        "broadcast": str(network.broadcast_address),
        "firstUsable": str(network.network_address + 1 if hosts else network.network_address),
        "lastUsable": str(network.broadcast_address - 1 if hosts else network.broadcast_address),
        "cidr": network.prefixlen,
    }


def cidr_subnet(text: str, length: int, index: int) -> str:
    network = ipaddress.ip_network(text, strict=False)
    size = 1 << (network.max_prefixlen - length)
    start = int(network.network_address) + index * size
    if not network.prefixlen <= length <= network.max_prefixlen or start + size > int(network.broadcast_address) + 1:
        raise ValueError("there is no such subnet")
    return f"{ipaddress.ip_address(start)}/{length}"


def cidr_host(text: str, index: int) -> str:
    network = ipaddress.ip_network(text, strict=False)
    found = network.network_address + 1 + index
    if found not in network:
        raise ValueError("there is no such host")
    return str(found)


def pick_zones(namespace: str, kind: str, location: str, number: int = 1, offset: int = 0) -> list[str]:
    """Return the first zones of a region; none where it has none."""
    found = regions().get(location_name(location))
    return list(found.zones[offset : offset + number]) if found is not None else []


TABLE: dict[str, Callable[..., Any]] = {
    "extensionresourceid": extension_resource_id,
    "tenantresourceid": tenant_resource_id,
    "providers": providers,
    "uniquestring": unique_string,
    "guid": lambda *values: str(uuid.uuid5(_GUIDS, "-".join(string(each) for each in values))),
    "datetimeadd": date_time_add,
    "datetimefromepoch": lambda seconds: f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}",
    "datetimetoepoch": lambda text: int(_moment(text).timestamp()),
    "parsecidr": parse_cidr,
    "cidrsubnet": cidr_subnet,
    "cidrhost": cidr_host,
    "pickzones": pick_zones,
}
