"""What is to be done, worked out before anything is: changes, operations in order, what stays."""

from provision.plan.build import plan_of, plan_of_destroying
from provision.plan.context import Context
from provision.plan.model import Action, Change, Edit, Kept, Operation, Plan
from provision.plan.observed import Observed
from provision.plan.partial import Chosen

__all__ = [
    "Action",
    "Change",
    "Chosen",
    "Context",
    "Edit",
    "Kept",
    "Observed",
    "Operation",
    "Plan",
    "plan_of",
    "plan_of_destroying",
]
