"""The paths of deployments, at the scope of a group and of a subscription, and of stacks."""

from __future__ import annotations

from provision.simulator.handlers import deployments, stacks
from provision.simulator.handlers.paths import GROUP, ONE_STACKED, STACK_JOBS, STACKED, SUBSCRIPTION, Handler
from provision.simulator.state.versions import DEPLOYMENTS, STACKS


def rows() -> list[tuple[str, str, str, Handler]]:
    deployed = [*_deployments(GROUP), *_deployments(SUBSCRIPTION)]
    deployed += [
        # Every client reads a group deployment's operations at this path, which has no provider in it.
        ("GET", f"{GROUP}/deployments/{{name}}/operations", deployments.list_operations),
        ("GET", f"{GROUP}/deployments/{{name}}/operations/{{operation}}", deployments.get_operation),
        ("POST", "providers/Microsoft.Resources/calculateTemplateHash", deployments.hash_template),
    ]
    return [(DEPLOYMENTS, *row) for row in deployed] + [(STACKS, *row) for row in _stacks()]


def _deployments(scope: str) -> list[tuple[str, str, Handler]]:
    several = f"{scope}/providers/Microsoft.Resources/deployments"
    one = f"{several}/{{name}}"
    return [
        ("PUT", one, deployments.put),
        ("GET", one, deployments.get),
        ("HEAD", one, deployments.head),
        ("DELETE", one, deployments.delete),
        ("GET", several, deployments.list_scope),
        ("POST", f"{one}/validate", deployments.validate),
        ("POST", f"{one}/whatIf", deployments.foresee),
        ("POST", f"{one}/cancel", deployments.cancel),
        ("POST", f"{one}/exportTemplate", deployments.export),
        ("GET", f"{one}/operationStatuses/{{operation}}", deployments.poll),
        ("GET", f"{one}/operations", deployments.list_operations),
        ("GET", f"{one}/operations/{{operation}}", deployments.get_operation),
    ]


def _stacks() -> list[tuple[str, str, Handler]]:
    return [
        ("PUT", ONE_STACKED, stacks.put_stack),
        ("GET", ONE_STACKED, stacks.get_stack),
        ("DELETE", ONE_STACKED, stacks.delete_stack),
        ("GET", STACKED, stacks.list_stacks),
        ("POST", f"{ONE_STACKED}/validate", stacks.validate_stack),
        ("POST", f"{ONE_STACKED}/exportTemplate", stacks.export_stack),
        ("GET", f"{STACK_JOBS}/deploymentStackOperationStatus/{{operation}}", stacks.poll_stack),
        ("GET", f"{STACK_JOBS}/deploymentStackOperationResults/{{operation}}", stacks.poll_stack_result),
    ]
