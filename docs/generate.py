"""Pages of the reference, written from the program itself.

Nothing here is a second description: each table is read from the object that the program uses.
"""

import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = Sequence[object]


def write_all(folder: Path) -> None:
    """Write every generated page into `folder`; a page that did not change keeps its time stamp."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        path, text = folder / f"{name}.md", page()
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def table(head: Row, rows: Iterable[Row]) -> str:
    """Write a Markdown table; empty without rows."""
    lines = [_row(row) for row in rows]
    return "\n".join([_row(head), _row(["---"] * len(head)), *lines, ""]) if lines else ""


def _row(cells: Row) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def code(text: object) -> str:
    """Write as code, or nothing for nothing."""
    return f"`{text}`" if str(text) else ""


def laws() -> str:
    """Every law of the registry: card and parameters."""
    from headgate import catalog

    return "\n".join(_law(law) for law in catalog.laws())


def _law(law: Any) -> str:
    facts = [
        ("also called", ", ".join(code(alias) for alias in law.aliases)),
        ("driven by", law.family),
        ("law", code(law.law)),
        ("response", code(law.response)),
        ("sources", "; ".join(law.references)),
    ]
    parts = [
        f"## {law.title}: `{law.name}`\n",
        table(["", ""], [fact for fact in facts if fact[1]]),
        table(
            ["parameter", "default", "range", "unit", "meaning", "source"],
            [_parameter(param) for param in law.params],
        ),
    ]
    return "\n".join(part for part in parts if part)


def _parameter(param: Any) -> Row:
    allowed = " or ".join(param.choices) if param.choices else f"{param.low:g} to {param.high:g}"
    default = param.default if param.choices else f"{param.default:g}"
    return [code(param.name), code(default), allowed, param.unit, param.about, param.source]


def scenario() -> str:
    """Every key of a scenario, from the JSON Schema of the typed models."""
    from headgate.scenario import Scenario

    schema = Scenario.model_json_schema()
    models = {"Scenario": schema} | schema.get("$defs", {})
    return "\n".join(
        f"## {name}\n\n{_prose(model.get('description', ''))}\n\n{_keys(model)}"
        for name, model in models.items()
        if model.get("properties")
    )


def _prose(text: str) -> str:
    return " ".join(text.split())


def _keys(model: Mapping[str, Any]) -> str:
    required = model.get("required", [])
    rows = [
        [code(key), _type(field), _default(key, field, required), field.get("description", "")]
        for key, field in model["properties"].items()
    ]
    return table(["key", "value", "default", "meaning"], rows)


def _default(key: str, field: Mapping[str, Any], required: Sequence[str]) -> str:
    if key in required:
        return "required"
    default = field.get("default")
    if default is None or isinstance(default, dict | list):
        return ""
    return code(str(default).lower() if isinstance(default, bool) else default)


def _type(field: Mapping[str, Any]) -> str:
    """Say in words what a JSON Schema allows."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in field:
            kinds = [_type(kind) for kind in field[several] if kind.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if "const" in field:
        return code(field["const"])
    if "enum" in field:
        return " or ".join(code(word) for word in field["enum"])
    if field.get("examples"):
        return f"text such as {code(field['examples'][0])}"
    return _container(field)


def _container(field: Mapping[str, Any]) -> str:
    kind = field.get("type", "any")
    if kind == "array":
        inner = field.get("items") or {}
        return f"list of {_type(inner)}" if inner else "list"
    if kind == "object":
        inner = field.get("additionalProperties")
        return f"table of {_type(inner)}" if isinstance(inner, dict) and inner else "table"
    words = {"string": "text", "integer": "whole number", "boolean": "`true` or `false`"}
    return words.get(kind, kind)


def transport() -> str:
    """Every TCP profile beside the others, with each default as the program resolves it."""
    from headgate.scenario.transport import Transport

    names = typing.get_args(Transport.model_fields["preset"].annotation)
    profiles = [_written(Transport(preset=name)) for name in names]
    rows = [
        [code(key), *(code(profile[key]) for profile in profiles), field.description]
        for key, field in Transport.model_fields.items()
        if key != "preset"
    ]
    return table(["key", *(code(name) for name in names), "meaning"], rows)


def _written(profile: Any) -> dict[str, Any]:
    """Return every field of a profile as a user would write it."""
    full = profile.model_copy(update=profile.resolved)
    written: dict[str, Any] = full.model_dump(mode="json")
    return {key: str(v).lower() if isinstance(v, bool) else v for key, v in written.items()}


def columns() -> str:
    """Every column of every table of results."""
    from headgate import tables

    return "\n".join(
        f"## {name}\n\n"
        + table(
            ["column", "unit", "definition", "formula"],
            [[code(c.name), c.unit, c.definition, code(c.formula)] for c in columns],
        )
        for name, columns in tables.TABLES.items()
    )


def commands() -> str:
    """Every command with its arguments and options."""
    import typer.main

    from headgate.cli.main import app

    group = typer.main.get_command(app)
    return "\n".join(_command(name, command) for name, command in group.commands.items())


def _command(name: str, command: Any) -> str:
    rows = [
        [_names(param), _prose(getattr(param, "help", "") or "")]
        for param in command.params
        if "--help" not in param.opts and not getattr(param, "hidden", False)
    ]
    head = f"## headgate {name}\n\n{_help(command)}\n"
    return head + "\n" + table(["argument or option", "meaning"], rows)


def _help(command: Any) -> str:
    paragraphs = (command.help or "").replace("\b", "").split("\n\n")
    return "\n\n".join(_prose(paragraph) for paragraph in paragraphs)


def _names(param: Any) -> str:
    if param.param_type_name == "argument":
        return code(param.make_metavar() if not param.name else param.name.upper())
    return ", ".join(code(option) for option in [*param.opts, *param.secondary_opts])


PAGES: dict[str, Callable[[], str]] = {
    "laws": laws,
    "scenario": scenario,
    "transport": transport,
    "columns": columns,
    "commands": commands,
}
