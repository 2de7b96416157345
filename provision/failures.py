"""What Azure's failures mean: one table from code and wording to a class, and what a person can do.

The first row that fits holds. Codes and texts: Microsoft's pages and recorded traffic, read 2026-07.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from provision.arm import ArmError


class Class(StrEnum):
    """Who, or what, mends a failure."""

    NOW = "retry now"  # it passes by itself in seconds or minutes
    LATER = "retry later"  # hardware may come free
    ELSEWHERE = "elsewhere"  # not in this region or zone for hours
    HUMAN = "needs a human"  # a quota, a role, a policy, a lock
    OURS = "ours"  # what was sent is wrong: the file, a template, or provision


@dataclass(frozen=True, slots=True)
class Failure:
    """A row: failures of a code, `*` at its end for all that begin so, whose message has `says`."""

    code: str
    kind: Class
    remedy: str = ""
    says: str = ""

    def fits(self, code: str, message: str) -> bool:
        """Return whether a failure is one of this row's."""
        own, found = self.code.lower(), code.lower()
        same = found.startswith(own[:-1]) if own.endswith("*") else found == own
        return same and self.says.lower() in message.lower()


_QUOTA = "ask for the quota that the message names, or state fewer nodes"
_ROOM = "Azure has no room just now: try later, or another zone or region"
_TEMPLATE = (
    "what was sent does not fit: mend the file or template that the message is about; if it is none of yours, report it"
)

TABLE = (
    # Passes by itself.
    *(
        Failure(code, Class.NOW)
        for code in (
            "ConnectionFailed",
            "Unreachable",
            "ExpiredAuthenticationToken",  # the next request goes with a new one
            "ResourceGroupNotFound",  # made moments ago, and not known everywhere yet
            "ResourceGroupBeingDeleted",
            "InUseSubnetCannotBeDeleted",  # interfaces linger after their nodes
            "InUseNetworkSecurityGroupCannotBeDeleted",
            "NicInUse",
            "AnotherOperationInProgress",
            "RetryableError",
            "RetryableErrorDueToAnotherOperation",
            "ReferencedResourceNotProvisioned",
            "DeploymentStackInNonTerminalState",
            "DeploymentActive",
            "DeploymentActiveAndUneditable",
            "PrincipalNotFound",
            "SubscriptionRequestsThrottled",
            "ResourceRequestsThrottled",
            "TooManyRequests",
        )
    ),
    # Quota: the same request fails until somebody raises it.
    Failure("OperationNotAllowed", Class.HUMAN, _QUOTA, says="exceeding approved"),
    Failure("OperationNotAllowed", Class.HUMAN, _QUOTA, says="exceeding quota limits"),
    Failure(
        "OperationNotAllowed",
        Class.HUMAN,
        "ask Azure support to raise the single placement group of this subscription, or lower placement_group_limit",
        says="exceeds the total limit of",
    ),
    *(
        Failure(code, Class.HUMAN, _QUOTA)
        for code in (
            "QuotaExceeded",
            "ResourceQuotaExceeded",
            "InsufficientQuota",
            "SubscriptionIsOverQuotaForSku",
            "PublicIPCountLimitReached",
        )
    ),
    # Hardware.
    Failure("AllocationFailed", Class.LATER, _ROOM),
    Failure("ZonalAllocationFailed", Class.LATER, _ROOM),
    Failure(
        "Overconstrained*",
        Class.LATER,
        "Azure has no room just now for all that the nodes ask for, which the message lists: try later, another zone "
        "or region, or ask for less",
    ),
    Failure(
        "SkuNotAvailable",
        Class.ELSEWHERE,
        "ask for access to the size in this region, or choose another region or zone",
    ),
    Failure(
        "RegionDoesNotAllowProvisioning", Class.ELSEWHERE, "choose another region, or ask Azure support to open it"
    ),
    # Nodes that do not come up.
    Failure(
        "OSProvisioning*",
        Class.LATER,
        "see what the node's serial console says; the same command tries it again, and the other nodes stay",
    ),
    Failure(
        "VMExtension*",
        Class.HUMAN,
        "see the extension's own log on the node; the same command tries it again, and the other nodes stay",
    ),
    # What somebody else has to allow.
    Failure(
        "AuthorizationFailed",
        Class.HUMAN,
        "give the identity the role that the message names; a role given just now takes minutes",
    ),
    Failure(
        "LinkedAuthorizationFailed",
        Class.HUMAN,
        "give the identity a role on the resource that the message names: it belongs to somebody else",
    ),
    Failure("RequestDisallowedByPolicy", Class.HUMAN, "change what the policy denies, or ask for an exemption"),
    Failure("ScopeLocked", Class.HUMAN, "whoever put the lock there has to take it away; provision never does"),
    Failure(
        "MissingSubscriptionRegistration",
        Class.HUMAN,
        "an administrator has to register the resource provider that is named",
    ),
    Failure(
        "MarketplacePurchaseEligibilityFailed",
        Class.HUMAN,
        "accept the image's terms: az vm image terms accept --urn IMAGE",
    ),
    Failure(
        "DeploymentQuotaExceeded",
        Class.HUMAN,
        "delete old deployments of the group, or the lock that keeps Azure from doing so",
    ),
    *(
        Failure(code, Class.HUMAN, "delete what the message names first; then run the same command again")
        for code in (
            "ResourceGroupDeletionBlocked",
            "ResourceGroupDeletionTimeout",
            "DeploymentStackDeleteResourcesFailed",
        )
    ),
    *(
        Failure(code, Class.HUMAN, "choose a version that is in the region: az vm image list --all")
        for code in ("ImageNotFound", "PlatformImageNotFound")
    ),
    Failure("SubnetIsFull", Class.HUMAN, "state fewer nodes, or give the nodes a larger range"),
    *(
        Failure(
            code, Class.HUMAN, "the name is taken in another location: delete what has it, or rename the environment"
        )
        for code in ("InvalidResourceLocation", "InvalidResourceGroupLocation")
    ),
    Failure(
        "RemotePeeringIsDisconnected",
        Class.HUMAN,
        "delete the half of the peering that is left over at the other end; then run the same command again",
    ),
    Failure("PreconditionFailed", Class.HUMAN, "somebody else has changed it in the same moment: plan again"),
    Failure("OperationNotAllowed", Class.HUMAN, "see what the message asks for; some changes need stopped nodes"),
    # What was sent is wrong.
    *(
        Failure(code, Class.OURS, _TEMPLATE)
        for code in (
            "PropertyChangeNotAllowed",
            "InvalidParameter",
            "NotSupported",
            "BadRequest",
            "InvalidTemplate",
            "InvalidTemplateDeployment",
            "InvalidRequestContent",
            "InvalidRequestFormat",
            "NoRegisteredProviderFound",
            "DeploymentNameInvalidCharacters",
            "DeploymentNameLengthLimitExceeded",
            "InvalidDeploymentLocation",
            "DeploymentJobSizeExceeded",
            "VMScaleSetCannotReferenceLoadbalancerWhenLargeScaleOrCrossAZ",
            "PrivateIPAddressInReservedRange",
            "PrivateIPAddressNotInAnySubnet",
        )
    ),
)

