"""The option `--what-if`: Azure's own word beside each plan. No verb itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from provision.arm import ArmError

if TYPE_CHECKING:
    from provision.cli.target import Target
    from provision.plan.what_if import Foreseen, Question
    from provision.preflight import Member


def foreseen_of(members: Sequence[Member], targets: Mapping[str, Target]) -> tuple[list[Foreseen], bool]:
    """Return what Azure foresees beside each plan, and whether every question was answered, and as a whole."""
    from provision.adapters.policies import load_policies
    from provision.observe.read import side_by_side
    from provision.plan.what_if import foreseen, questions

    found, answered = [], True
    for member in members:
        arm = targets[member.subscription].arm
        asked, unasked = questions(member.plan, member.observed.groups.keys())

        def ask(question: Question, arm: Any = arm) -> Mapping[str, Any] | ArmError:
            try:
                answer: Mapping[str, Any] = arm.what_if(question.group, question.name, question.body)
            except ArmError as error:
                return error
            return answer

        answers = list(zip(asked, side_by_side(ask, asked), strict=True))
        for question, answer in answers:
            if isinstance(answer, ArmError):
                answered = False
                unasked.append((f"{question.unit} in {question.region}", str(answer)))
        good = [(question, answer) for question, answer in answers if not isinstance(answer, ArmError)]
        found.append(foreseen(member.plan, good, unasked, load_policies()))
        answered = answered and not found[-1].skipped
    return found, answered
