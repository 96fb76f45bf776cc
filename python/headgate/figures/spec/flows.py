"""Round-trip time, window and throughput of flows over time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from headgate.figures.spec.drawing import Level, Line, Numbers, Panel, Picture
from headgate.figures.spec.looks import GREY, Look, find_looks, look_at
from headgate.figures.spec.run import Run, order_ccas
from headgate.figures.spec.selection import (
    MOST_LINES,
    MOST_LINKS,
    MOST_OF_CCA,
    SeriesReader,
    average,
    choose_fairly,
    choose_interval,
    compare,
    group_by_cca,
    name_cca,
    say_thinned,
    share_points,
    share_times,
    thin,
)
from headgate.figures.spec.streams import STREAMS, draw_streams, list_streams

#: Payload as it reaches receivers. A cumulative ACK comes late and in bursts: after a repaired loss
#: one covers what the link carried long before, so that a rate of ACKs exceeds that of the link.
ARRIVED = "arrival_rate_bps"
Shape = Callable[[Numbers, Numbers], tuple[Numbers, Numbers]]


def draw_rtt(runs: Sequence[Run]) -> Picture | None:
    """Draw the smoothed round-trip time of flows."""
    title = "Round-trip time"
    return _draw_sampled(runs[0], "srtt_s", 1e3, title, "smoothed RTT (ms)", zero=False)


def draw_cwnd(runs: Sequence[Run]) -> Picture | None:
    """Draw the congestion windows of flows."""
    return _draw_sampled(
        runs[0], "cwnd_packets", 1.0, "Congestion window", "congestion window (packets)"
    )


def _draw_sampled(  # noqa: PLR0913 - what two pictures differ in
    run: Run, column: str, scale: float, title: str, y: str, *, zero: bool = True
) -> Picture | None:
    courses = SeriesReader(run, "flow")
    names = courses.list_known(column)
    if not names:
        return None
    drawn: list[int] = [0, 0]
    each = share_points(min(len(names), MOST_LINES))

    def shape(t_s: Numbers, values: Numbers) -> tuple[Numbers, Numbers]:
        kept = thin(t_s, scale * values, each)
        drawn[0] += len(kept[0])
        drawn[1] += len(t_s)
        return kept

    panels, cut = compare(_draw_each_flow(run, courses, column, y, shape), zero=zero)
    caption = _join([_say_chosen(run, names), cut, say_thinned(*drawn)])
    return Picture(title, caption, share_times(panels))


SAID_OF_STREAMS = "Of streams of media, packets that arrive, with headers."


def draw_throughput(runs: Sequence[Run]) -> Picture | None:
    """Draw the throughput of flows by algorithm and of streams of media, or else that of ports."""
    run = runs[0]
    courses, rate = SeriesReader(run, "flow"), name_rate(run)
    names = courses.list_known(rate)
    if names:
        return _draw_flows(run, courses, names, rate)
    return _draw_only_streams(run) or _draw_ports(run)


def name_rate(run: Run) -> str:
    """Return the column of the rate of payload: as it arrives, or else the sender's."""
    return ARRIVED if SeriesReader(run, "flow").list_known(ARRIVED) else "throughput_bps"


def _draw_flows(run: Run, courses: SeriesReader, names: Sequence[str], rate: str) -> Picture:
    interval_s = choose_interval(courses.table["t_s"])
    y = "throughput (Mbit/s)"

    def shape(t_s: Numbers, bps: Numbers) -> tuple[Numbers, Numbers]:
        return average(t_s, 1e-6 * bps, interval_s)

    ccas = group_by_cca(run, names)
    panels: tuple[Panel, ...] = ()
    ports = SeriesReader(run, "port")
    links, levels = find_capacities_of_flows(run, ports)
    cut = ""
    if max(map(len, ccas.values())) > 1:
        one_by_one = _draw_each_flow(run, courses, rate, y, shape)
        # The sum of several links, or of both directions of one, cannot be compared with a rate.
        levels_of_flow = levels * (links > 1)
        named = [
            replace(p, levels=levels_of_flow, title=p.title or "flow by flow") for p in one_by_one
        ]
        panels, cut = compare(named)
    all_flows = len(run.tables["flows"])
    known = f" of {all_flows}" * (all_flows > len(names))
    total = Line(
        f"total of {len(names)}{known} flows",
        *shape(*courses.combine(names, rate, mean=False)),
    )
    lines = [total] if len(names) > 1 else []
    if len(names) < all_flows and links == 1 and name_direct_link(run) in {"", *ports.rows}:
        lines += _draw_sent(ports, shape)
    streams = draw_streams(run, shape)
    lines += [*_draw_ccas(run, courses, ccas, rate, shape), *streams]
    title = "sum of each algorithm's flows" if panels else ""
    flows = run.tables["flows"]
    all_alike = links == 1 and len(np.unique(flows["source"])) == 1
    levels = levels if all_alike or len(names) == 1 else ()
    first = _panel(run, title, y, lines, levels)
    shown, also_cut = compare([first])
    said = [
        f"{_say_measured(run, rate)}, averaged over {interval_s:.3g} s.",
        SAID_OF_STREAMS * bool(streams),
        _say_chosen(run, names) if panels or len(names) < all_flows else "",
    ]
    caption = _join([*said, cut or also_cut])
    return Picture("Throughput", caption, share_times((*shown, *panels)))