#: Statuses of platform failures, which pass by themselves whatever their code.
PASSING_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
MOST_ATTEMPTS = 8
MOST_READ_ATTEMPTS = 5
LONGEST_READ_S = 600.0


def failure_of(code: str, message: str = "") -> Failure | None:
    """Return the row of a failure, None of one that is not in the table."""
    return next((row for row in TABLE if row.fits(code, message)), None)


def passes(code: str) -> bool:
    """Return whether a failure of a code passes by itself."""
    row = failure_of(code)
    return row is not None and row.kind is Class.NOW


def cannot_work_now(code: str, message: str) -> bool:
    """Return whether a failure says that Azure, or somebody who decides there, does not let it work at present."""
    row = failure_of(code, message)
    return row is not None and row.kind in (Class.LATER, Class.ELSEWHERE, Class.HUMAN)


def remedy_for(cause: str) -> str:
    """Return what to do about a failure, as told by its code and message; empty where another try is all there is."""
    code, _, message = cause.partition(": ")
    row = failure_of(code, message)
    return row.remedy if row else ""


def retry_in(error: ArmError, attempt: int) -> float | None:
    """Return the seconds after which a refused request is worth the next attempt, or None.

    `attempt` counts from 1. Azure's own Retry-After goes before our doubling from 5 s to 60 s. Of an error with
    several causes, each must pass. Too many requests are no failure of this one: it only has to wait its turn.
    """
    if attempt >= MOST_ATTEMPTS and error.status != 429:
        return None
    causes = {code or error.code for code, _, _ in error.details} or {error.code}
    if not all(map(passes, causes)) and error.status not in PASSING_STATUSES:
        return None
    return error.retry_after_s if error.retry_after_s is not None else min(60.0, 5.0 * 2 ** (attempt - 1))


def retry_read_in(error: ArmError, attempt: int, elapsed_s: float) -> float | None:
    """Return the seconds after which a list is worth the next attempt, or None.

    People wait for it, so it gives up sooner than an operation, and at once where there is no connection; but not
    because there were too many requests, which Azure says the end of. `elapsed_s`: since the first attempt.
    """
    if error.status == 429 and elapsed_s < LONGEST_READ_S:
        return error.retry_after_s if error.retry_after_s is not None else 5.0
    attempts = MOST_READ_ATTEMPTS if error.status in PASSING_STATUSES else 2
    if attempt >= attempts or retry_in(error, attempt) is None:
        return None
    return error.retry_after_s if error.retry_after_s is not None else 0.5 * 2 ** (attempt - 1)
