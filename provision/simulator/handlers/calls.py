"""What a handler is given: the request taken apart, the world, and the moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from provision.simulator.refusals import errors
from provision.simulator.resources import groups
from provision.simulator.state import disguise, operations, paging
from provision.simulator.state.ids import ResourceId, resource_id
from provision.simulator.state.operations import Origin
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import Group, Operation, World
from provision.simulator.wire import relaxed
from provision.simulator.wire.messages import Json, Reply, Request

T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    world: World
    request: Request
    now: float
    request_id: str
    correlation: str
    version: str
    params: Mapping[str, str]
    """The variable parts of the path, by the names that the route gives them."""
    caller: Caller

    @cached_property
    def body(self) -> Any:
        """The body as JSON; refused where it is none. An absent body is None."""
        if not self.request.body:
            return None
        try:
            return relaxed.loads(self.request.body)
        except ValueError as error:
            raise errors.bad_content(str(error)) from error

    @property
    def text(self) -> str:
        """The body as it was sent."""
        return self.request.body.decode(errors="replace")

    @property
    def subscription(self) -> str:
        return self.params["subscription"]

    @property
    def origin(self) -> Origin:
        sync = self.request.query.get("syncremoteaddressspace", "").lower() == "true"
        return Origin(self.request_id, version=self.version, text=self.text, sync=sync)

    def group(self) -> Group:
        return groups.find(self.world, self.subscription, self.params["group"])

    def rid(self, type_: str, *names: str) -> ResourceId:
        return resource_id(self.subscription, self.params["group"], type_, *names)

    def started(
        self,
        status: int,
        operation: Operation | None,
        body: Any = None,
        *,
        deletes: bool = False,
        acts: bool = False,
    ) -> Reply:
        """Return the answer that hands an operation to the client."""
        if operation is None:
            return Reply(status, body)
        headers = operations.headers(operation, self.request, self.version, deletes=deletes, acts=acts)
        return Reply(status, body, headers)

    def page(self, items: Iterable[T], show: Callable[[T], Json], setting: str = "pageSize") -> Reply:
        """Return one page of a list, with a link to the next where there is one. `setting`: names the page's size."""
        rows = disguise.ordered(self.world, list(items), show)
        token, top = self.request.query.get("$skiptoken"), self.request.query.get("$top", "")
        if token is None and rows and self.world.setting("emptyPages", False):
            return Reply(200, {"value": [], "nextLink": self._link(paging.token_after(0, None))})
        size: int = self.world.setting(setting, paging.PAGE_SIZE)
        size = min(size, int(top)) if top.isdecimal() and int(top) else size
        shown, following = paging.cut(rows, show, size, token)
        return Reply(200, {"value": shown, **({"nextLink": self._link(following)} if following else {})})

    def check_match(self, etag: str | None) -> None:
        """Refuse a write whose If-Match or If-None-Match does not hold; `etag` is None where nothing exists."""
        wanted, unwanted = self.request.headers.get("if-match"), self.request.headers.get("if-none-match")
        failed = wanted is not None and (etag is None or wanted not in ("*", etag))
        if failed or (unwanted is not None and etag is not None and unwanted in ("*", etag)):
            message = "The condition set in the request header does not match the present state of the resource."
            raise errors.Refusal(412, "PreconditionFailed", message)

    def _link(self, token: str) -> str:
        split = urlsplit(self.request.url)
        pairs = [(name, value) for name, value in parse_qsl(split.query) if name.lower() != "$skiptoken"]
        return f"{self.request.base}{split.path}?{urlencode([*pairs, ('$skiptoken', token)])}"
