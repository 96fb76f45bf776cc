"""Solutions of fluid models by the engine, one run or many."""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from headgate.base import catalog
from headgate.base.errors import EngineMissingError, FluidWarning, ScenarioError
from headgate.base.version import __version__
from headgate.data.measures.fluid import Path, make_fluid_tables
from headgate.data.tables import Table
from headgate.engine.api import Result
from headgate.engine.fluid.network import (
    Resolved,
    count_runs,
    is_of_network,
    resolve,
    vary,
)
from headgate.engine.fluid.settings import (
    Adaptive,
    Method,
    Numbers,
    Params,
    above_zero,
    choose_method,
    describe_method,
    list_columns,
    list_values,
    read_params,
    seconds,
)
from headgate.engine.fluid.validity import SolvedRun, find_warnings

if TYPE_CHECKING:
    from types import ModuleType

Network = Mapping[str, Any]

#: Rows of a run without fixed steps, unless `every` is given.
ROWS = 2500
#: Runs between two checks for Ctrl-C.
SLICE = 500


def solve(  # noqa: PLR0913 - separate quantities
    model: str,
    params: Params | None = None,
    *,
    network: Network | None = None,
    duration: str = "50 s",
    method: Method | str = "adaptive",
    every: str | None = None,
    warmup: str = "0 s",
) -> Result:
    """Solve a fluid model of the catalogue; return the same tables as a packet run.

    `params` are parameters of the model: words, numbers in the units of its card, or quantities
    (`rtt="200 ms"`); the others keep their defaults. `network` has `classes` of flows, `links` and
    `packet`, for models that take one. `duration` is the time to solve, "50 s"; `method` is
    "adaptive", `Adaptive`, `Euler` or `RK4`. Series list a row per `every` (by default each fixed
    step, or 2,500 rows in all); means leave out `warmup`.

    Each way in which packets would behave differently gives a FluidWarning, which is in
    `meta["warnings"]` too. Raises CatalogError for an unknown model or parameter, ScenarioError for
    a wrong network or time.
    """
    card = catalog.model(model)
    given = read_params(card, params or {})
    values = list_values(card, given)
    request, way = _make_request(card.name, duration, choose_method(method), every, "0 s")
    resolved = None if network is None else resolve(card, network)
    if resolved is not None:
        request["network"] = resolved.parts
    names = None if resolved is None else resolved.names
    warmup_s = seconds("warmup", warmup)
    if warmup_s >= request["duration_s"]:
        raise ScenarioError(
            "warmup", f"must be shorter than the run of {request['duration_s']:g} s"
        )
    begun, started = time.thread_time(), time.perf_counter()
    facts = _call_engine("fluid_run", json.dumps(request), values)
    said = {"model": card.name, "params": given, "order": request, **describe_method(way)}
    paths = None if resolved is None else _paths(card, values, resolved)
    tables = make_fluid_tables(card.name, facts, warmup_s, names, paths)
    bytes_each = float(facts["packet_bytes"])
    seen = SolvedRun(card, given, facts["flows"], tables, warmup_s, bytes_each, resolved)
    doubts = find_warnings(seen)
    for doubt in doubts:
        warnings.warn(doubt, FluidWarning, stacklevel=2)
    meta = {
        "headgate": __version__,
        "identity": hashlib.sha256(json.dumps(said, default=str).encode()).hexdigest(),
        "fluid": said,
        "seed": 0,
        "laws": [{"name": card.name, "params": given}],
        "cpu_s": time.thread_time() - begun,
        "wall_s": time.perf_counter() - started,
        "packet_hops": 0,
        "steps": dict(zip(("taken", "rejected", "slopes"), facts["cost"], strict=True)),
        "switches": {name: column.tolist() for name, column in facts["events"].items()},
        "warnings": list(doubts),
        "digest": _digest(tables["series"]),
    }
    return Result(tables, meta)


def sweep(  # noqa: PLR0913 - separate quantities
    model: str,
    params: Mapping[str, ArrayLike],
    *,
    network: Network | None = None,
    duration: str = "50 s",
    method: Method | str = "adaptive",
    every: str | None = None,
    warmup: str = "0 s",
    workers: int | None = None,
) -> Table:
    """Solve a model once for each row of `params`; return a table with one row per run.

    A parameter is a column, or one value for all runs. So is a number of the network, under its
    place (`links.core.rate`, `classes.web.flows`, `classes.web.rtt`) and with the network's units;
    the table gives it in packets, seconds or bit/s. Each quantity over time gives its minimum,
    quartiles, mean, maximum and period after `warmup` (NaN if it does not oscillate). `stopped_s`
    is the time beyond which a run could not be solved, NaN if there is none. `workers` is the
    number of threads, by default one per core. Raises CatalogError or ScenarioError.
    """
    card = catalog.model(model)
    varied = {name: values for name, values in params.items() if is_of_network(name)}
    plain = {name: values for name, values in params.items() if name not in varied}
    runs = _runs({**plain, **varied})
    columns, values = list_columns(card, plain, runs)
    request, _ = _make_request(card.name, duration, choose_method(method), every, warmup)
    if network is not None:
        request["network"] = resolve(card, network).parts
    own, shown = _networks(card, network, varied, runs)
    text, cores = json.dumps(request), workers or os.cpu_count() or 1
    parts = [
        _call_engine(
            "fluid_sweep",
            text,
            values[start : start + SLICE],
            json.dumps(own[start : start + SLICE]),
            cores,
        )
        for start in range(0, runs, SLICE)
    ]
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return Table("sweep", columns | shown | found)


