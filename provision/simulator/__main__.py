"""`python -m provision.simulator`: serve a simulated Azure until told to stop."""

from __future__ import annotations

import argparse
import math
import ssl
import sys
from pathlib import Path

from provision.simulator.scenarios import names, read
from provision.simulator.simulator import Simulator
from provision.simulator.state.state_file import StateError


def main() -> int:
    options = parser().parse_args()
    speed = options.speed if options.clock == "real" else None
    # Imported late, so that wrong usage is told without waiting for a web server.
    from provision.simulator.server import is_loopback, serve

    if not is_loopback(options.host):
        sys.stderr.write(f"the simulator listens on loopback only, not on {options.host}\n")
        return 64
    if options.certificate is not None:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(options.certificate, options.key)
        except OSError as error:
            sys.stderr.write(f"cannot serve HTTPS with {options.certificate}: {error}\n")
            return 64
    try:
        simulator = Simulator(state=options.state, seed=options.seed, speed=speed)
        if options.scenario is not None:
            simulator.play(read(options.scenario))
        serve(
            simulator,
            options.host,
            options.port,
            exit_with_stdin=options.exit_with_stdin,
            certificate=options.certificate,
            key=options.key,
        )
    except KeyboardInterrupt:
        return 130
    except ValueError as error:  # of the scenario
        sys.stderr.write(f"{error}\n")
        return 64
    except StateError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"cannot listen on {options.host}:{options.port}: {error}\n")
        return 1
    return 0


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m provision.simulator", description="Serve a simulated Azure.")
    parser.add_argument("--host", default="127.0.0.1", help="a loopback address (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep the world in FILE; without it, in memory")
    parser.add_argument(
        "--clock",
        choices=("virtual", "real"),
        default="virtual",
        help="virtual time stands still until moved",
    )
    parser.add_argument("--speed", type=_speed, default=1.0, help="virtual seconds a second, with --clock real")
    parser.add_argument("--scenario", metavar="NAME|FILE", help=f"begin with one: {', '.join(names())}, or a file's")
    parser.add_argument("--seed", type=int, default=0, help="where ids come from; a state file keeps its own")
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="serve HTTPS with this certificate (PEM)")
    parser.add_argument("--key", type=Path, metavar="FILE", help="the certificate's key, where it is not in its file")
    parser.add_argument("--exit-with-stdin", action="store_true", help="end when standard input closes")
    return parser


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < math.inf:
        raise argparse.ArgumentTypeError("it is a number above 0")
    return speed


if __name__ == "__main__":
    sys.exit(main())