def _draw_only_streams(run: Run) -> Picture | None:
    """Draw the streams of media of a run without series of flows."""
    if not list_streams(run):
        return None
    interval_s = choose_interval(run.tables[STREAMS]["t_s"])
    lines = draw_streams(run, lambda t_s, bps: average(t_s, 1e-6 * bps, interval_s))
    levels = find_capacities(run, SeriesReader(run, "port"))[1]
    panels, cut = compare([_panel(run, "", "throughput (Mbit/s)", lines, levels)])
    said = [f"Averaged over {interval_s:.3g} s.", SAID_OF_STREAMS, cut]
    return Picture("Throughput", _join(said), panels)


def _say_measured(run: Run, rate: str) -> str:
    """Name the measured rate: arrivals, except in fluid runs and older versions."""
    if rate == ARRIVED:
        return "Payload that reaches the receiver"
    return "Payload sent" if "fluid" in run.meta else "Payload acknowledged"


def _draw_sent(ports: SeriesReader, shape: Shape) -> list[Line]:
    """Draw the rate of each port, including flows without a series."""
    return [
        Line(f"all that {name} sends, with headers", *shape(*ports.read(name, "throughput_bps")),
             Look(GREY, dash="--"))
        for name in ports.list_known("throughput_bps")
    ]  # fmt: skip


def _draw_ccas(
    run: Run, courses: SeriesReader, ccas: Mapping[str, Sequence[str]], rate: str, shape: Shape
) -> list[Line]:
    """Draw the sum of each algorithm's flows; a single flow keeps its name."""
    looks = look_ccas([run])
    lines = []
    for cca, names in ccas.items():
        of_cca = f"{name_cca(cca)}, sum of {len(names)}"
        values = shape(*courses.combine(names, rate, mean=False))
        named = names[0] if len(names) == 1 else of_cca
        lines.append(Line(named, *values, looks.get(cca)))
    return lines


def _draw_each_flow(
    run: Run, courses: SeriesReader, column: str, y: str, shape: Shape
) -> tuple[Panel, ...]:
    """Draw all flows in one panel if they can be distinguished, else a panel per algorithm."""
    names = courses.list_known(column)
    ccas = group_by_cca(run, names)
    looks = look_ccas([run])
    alone = len(names) <= MOST_LINES
    panels = []
    for cca, of_cca in ccas.items():
        look = looks.get(cca, Look(GREY))
        if alone:
            lines = [
                Line(name, *shape(*courses.read(name, column)), look.dashed(place))
                for place, name in enumerate(of_cca)
            ]
            title = ""
        else:
            shown = choose_fairly(courses, of_cca, MOST_OF_CCA)
            lines = [
                Line(name, *shape(*courses.read(name, column)), look, "thin", listed=False)
                for name in shown
            ]
            middle = courses.combine(of_cca, column, mean=True)
            lines.append(Line(f"mean of {len(of_cca)}", *shape(*middle), look, listed=False))
            some = "each" if len(shown) == len(of_cca) else f"{len(shown)}"
            title = f"{name_cca(cca)}: mean of {len(of_cca)} flows (thick), {some} of them (thin)"
        panels.append(_panel(run, title, y, lines))
    if alone:
        return (_panel(run, "", y, [line for panel in panels for line in panel.lines]),)
    return tuple(panels)


