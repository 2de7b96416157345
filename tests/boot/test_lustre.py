"""The mount script, run with stand-ins for the programs of a node: it asks until Azure tells an address."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from provision.boot.lustre import SCRIPT
from tests.boot.programs import run

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")

URL = "https://management.azure.com/subscriptions/s/amlFilesystems/data?api-version=1"
TOKEN = '{"access_token": "CANARY"}'
#: Azure answers what the file `answer` holds; nothing there: the file system is not there yet.
PROGRAMS = {
    "mountpoint": "test -e mounted",
    "mount.lustre": ":",
    "sleep": 'echo "sleep $*" >> calls; if [ -e later ]; then mv later answer; fi',
    "mkdir": 'echo "mkdir $*" >> calls',
    "mount": 'echo "mount $*" >> calls',
    "curl": f"""echo "curl ${{@: -1}}" >> calls
case "$*" in
  *169.254.169.254*) echo '{TOKEN}' ;;
  *CANARY*) exit 1 ;;
  *) grep -q 'Bearer CANARY' || exit 1
     if [ -e answer ]; then cat answer; else echo 'curl: (22) 404' >&2; exit 22; fi ;;
esac""",
}
TOKENS = "curl http://169.254.169.254/metadata/identity/oauth2/token"
MOUNTED = ["mkdir -p /lustre", "mount -t lustre -o noatime,flock,_netdev 10.1.2.3@tcp:/lustrefs /lustre"]
ANSWER = '{"properties": {"clientInfo": {"mgsAddress": "10.1.2.3"}}}'


def test_a_file_system_is_mounted_at_the_address_that_azure_tells(tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(ANSWER)

    assert run(tmp_path, SCRIPT, PROGRAMS, URL, "/id", "/lustre") == (0, [TOKENS, f"curl {URL}", *MOUNTED], "", "")


def test_one_that_does_not_stand_yet_is_asked_for_again(tmp_path: Path) -> None:
    (tmp_path / "later").write_text(ANSWER)

    code, calls, _, complaints = run(tmp_path, SCRIPT, PROGRAMS, URL, "/id", "/lustre")

    ask = [TOKENS, f"curl {URL}"]
    assert (code, calls, complaints) == (0, [*ask, "sleep 30", *ask, *MOUNTED], "curl: (22) 404\n")


@pytest.mark.parametrize("answer", ["", "no JSON", "{}", '{"properties": {"clientInfo": {"mgsAddress": "x; reboot"}}}'])
def test_what_is_no_address_is_never_mounted_and_the_unit_fails_in_the_end(answer: str, tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(answer)

    code, calls, _, complaints = run(tmp_path, SCRIPT.replace("tries=120", "tries=3"), PROGRAMS, URL, "/id", "/lustre")

    ask = [TOKENS, f"curl {URL}"]
    assert (code, calls) == (1, [*ask, "sleep 30", *ask, "sleep 30", *ask])
    assert complaints == f"provision-lustre: Azure tells no address of {URL} to /id\n"


def test_what_is_mounted_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mounted").touch()

    assert run(tmp_path, SCRIPT, PROGRAMS, URL, "/id", "/lustre") == (0, [], "", "")


def test_an_image_without_a_lustre_client_is_told(tmp_path: Path) -> None:
    programs = {name: text for name, text in PROGRAMS.items() if name != "mount.lustre"}

    assert run(tmp_path, SCRIPT, programs, URL, "/id", "/lustre") == (
        1,
        [],
        "",
        "provision-lustre: the image has no Lustre client\n",
    )
