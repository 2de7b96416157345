"""The Jinja2 environment in which templates run: each `{{ value }}` becomes one literal of the target language.

What a template may say stands in `grammar.py`. Sources come in as text by name; nothing is read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import TracebackType
from typing import Any

import jinja2
from jinja2.runtime import Context
from markupsafe import Markup

from provision.environment import Templates as Own
from provision.render.errors import RenderError
from provision.render.grammar import refusals
from provision.render.language import Language


class Templates:
    """The templates of one language, each compiled once and checked on the way in.

    `sources` is text by name, `network/arm.json.j2`; those of other languages are ignored, and those of `own` go before
    those of the same name. Raises RenderError on one that cannot be read or says what a template may not say.
    """

    def __init__(self, language: Language, sources: Mapping[str, str], own: Own | None = None) -> None:
        self._own = own or Own()
        sources = {**sources, **self._own.texts}
        self._sources = {name: text for name, text in sorted(sources.items()) if name.endswith(language.file)}
        self._file = language.file
        self._environment = _environment(language, self._sources)
        for name, text in self._sources.items():
            try:
                template = self._environment.parse(text, name, name)
            except jinja2.TemplateSyntaxError as error:
                raise self._error(name, error.lineno, error.message or "this is no Jinja2") from error
            for line, message in refusals(template, language, self._sources):
                raise self._error(name, line, message)

    def rendered(self, folder: str, context: Mapping[str, object], subject: str) -> str:
        """Return the text that a folder's template makes of `context`.

        Raises RenderError on a name that is not defined and on a value that the language cannot write, and says that
        it was for `subject`.
        """
        name = f"{folder}/{self._file}"
        if name not in self._sources:
            fix = f"add a file {name} to the template folder"
            raise RenderError(self._own.file_of(name), "there is no such template", fix=fix)
        try:
            return self._environment.get_template(name).render(context)
        except (jinja2.UndefinedError, TypeError, ValueError, RecursionError) as error:
            where, line = self._place(error.__traceback__) or (name, 0)
            what = "a macro calls itself without end" if isinstance(error, RecursionError) else str(error)
            raise self._error(where, line, f"{what} (for {subject})") from error

    def _place(self, traceback: TracebackType | None) -> tuple[str, int] | None:
        """Return the innermost template and line of a traceback, which Jinja2 has rewritten to templates' lines."""
        found = None
        while traceback is not None:
            file = traceback.tb_frame.f_code.co_filename
            if file in self._sources:
                found = file, traceback.tb_lineno
            traceback = traceback.tb_next
        return found

    def _error(self, name: str, line: int, message: str) -> RenderError:
        lines = self._sources[name].splitlines()
        source_line = lines[line - 1] if 0 < line <= len(lines) else ""
        return RenderError(self._own.file_of(name), message, line=line, source_line=source_line)


class _Environment(jinja2.Environment):
    """An environment in which an attribute of a map is a key of it and nothing else: not `items`, not `get`."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return what stands behind a dot."""
        if not isinstance(obj, Mapping):
            return super().getattr(obj, attribute)
        return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)


def _environment(language: Language, sources: Mapping[str, str]) -> jinja2.Environment:
    # `pass_context` keeps Jinja2 from folding constants before `finalize` sees them, and autoescape makes macros
    # return Markup, by which their output is told from a value.
    @jinja2.pass_context
    def finalize(_: Context, value: Any) -> Markup:
        if isinstance(value, Markup):
            return value
        if isinstance(value, jinja2.Undefined):
            str(value)  # raises, with the name that is not defined
        return text(value) if isinstance(value, str) else Markup(language.literal(value))

    @lru_cache(maxsize=1024, typed=True)  # most texts stand in many units, and some of them are long
    def text(value: str) -> Markup:
        return Markup(language.literal(value))

    environment = _Environment(
        loader=jinja2.FunctionLoader(lambda name: (sources[name], name, None) if name in sources else None),
        autoescape=True,
        auto_reload=False,
        finalize=finalize,
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    # No function, filter or test of Jinja2's own: an unknown name is an undefined one.
    environment.globals.clear()
    environment.filters.clear()
    environment.tests.clear()
    return environment
