"""How systemd units are written."""

from __future__ import annotations

from provision.boot.systemd import oneshot


def test_an_argument_reaches_the_script_as_it_is() -> None:
    text = oneshot(
        "What it does", ("/bin/x", "a b", "100%", "$HOME", 'q"\\', "rg-(given)"), after=("a.service", "b.service")
    )

    assert text == (
        "[Unit]\n"
        "Description=What it does\n"
        "After=a.service b.service\n\n"
        "[Service]\n"
        "Type=oneshot\n"
        "RemainAfterExit=yes\n"
        'ExecStart=/bin/x "a b" 100%% $$HOME "q\\"\\\\" "rg-(given)"\n\n'
        "[Install]\n"
        "WantedBy=multi-user.target\n"
    )
