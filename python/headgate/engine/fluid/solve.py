"""One run or many, solved by the engine."""

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
from headgate.engine.fluid import network as networks
from headgate.engine.fluid import validity
from headgate.engine.fluid import varied as varying
from headgate.engine.fluid.methods import (
    Adaptive,
    Method,
    above_zero,
    choose_method,
    describe_method,
    seconds,
)
from headgate.engine.fluid.params import Numbers, Params, list_columns, list_values, read_params
from headgate.engine.fluid.validity import Seen

if TYPE_CHECKING:
    from types import ModuleType

Network = Mapping[str, Any]

#: Rows of a run whose steps have no fixed length, unless `every` is given.
ROWS = 2500
#: Runs between two checks for Ctrl-C.
SLICE = 500


def solve(  # noqa: PLR0913 - each is a quantity of its own
    model: str,
    params: Params | None = None,
    *,
    network: Network | None = None,
    duration: str = "50 s",
    method: Method | str = "adaptive",
    every: str | None = None,
    warmup: str = "0 s",
) -> Result:
    """Solve a fluid model of the catalogue; return the same tables as a run of packets has.

    `params` are parameters of the model: words, numbers in the units of its card, or quantities
    (`rtt="200 ms"`); the others keep their defaults. `network` has `classes` of flows, `links` and
    `packet`, for models that take one. `duration` is the time to solve, "50 s"; `method` is
    "adaptive", `Adaptive`, `Euler` or `RK4`. Series have a row per `every` (by default each fixed
    step, or 2,500 rows in all); means leave out `warmup`.

    Each way in which packets would behave differently gives a FluidWarning, which is in
    `meta["warnings"]` too. Raises CatalogError for an unknown model or parameter, ScenarioError
    for a wrong network or time.
    """
    card = catalog.model(model)
    given = read_params(card, params or {})
    values = list_values(card, given)
    order, way = _order(card.name, duration, choose_method(method), every, "0 s")
    resolved = None if network is None else networks.resolve(card, network)
    if resolved is not None:
        order["network"] = resolved.order
    names = None if resolved is None else resolved.names
    warmup_s = seconds("warmup", warmup)
    if warmup_s >= order["duration_s"]:
        raise ScenarioError("warmup", f"must be shorter than the run of {order['duration_s']:g} s")
    begun, started = time.thread_time(), time.perf_counter()
    facts = _call_engine("fluid_run", json.dumps(order), values)
    said = {"model": card.name, "params": given, "order": order, **describe_method(way)}
    paths = None if resolved is None else _paths(card, values, resolved)
    tables = make_fluid_tables(card.name, facts, warmup_s, names, paths)
    bytes_each = float(facts["packet_bytes"])
    seen = Seen(card, given, facts["flows"], tables, warmup_s, bytes_each, resolved)
    doubts = validity.warnings(seen)
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


def sweep(  # noqa: PLR0913 - each is a quantity of its own
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
    place (`links.core.rate`, `classes.web.flows`, `classes.web.rtt`), as a network has it; in the
    table it is in packets, seconds or bit/s. Each quantity over time gives its minimum, quartiles,
    mean, maximum and period after `warmup` (NaN where it does not oscillate); `stopped_s` is the
    time beyond which a run could not be solved, NaN if there is none. `workers` is the number of
    threads, by default one per core. Raises CatalogError or ScenarioError.
    """
    card = catalog.model(model)
    varied = {name: values for name, values in params.items() if varying.is_of_network(name)}
    plain = {name: values for name, values in params.items() if name not in varied}
    runs = _runs({**plain, **varied})
    columns, values = list_columns(card, plain, runs)
    order, _ = _order(card.name, duration, choose_method(method), every, warmup)
    if network is not None:
        order["network"] = networks.resolve(card, network).order
    own, shown = _networks(card, network, varied, runs)
    text, cores = json.dumps(order), workers or os.cpu_count() or 1
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
    card: catalog.Law, network: Network | None, varied: Mapping[str, ArrayLike], runs: int
) -> tuple[list[Mapping[str, Any]], dict[str, Numbers]]:
    """Return the network of each run, none if it is the same for all, and what varies."""
    if not varied:
        return [], {}
    if network is None:
        raise ScenarioError("network", f"is missing; {next(iter(varied))} is one of its numbers")
    own, shown = varying.vary(card, network, varied, runs)
    return [each.order for each in own], shown


def _runs(params: Mapping[str, ArrayLike]) -> int:
    """Return how many runs the columns are for: all that are lists are of one length."""
    found = {name: varying.length(values) for name, values in params.items()}
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


def demand_of(
    model: str, params: Params, network: Network
) -> tuple[networks.Resolved, Callable[[Numbers], tuple[Numbers, Numbers]]]:
    """Return a network as it is read, and what a flow of each class sends at the price of its path.

    The second gives, for a price of each class, rates in packets/s and their integrals over the
    price. Raises CatalogError or ScenarioError.
    """
    resolved = networks.resolve(catalog.model(model), network)
    ask = engine_of(model, params, network)

    def demand(prices: Numbers) -> tuple[Numbers, Numbers]:
        found = ask("fluid_demand", np.ascontiguousarray(prices, dtype=float))
        return found["rate_packets_s"], found["integral"]

    demand(np.ones(len(resolved.names["class"])))
    return resolved, demand


def engine_of(
    model: str, params: Params, network: Network | None, method: Method | None = None
) -> Callable[..., dict[str, Any]]:
    """Return what asks the engine about a model: a function, its arguments, changes of the order.

    Raises CatalogError or ScenarioError.
    """
    card = catalog.model(model)
    values = list_values(card, read_params(card, params))
    order, _ = _order(card.name, "1 s", method or Adaptive(), None, "0 s")
    if network is not None:
        order["network"] = networks.resolve(card, network).order

    def ask(function: str, *more: Any, **changes: Any) -> dict[str, Any]:
        return _call_engine(function, json.dumps(order | changes), values, *more)

    return ask


def _order(
    model: str, duration: str, method: Method, every: str | None, warmup: str
) -> tuple[dict[str, Any], Method]:
    duration_s, how = above_zero("duration", duration), method.order()
    spacing_s = duration_s / ROWS if isinstance(method, Adaptive) else how["step_s"]
    order = {
        "model": model,
        "method": how,
        "duration_s": duration_s,
        "every_s": spacing_s if every is None else above_zero("every", every),
        "from_s": seconds("warmup", warmup),
    }
    return order, method


def _paths(card: catalog.Law, values: Numbers, resolved: networks.Resolved) -> list[Path]:
    """Return the links of each class, and the loss it meets beside theirs, a parameter of some."""
    names = [param.name for param in card.params]
    place = names.index("loss") if "loss" in names else None
    everyone = 0.0 if place is None else float(values[place])
    return [
        Path(part["path"], dict(part["set"]).get(place, everyone))
        for part in resolved.order["classes"]
    ]


def _call_engine(function: str, order: str, *values: Any) -> dict[str, Any]:
    """Call the engine; its refusals are one sentence with their place."""
    try:
        found: dict[str, Any] = getattr(_native(), function)(order, *values)
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
    """Return a fingerprint of all that was shown."""
    numbers = (series[name] for name in series if series[name].dtype.kind == "f")
    return hashlib.sha256(b"".join(column.tobytes() for column in numbers)).hexdigest()
