"""Generates the reference pages from the program.

Each table is read from the object that the program uses, so no fact is described twice.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from deviations_page import deviations
from notebook_page import notebook
from public_page import public
from statements_page import statements
from tables import Row, code, table
from verdicts_page import verdicts


def write_all(folder: Path) -> None:
    """Write every generated page into `folder`. An unchanged page keeps its time stamp."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        path, text = folder / f"{name}.md", page()
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def ccas() -> str:
    """Return every congestion control algorithm of the registry: card and parameters."""
    from headgate import catalog

    return "\n".join(_cca(cca) for cca in catalog.ccas())


def queues() -> str:
    """Return every queue discipline of the registry."""
    return _devices("queue")


def routers() -> str:
    """Return the router feedback of every scheme."""
    return _devices("feedback")


def impairments() -> str:
    """Return every impairment of links."""
    return _devices("impairment")


def slow_starts() -> str:
    """Return every slow start."""
    return _devices("slow-start")


def rate_controllers() -> str:
    """Return every rate controller of media."""
    return _devices("media")


def models() -> str:
    """Return every fluid model of the registry."""
    from headgate import catalog

    return "\n".join(_cca(card) for card in catalog.models())


def _devices(kind: str) -> str:
    from headgate import catalog

    return "\n".join(_cca(card) for card in catalog.devices() if card.kind == kind)


def _cca(cca: Any) -> str:
    facts = [
        ("aliases", ", ".join(code(alias) for alias in cca.aliases)),
        ("in the NIST study", cca.nist or ""),
        ("driven by", cca.family),
        ("rule", code(cca.rule)),
        ("response", code(cca.response)),
        ("sources", "; ".join(cca.references)),
    ]
    parts = [
        f"## {cca.title}: `{cca.name}`\n",
        table(["", ""], [fact for fact in facts if fact[1]]),
        table(
            ["parameter", "default", "range", "unit", "meaning", "source"],
            [_parameter(param) for param in cca.params],
        ),
    ]
    return "\n".join(part for part in parts if part)


def _parameter(param: Any) -> Row:
    allowed = " or ".join(param.choices) if param.choices else f"{param.low:g} to {param.high:g}"
    allowed = ", ".join(filter(None, (allowed, param.limits)))
    default = code(param.default if param.choices else f"{param.default:g}")
    default = "required" if param.is_required else default
    return [code(param.name), default, allowed, param.unit, param.about, param.source]


def scenario() -> str:
    """Return every key of a scenario: types from the JSON Schema, defaults from the models."""
    from headgate import Scenario
    from headgate.scenario.base import Model

    schema = Scenario.model_json_schema()
    schemas = {"Scenario": schema} | schema["$defs"]
    models = {model.__name__: model for model in _below(Model)}
    return "\n".join(
        _model(name, schemas[name], models[name])
        for name in sorted(schemas, key=lambda name: name != "Scenario")
        if name in models
    )


def _below(model: Any) -> Iterable[Any]:
    for child in model.__subclasses__():
        yield child
        yield from _below(child)


def _model(name: str, schema: Mapping[str, Any], model: Any) -> str:
    about = _prose(schema.get("description", ""))
    keys = _keys(schema, _defaults(model), getattr(model, "refused", ()))
    return f"## {name}\n\n{about}\n\n{keys}"


def _prose(text: str) -> str:
    return " ".join(text.split())


def _keys(
    schema: Mapping[str, Any], defaults: Mapping[str, object], refused: Sequence[str] = ()
) -> str:
    table_of_it = _table_form(schema)
    required = table_of_it.get("required", [])
    rows = [
        [
            code(key),
            _type(field),
            "required" if key in required else code(_toml(defaults.get(key))),
            field.get("description", ""),
        ]
        for key, field in table_of_it["properties"].items()
        if key not in refused
    ]
    return table(["key", "value", "default", "meaning"], rows)