def _panel(
    run: Run, title: str, y: str, lines: Sequence[Line], levels: tuple[Level, ...] = ()
) -> Panel:
    """Return a panel over the time of the run, with its warm-up and its outages."""
    outages = run.list_outages()
    return Panel(title, "time (s)", y, tuple(lines), levels, run.warmup_s, outages=outages)


def name_direct_link(run: Run) -> str:
    """Return the link from the router of all senders to that of all receivers; "" if there is none.

    In a dumbbell, flows in the other direction use the reverse of the bottleneck.
    """
    if "ports" not in run.tables:
        return ""
    flows, ports = run.tables["flows"], run.tables["ports"]
    ends = {*zip(flows["source"], flows["receiver"], strict=True)}
    ways = zip(ports["from"], ports["to"], strict=True)
    links = [str(name) for name, way in zip(ports["link"], ways, strict=True) if {way} == ends]
    return links[0] if len(links) == 1 else ""


def find_capacities_of_flows(run: Run, measured: SeriesReader) -> tuple[int, tuple[Level, ...]]:
    """Return the capacities to which flows are compared: of their link, or of measured ports."""
    link = name_direct_link(run)
    if link and len(measured.rows) == 1 and link not in measured.rows:
        return find_capacities(run, measured, [link])
    return find_capacities(run, measured)


def find_capacities(
    run: Run, measured: SeriesReader, names: Sequence[str] = ()
) -> tuple[int, tuple[Level, ...]]:
    """Return the number of measured or named ports, and their rate if it is the same for all."""
    ports = list(names or measured.rows)
    steps = {name: run.list_rates(name) for name in ports}
    first = steps[ports[0]] if ports else None
    if first is None or not all(
        np.array_equal(a, b) for s in steps.values() for a, b in zip(s, first, strict=True)
    ):
        return len(ports), ()
    end_s = float(np.max(measured.table["t_s"]))
    since_s, bps = first
    what = f"rate of {ports[0]}" if len(ports) == 1 else f"rate of each of {len(ports)} links"
    level = Level(what, np.append(since_s, end_s), 1e-6 * np.append(bps, bps[-1]))
    return len(ports), (level,)


def _draw_ports(run: Run) -> Picture | None:
    """Draw the busiest ports of a run without series of flows."""
    courses = SeriesReader(run, "port")
    names = courses.list_known("throughput_bps")
    if not names:
        return None
    interval_s = choose_interval(courses.table["t_s"])
    shown = sorted(names, key=lambda name: -np.nan_to_num(run.read_port(name, "utilisation")))
    kept = [name for name in names if name in shown[:MOST_LINKS]]
    lines = []
    for place, name in enumerate(kept):
        t_s, bps = average(*courses.read(name, "throughput_bps"), interval_s)
        lines.append(Line(name, t_s, 1e-6 * bps, look_at(place, dash=0)))
    title = "Throughput of links"
    if len(kept) < len(names):
        title += f": the {len(kept)} busiest of the {len(names)} that have a series"
    panel = _panel(run, "", "bits sent (Mbit/s)", lines, find_capacities(run, courses)[1])
    panels, cut = compare([panel])
    return Picture(title, _join([f"Averaged over {interval_s:.3g} s.", cut]), panels)


def look_ccas(runs: Sequence[Run]) -> dict[str, Look]:
    """Return the look of each algorithm; user-defined ones keep it in pictures of all these runs.

    A name that is unknown, such as that of flows in a replay, gets the grey of a total.
    """
    ccas = order_ccas(runs)
    looks = find_looks([name_cca(cca) for cca in ccas if cca], are_ccas=True)
    return {cca: looks[name_cca(cca)] if cca else Look(GREY) for cca in ccas}


def _say_chosen(run: Run, names: Sequence[str]) -> str:
    known = len(run.tables["flows"])
    said = []
    if len(names) > MOST_LINES:
        said.append(
            "Each panel shows flows of each algorithm at evenly spaced throughput ranks, from the"
            " lowest to the highest."
        )
    if 0 < len(names) < known:
        said.append(
            f"{len(names)} of {known:,} flows have a series; measure.series.most raises that."
        )
    return _join(said)


def _join(sentences: Sequence[str]) -> str:
    return " ".join(filter(None, sentences))
