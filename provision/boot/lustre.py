"""How a node mounts an Azure Managed Lustre: a script that systemd runs at each boot.

The address of a file system is known only once it stands, and a template here holds no reference that ARM would
resolve, so the node itself asks ARM, as the identity that it has been given.
"""

from __future__ import annotations

from dataclasses import dataclass

from provision.boot.systemd import oneshot

SCRIPT_PATH = "/usr/local/sbin/provision-lustre"


@dataclass(frozen=True, slots=True)
class Mount:
    """A file system that a node mounts. `url` is where ARM tells of it; `identity` the id of whom the node asks as."""

    name: str
    url: str
    identity: str
    path: str


SCRIPT = r"""#!/bin/bash
# Mounts an Azure Managed Lustre file system, whose address it asks Azure for until the file system stands.
# usage: provision-lustre URL IDENTITY MOUNT_POINT
set -euo pipefail

url=$1 identity=$2 mount_point=$3
tokens=http://169.254.169.254/metadata/identity/oauth2/token

fail() {
  echo "provision-lustre: $*" >&2
  exit 1
}

field() {
  python3 -c 'import functools, json, sys
print(functools.reduce(lambda value, key: value[key], sys.argv[1:], json.load(sys.stdin)))' "$@" 2>/dev/null
}

ask() { curl --silent --show-error --fail --noproxy '*' --max-time 30 "$@"; }

# The token goes over standard input: arguments can be read by everybody on the node.
address() {
  local token
  token=$(ask --get --header Metadata:true --data-urlencode api-version=2018-02-01 \
    --data-urlencode resource=https://management.azure.com/ --data-urlencode "msi_res_id=$identity" "$tokens" |
    field access_token) || return
  printf 'header = "Authorization: Bearer %s"\n' "$token" | ask --config - "$url" |
    field properties clientInfo mgsAddress
}

if mountpoint --quiet "$mount_point"; then
  exit 0
fi
command -v mount.lustre >/dev/null || fail "the image has no Lustre client"

tries=120
until found=$(address) && [[ $found =~ ^[0-9A-Za-z.:-]+$ ]]; do
  tries=$((tries - 1))
  [ "$tries" -gt 0 ] || fail "Azure tells no address of $url to $identity"
  sleep 30
done
mkdir -p "$mount_point"
mount -t lustre -o noatime,flock,_netdev "$found@tcp:/lustrefs" "$mount_point"
"""


def unit_name(mount: Mount) -> str:
    """Return the name of the unit that mounts a file system."""
    return f"provision-lustre-{mount.name}.service"


def unit(mount: Mount) -> str:
    """Return the systemd unit that mounts a file system."""
    command = (SCRIPT_PATH, mount.url, mount.identity, mount.path)
    return oneshot(f"Managed Lustre {mount.name} at {mount.path}", command, after=("network-online.target",))