def _table_form(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a table, even if a text or a list may replace it."""
    forms: Sequence[Mapping[str, Any]] = schema.get("anyOf", [schema])
    return next(form for form in forms if "properties" in form)


def _defaults(model: Any) -> dict[str, object]:
    """Return the defaults of a model as a user would write them."""
    if model.__pydantic_decorators__.model_serializers:
        return {}  # it is written in a short form, which needs all its keys
    given = {
        key: field.get_default(call_default_factory=True)
        for key, field in model.model_fields.items()
        if not field.is_required()
    }
    written: dict[str, object] = model.__pydantic_serializer__.to_python(
        model.model_construct(**given), mode="json", warnings=False, exclude_none=True
    )
    return written


def _toml(value: object) -> str:
    """Write a default as TOML; empty without a default, or if it is too long for a cell."""
    if isinstance(value, dict):
        inside = ", ".join(f"{key} = {_toml(part)}" for key, part in value.items())
        return f"{{ {inside} }}" if inside and len(inside) < 60 else ""
    if isinstance(value, list):
        return f"[{', '.join(_toml(part) for part in value)}]" if value else ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"' if value else ""
    return "" if value is None else f"{value:g}"


def _type(field: Mapping[str, Any]) -> str:
    """Describe in words the values that a JSON Schema allows."""
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


def experiment() -> str:
    """Return every key of an experiment's file, and the named figures."""
    from headgate.claims.claim import Claim, Correction
    from headgate.design.file import FactorTable
    from headgate.experiment.claims import Until
    from headgate.experiment.form import ExperimentFile, ResponseTable
    from headgate.experiment.measures import NAMED
    from headgate.figures.analysis.roles import Pair

    models = (ExperimentFile, ResponseTable, FactorTable, Pair, Claim, Correction, Until)
    keys = [_model(model.__name__, model.model_json_schema(), model) for model in models]
    rows = [
        [code(name), one.unit, one.says, one.better, code(one.sql)] for name, one in NAMED.items()
    ]
    named = table(["name", "unit", "meaning", "better", "in SQL"], rows)
    return "\n".join([*keys, f"## Named figures\n\n{named}"])


def transport() -> str:
    """Return all TCP presets side by side, with each default as the program resolves it."""
    from headgate.scenario.presets import PRESETS
    from headgate.scenario.transport import Transport

    names = list(PRESETS)
    profiles = [_written(Transport.model_validate({"preset": name})) for name in names]
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

    def text(value: Any) -> Any:
        return "-" if value is None else str(value).lower() if isinstance(value, bool) else value

    return {key: text(value) for key, value in written.items()}


def columns() -> str:
    """Return every column of every result table."""
    from headgate.data.columns import EVERY_TABLE

    return "\n".join(
        f"## {name}\n\n"
        + table(
            ["column", "unit", "definition", "formula"],
            [[code(c.name), c.unit, c.definition, code(c.formula)] for c in columns],
        )
        for name, columns in EVERY_TABLE.items()
    )


def conformance() -> str:
    """Return every case of the conformance suite, with its results for each algorithm."""
    from headgate_studies.conform.report import CASES, run_suite, subjects

    verdicts = list(run_suite(subjects(), workers=2))
    rows = []
    for case in CASES:
        of_case = [verdict for verdict in verdicts if verdict.case is case]
        held = [verdict.cca for verdict in of_case if verdict.word == "holds"]
        failed = [verdict.cca for verdict in of_case if verdict.word == "fails"]
        exempt = [f"{cca}: {reason}" for cca, reason in case.exempt.items()]
        about = ", ".join(case.only) or "all algorithms"
        count = f"{len(held)} of {len(held) + len(failed)}"
        if case.left_out:
            count, exempt = "not applicable", [case.left_out, *exempt]
        elif case.built_in_only:
            exempt.append(f"user-defined algorithms: {case.built_in_only}")
        rows.append([code(case.id), case.source, case.statement, about, count, "; ".join(exempt)])
    return table(
        ["case", "section", "statement", "algorithms", "holds", "exempt, with reason"], rows
    )


def quiche() -> str:
    """Return every case of quiche's tests with the results of both variants, and the exceptions."""
    from headgate_studies.conform.report import QUICHE, run_suite, subjects

    results = list(run_suite(subjects(["bbr3"]), workers=2, cases=QUICHE))
    rows = []
    for case in QUICHE:
        of_case = {one.variant: one for one in results if one.case is case}
        words = [
            of_case[v].word if v in of_case else "not checkable" for v in ("draft", "linux-v3")
        ]
        test = case.source.rpartition(" ")[2].partition(".")[2]
        rows.append([code(case.id), code(test), case.statement, *words])
    head = ["case", "test of quiche", "expectation", "draft", "linux-v3"]
    return "\n".join([table(head, rows), *exceptions(results, "variant"), *left_out(QUICHE)])


def picoquic() -> str:
    """Return every case of picoquic's tests with its result, and the exceptions."""
    from headgate_studies.conform.report import PICOQUIC, judge, list_variants, subjects

    rows, results = [], []
    for case in PICOQUIC:
        of = case.only[0]
        word = "not checkable"
        if not case.left_out:
            [subject] = subjects([of])
            [variant] = list_variants(case, subject)
            results.append(judge(case, subject, variant))
            word = results[-1].word
        test = case.source.rpartition(" ")[2]
        rows.append([code(case.id), code(test), code(of), case.statement, word])
    head = ["case", "test of picoquic", "algorithm", "expectation", "result"]
    return "\n".join([table(head, rows), *exceptions(results, "algorithm"), *left_out(PICOQUIC)])


def exceptions(results: Iterable[Any], label: str) -> list[str]:
    """Return a table of the results that are exceptions, by their variant or algorithm."""
    found = [
        [
            code(one.case.id),
            one.variant if label == "variant" else code(one.cca),
            one.finding.expected,
            one.finding.observed,
            one.reason,
        ]
        for one in results
        if one.word == "exception" and one.finding is not None
    ]
    head = ["case", label, "expected", "observed", "reason"]
    return ["Exceptions:\n", table(head, found)]


def left_out(cases: Iterable[Any]) -> list[str]:
    """Return a table of the cases that cannot be run."""
    found = [[code(case.id), case.left_out] for case in cases if case.left_out]
    return ["Not checkable:\n", table(["case", "reason"], found)]


def commands() -> str:
    """Return every command with its arguments and options."""
    import typer.main

    from headgate.cli.main import app
    from headgate.cli.manual import each_command

    group = typer.main.get_command(app)
    return "\n".join(_command(name, command) for name, command in each_command(group.commands))


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


def _level(value: Any) -> str:
    return code(f"{value:.3g}" if isinstance(value, float) else value)


def mesonet() -> str:
    """Return the twenty parameters of MesoNet, and the sizes of the experiments."""
    from headgate_studies.mesonet.parameters import EXPERIMENTS, LARGER_FILES, PARAMETERS

    parameters = [
        [p.label, code(p.key), p.unit, *map(_level, (p.minus, p.plus)), p.mark, p.source]
        for p in PARAMETERS
    ]
    sizes = [
        [name, e.rate, f"{e.sources:,}", e.duration, e.initial_ssthresh, e.title]
        for name, e in EXPERIMENTS.items()
    ]
    files = [[name, f"{n:,}", f"{share:g}"] for name, (n, share) in LARGER_FILES.items()]
    return "\n".join(
        [
            table(["", "key", "unit", "minus", "plus", "mark", "source"], parameters),
            table(
                ["experiment", "backbone", "sources", "simulated", "initial ssthresh", "traffic"],
                sizes,
            ),
            table(["larger file (OURS)", "mean, Web objects", "probability"], files),
        ]
    )


def marks() -> str:
    """Return the meaning of each mark of a number's source."""
    from headgate.base.marks import MEANINGS

    return table(["mark", "meaning"], [[mark, meaning] for mark, meaning in MEANINGS.items()])


PAGES: dict[str, Callable[[], str]] = {
    "algorithms": ccas,
    "impairments": impairments,
    "slow_starts": slow_starts,
    "rate_controllers": rate_controllers,
    "queues": queues,
    "routers": routers,
    "models": models,
    "scenario": scenario,
    "experiment": experiment,
    "marks": marks,
    "mesonet": mesonet,
    "transport": transport,
    "columns": columns,
    "commands": commands,
    "public": public,
    "conformance": conformance,
    "quiche": quiche,
    "picoquic": picoquic,
    "deviations": deviations,
    "statements": statements,
    "verdicts": verdicts,
    "notebook": notebook,
}
