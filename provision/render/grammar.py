"""What a template may say: text, names and attributes, `for`, `if`, and macros. Nothing that computes.

This is what makes it sound that the environment serialises each `{{ value }}` by itself: a filter, a constant or a
joined string would come out as something else than one literal in one place (measured with Jinja2 3.1).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from jinja2 import nodes

from provision.render.language import Language

_NAMES: dict[type[nodes.Node], str] = {
    nodes.Filter: "a filter",
    nodes.Test: "a test with `is`",
    nodes.Concat: "joining with `~`",
    nodes.Const: "a constant",
    nodes.Tuple: "a tuple",
    nodes.List: "a list",
    nodes.Dict: "a map",
    nodes.Getitem: "a subscript",
    nodes.Compare: "a comparison",
    nodes.CondExpr: "an inline `if`",
    nodes.Assign: "`set`",
    nodes.AssignBlock: "`set`",
    nodes.With: "`with`",
    nodes.CallBlock: "`call`",
    nodes.FilterBlock: "`filter`",
    nodes.Extends: "`extends`",
    nodes.Block: "`block`",
    nodes.Import: "`import` of a whole template",
    nodes.ScopedEvalContextModifier: "`autoescape`",
    nodes.BinExpr: "arithmetic",
    nodes.UnaryExpr: "arithmetic",
}


class Refusal(NamedTuple):
    """Something that a template may not say. `line` counts from 1."""

    line: int
    message: str


def refusals(template: nodes.Template, language: Language, known: Collection[str]) -> Iterator[Refusal]:
    """Yield what a template may not say, in its order; `known` are the templates that it may include."""
    macros = {macro.name for macro in template.find_all(nodes.Macro)}
    for use in template.find_all(nodes.FromImport):
        macros.update(name if isinstance(name, str) else name[1] for name in use.names)
    yield from _Reader(language, known, macros).statements(template.body)


class _Reader:
    """The grammar, one method for each kind of place."""

    def __init__(self, language: Language, known: Collection[str], macros: Collection[str]) -> None:
        self._language = language
        self._known = known
        self._macros = macros

    def statements(self, body: list[nodes.Node]) -> Iterator[Refusal]:
        for node in body:
            match node:
                case nodes.Output():
                    for part in node.nodes:
                        yield from self._text(part) if isinstance(part, nodes.TemplateData) else self._value(part)
                case nodes.For():
                    yield from self._loop(node)
                case nodes.If():
                    yield from self._test(node.test)
                    yield from self.statements([*node.body, *node.elif_, *node.else_])
                case nodes.Macro():
                    yield from self._macro(node)
                case nodes.Include() | nodes.FromImport():
                    yield from self._other(node)
                case nodes.Scope():  # Jinja2 puts one around `autoescape`, without a line
                    yield from self.statements(node.body)
                case _:
                    yield _refused(node)

    def _text(self, node: nodes.TemplateData) -> Iterator[Refusal]:
        if (problem := self._language.text_problem(node.data)) is not None:
            yield Refusal(node.lineno + node.data.count("\n", 0, problem.offset), problem.message)

    def _loop(self, node: nodes.For) -> Iterator[Refusal]:
        yield from self._path(node.target)
        yield from self._path(node.iter)
        if node.test is not None:
            yield from self._test(node.test)
        if node.recursive:
            yield Refusal(node.lineno, "a recursive loop is not allowed in a template")
        yield from self.statements([*node.body, *node.else_])

    def _macro(self, node: nodes.Macro) -> Iterator[Refusal]:
        for name in node.args:
            yield from self._path(name)
        for default in node.defaults:
            yield Refusal(default.lineno, "the default of a macro's argument is not allowed in a template")
        yield from self.statements(node.body)

    def _other(self, node: nodes.Include | nodes.FromImport) -> Iterator[Refusal]:
        name = node.template
        if not isinstance(name, nodes.Const) or name.value not in self._known:
            shown = repr(name.value) if isinstance(name, nodes.Const) else "what a value names"
            yield Refusal(node.lineno, f"there is no template {shown}; known are {', '.join(sorted(self._known))}")

    def _test(self, node: nodes.Node) -> Iterator[Refusal]:
        match node:
            case nodes.Not():
                yield from self._test(node.node)
            case nodes.And() | nodes.Or():
                yield from self._test(node.left)
                yield from self._test(node.right)
            case _:
                yield from self._path(node)

    def _value(self, node: nodes.Node) -> Iterator[Refusal]:
        if not isinstance(node, nodes.Call):
            yield from self._path(node)
            return
        if not isinstance(node.node, nodes.Name) or node.node.name not in self._macros:
            yield Refusal(node.lineno, "a call of anything but a macro is not allowed in a template")
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            yield Refusal(node.lineno, "`*` in a call is not allowed in a template")
        for value in [*node.args, *(argument.value for argument in node.kwargs)]:
            yield from self._path(value)

    def _path(self, node: nodes.Node) -> Iterator[Refusal]:
        match node:
            case nodes.Name():
                name = node.name
            case nodes.Getattr():
                name = node.attr
                yield from self._path(node.node)
            case _:
                yield _refused(node)
                return
        if name.startswith("_"):
            yield Refusal(node.lineno, f"the name {name} begins with an underscore, which is not allowed in a template")


def _refused(node: nodes.Node) -> Refusal:
    what = next((name for kind, name in _NAMES.items() if isinstance(node, kind)), f"`{type(node).__name__.lower()}`")
    return Refusal(node.lineno, f"{what} is not allowed in a template; compute the value before it is laid out")
