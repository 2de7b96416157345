"""The simulator over HTTP, on loopback only."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import socket
import sys
import threading
from pathlib import Path

import uvicorn
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from provision.simulator.simulator import Simulator
from provision.simulator.wire.messages import DROP

BACKLOG = 1024
"""A short backlog stalls hundreds of clients that connect at once for tens of seconds."""


def serve(
    simulator: Simulator,
    host: str,
    port: int,
    *,
    exit_with_stdin: bool,
    certificate: Path | None = None,
    key: Path | None = None,
) -> None:
    """Serve until interrupted, or until standard input closes. Prints the endpoint, once, when it is ready.

    With a certificate it serves HTTPS, without which `az` sends no token.
    """
    if not is_loopback(host):
        raise ValueError(f"the simulator listens on loopback only, not on {host}")
    listener = _listener(host, port)
    config = uvicorn.Config(
        _app(simulator),
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=2,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    server = uvicorn.Server(config)
    if exit_with_stdin:
        threading.Thread(target=_stop_with_stdin, args=(server,), daemon=True).start()
    shown = f"[{host}]" if ":" in host else host
    # The socket listens already: whoever reads this line can connect, and waits at most for the loop to start.
    scheme = "http" if certificate is None else "https"
    sys.stdout.write(json.dumps({"endpoint": f"{scheme}://{shown}:{listener.getsockname()[1]}"}) + "\n")
    sys.stdout.flush()
    try:
        asyncio.run(server.serve(sockets=[listener]))
    finally:
        simulator.close()


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _app(simulator: Simulator) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        headers = dict(request.headers)
        answer = simulator.handle(request.method, str(request.url), headers, await request.body())
        if answer.delay_s:
            await asyncio.sleep(simulator.delay(answer.delay_s))
        if answer.lost == DROP:
            # ASGI has no word for it; uvicorn's `send` belongs to what holds the connection.
            send.__self__.transport.close()  # type: ignore[attr-defined]  # ASGI types it as any function
        if answer.lost:
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        await Response(answer.body, answer.status, dict(answer.headers))(scope, receive, send)

    return app


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Inherited by the connections: without it small answers wait for the client's acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listener.bind((host, port))
    listener.listen(BACKLOG)
    return listener


def _stop_with_stdin(server: uvicorn.Server) -> None:
    # Not through sys.stdin: its lock, held by this thread, would break the interpreter's own end.
    while os.read(0, 65536):
        pass
    server.should_exit = True
