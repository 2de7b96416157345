"""What nodes do at their first boot, by their size and region."""

from __future__ import annotations

import dataclasses
from typing import Any

import yaml

from provision.adapters.files import load_catalog
from provision.boot import check, lustre, scratch
from provision.boot.config import cloud_config, text_of
from provision.boot.lustre import Mount
from provision.catalog import Node, Size

MOUNT = Mount("data", "https://management.azure.com/subscriptions/s/f?api-version=1", "/subscriptions/s/id", "/lustre")


def a_size(nvme_disks: int = 0, node: Node | None = None) -> Size:
    return Size("Standard_Test", rdma=False, gpus=8, nvme_disks=nvme_disks, node=node)


def a_node(**settings: Any) -> Node:
    plain = Node(nvidia=False, services=(), modules=(), infiniband_ports=0, nccl={})
    return dataclasses.replace(plain, **settings)


def test_an_h100_node_gets_its_settings_limits_scratch_space_and_a_check_and_no_upgrades_behind_a_job_s_back() -> None:
    size = load_catalog().sizes["Standard_ND96isr_H100_v5"]

    assert cloud_config(size) == {
        "write_files": [
            {
                "path": "/etc/nccl.conf",
                "permissions": "0644",
                "content": "NCCL_IB_PCI_RELAXED_ORDERING=1\n"
                "NCCL_TOPO_FILE=/opt/microsoft/ndv5/topo.xml\n"
                "NCCL_IGNORE_CPU_AFFINITY=1\n"
                "NCCL_SOCKET_IFNAME=eth0\n"
                "NCCL_PXN_DISABLE=1\n"
                "NCCL_MIN_NCHANNELS=32\n"
                "NCCL_IB_QPS_PER_CONNECTION=4\n",
            },
            {
                "path": "/etc/security/limits.d/90-provision.conf",
                "permissions": "0644",
                "content": "* soft memlock unlimited\n* hard memlock unlimited\n"
                "* soft nofile 1048576\n* hard nofile 1048576\n"
                "root soft memlock unlimited\nroot hard memlock unlimited\n"
                "root soft nofile 1048576\nroot hard nofile 1048576\n",
            },
            {
                "path": "/etc/apt/apt.conf.d/99-provision",
                "permissions": "0644",
                "content": 'APT::Periodic::Update-Package-Lists "0";\nAPT::Periodic::Unattended-Upgrade "0";\n',
            },
            {"path": "/usr/local/sbin/provision-scratch", "permissions": "0755", "content": scratch.SCRIPT},
            {"path": "/usr/local/sbin/provision-check", "permissions": "0755", "content": check.SCRIPT},
            {
                "path": "/etc/systemd/system/provision-scratch.service",
                "permissions": "0644",
                "content": scratch.unit(8),
            },
            {
                "path": "/etc/systemd/system/provision-check.service",
                "permissions": "0644",
                "content": "[Unit]\n"
                "Description=Whether this node is ready for training\n"
                "After=network-online.target\n\n"
                "[Service]\n"
                "Type=oneshot\n"
                "RemainAfterExit=yes\n"
                "ExecStart=/usr/local/sbin/provision-check --gpus 8 --service nvidia-fabricmanager"
                " --module nvidia_peermem --file /opt/microsoft/ndv5/topo.xml --infiniband 8\n\n"
                "[Install]\n"
                "WantedBy=multi-user.target\n",
            },
        ],
        "runcmd": [
            ["systemctl", "daemon-reload"],
            ["systemctl", "enable", "--now", "provision-scratch.service"],
            ["systemctl", "enable", "--now", "--no-block", "provision-check.service"],
        ],
    }


def test_a_node_in_a_region_with_storage_mounts_it_and_nothing_waits_for_that() -> None:
    config = cloud_config(a_size(), [MOUNT])

    assert config == {
        "write_files": [
            {"path": "/usr/local/sbin/provision-lustre", "permissions": "0755", "content": lustre.SCRIPT},
            {
                "path": "/etc/systemd/system/provision-lustre-data.service",
                "permissions": "0644",
                "content": "[Unit]\n"
                "Description=Managed Lustre data at /lustre\n"
                "After=network-online.target\n\n"
                "[Service]\n"
                "Type=oneshot\n"
                "RemainAfterExit=yes\n"
                "ExecStart=/usr/local/sbin/provision-lustre"
                ' "https://management.azure.com/subscriptions/s/f?api-version=1" /subscriptions/s/id /lustre\n\n'
                "[Install]\n"
                "WantedBy=multi-user.target\n",
            },
        ],
        "runcmd": [
            ["systemctl", "daemon-reload"],
            ["systemctl", "enable", "--now", "--no-block", "provision-lustre-data.service"],
        ],
    }


def test_a_size_that_needs_nothing_gets_no_cloud_config() -> None:
    assert cloud_config(a_size()) is None


def test_nothing_is_folded_or_cut_so_that_every_file_is_written_as_it_is() -> None:
    node = a_node(nccl={"NCCL_LONG": "x" * 5000, "NCCL_TEXT": "a: b # c 'é' \u2028"})
    config = cloud_config(a_size(2, node))

    assert config is not None
    assert yaml.safe_load(text_of(config)) == config
