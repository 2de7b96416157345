#!/usr/bin/env bash
# Shows one environment's whole life on the simulated Azure. Usage: demo.sh FOLDER (its world is kept there)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$1"

step() {
    printf '\n\033[1m$ provision %s\033[0m\n' "$*"
    provision "$@"
}

ln -sfn "$root/environments" environments
environment=environments/quickstart.yaml

step validate $environment
step plan $environment --simulate
step apply $environment --simulate --yes
step status $environment --simulate
printf '\n# Nothing has changed, so a second plan is empty:\n'
step plan $environment --simulate --detailed-exitcode
step destroy $environment --simulate --yes
printf '\nDone. It ran on a simulated Azure and cost nothing. Next: copy environments/quickstart.yaml and edit it.\n'