def _networks(
    card: catalog.Cca, network: Network | None, varied: Mapping[str, ArrayLike], runs: int
) -> tuple[list[Mapping[str, Any]], dict[str, Numbers]]:
    """Return the network of each run, none if it is the same for all, and the varied numbers."""
    if not varied:
        return [], {}
    if network is None:
        raise ScenarioError("network", f"is missing; {next(iter(varied))} is one of its numbers")
    own, shown = vary(card, network, varied, runs)
    return [each.parts for each in own], shown


def _runs(params: Mapping[str, ArrayLike]) -> int:
    found = {name: count_runs(values) for name, values in params.items()}
    lengths = {name: length for name, length in found.items() if length is not None}
    if not lengths:
        raise ScenarioError("params", "at least one must be a list, with one value per run")
    runs = max(lengths.values())
    for name, length in lengths.items():
        if length != runs or not runs:
            raise ScenarioError(
                name, f"has {length} values; another has {runs}, and they must be equal"
            )
    return runs


def make_demand(
    model: str, params: Params, network: Network
) -> tuple[Resolved, Callable[[Numbers], tuple[Numbers, Numbers]]]:
    """Return a resolved network, and the demand of a flow of each class at the price of its path.

    The demand function returns, for one price per class, rates in packets/s and their integrals
    over the price. Raises CatalogError or ScenarioError.
    """
    resolved = resolve(catalog.model(model), network)
    ask = make_engine_call(model, params, network)

    def demand(prices: Numbers) -> tuple[Numbers, Numbers]:
        found = ask("fluid_demand", np.ascontiguousarray(prices, dtype=float))
        return found["rate_packets_s"], found["integral"]

    demand(np.ones(len(resolved.names["class"])))
    return resolved, demand


def make_engine_call(
    model: str, params: Params, network: Network | None, method: Method | None = None
) -> Callable[..., dict[str, Any]]:
    """Return a function that calls the engine about a model.

    Its arguments are the engine's function, that function's arguments, and changes of the request.
    Raises CatalogError or ScenarioError.
    """
    card = catalog.model(model)
    values = list_values(card, read_params(card, params))
    request, _ = _make_request(card.name, "1 s", method or Adaptive(), None, "0 s")
    if network is not None:
        request["network"] = resolve(card, network).parts

    def ask(function: str, *more: Any, **changes: Any) -> dict[str, Any]:
        return _call_engine(function, json.dumps(request | changes), values, *more)

    return ask


def _make_request(
    model: str, duration: str, method: Method, every: str | None, warmup: str
) -> tuple[dict[str, Any], Method]:
    duration_s, how = above_zero("duration", duration), method.describe()
    spacing_s = duration_s / ROWS if isinstance(method, Adaptive) else how["step_s"]
    request = {
        "model": model,
        "method": how,
        "duration_s": duration_s,
        "every_s": spacing_s if every is None else above_zero("every", every),
        "from_s": seconds("warmup", warmup),
    }
    return request, method


def _paths(card: catalog.Cca, values: Numbers, resolved: Resolved) -> list[Path]:
    """Return the links of each class, and its additional loss, a parameter of some models."""
    names = [param.name for param in card.params]
    place = names.index("loss") if "loss" in names else None
    everyone = 0.0 if place is None else float(values[place])
    return [
        Path(part["path"], dict(part["set"]).get(place, everyone))
        for part in resolved.parts["classes"]
    ]


def _call_engine(function: str, request: str, *values: Any) -> dict[str, Any]:
    """Call the engine. Raises ScenarioError with the engine's sentence."""
    try:
        found: dict[str, Any] = getattr(_native(), function)(request, *values)
    except ValueError as error:
        place, _, sentence = str(error).partition(": ")
        raise ScenarioError(place, sentence) from None
    return found


def _native() -> ModuleType:
    try:
        from headgate import _native
    except ImportError as error:
        raise EngineMissingError(
            f"the engine is not built ({error}); run `make setup` in the clone"
        ) from None
    return _native


def _digest(series: Table) -> str:
    numbers = (series[name] for name in series if series[name].dtype.kind == "f")
    return hashlib.sha256(b"".join(column.tobytes() for column in numbers)).hexdigest()
