"""Queues of ports over time, in packets and in the time that they take to leave."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.figures.pictures.chosen import MOST_PORTS, Courses, compute_loss, rank_ports
from headgate.figures.pictures.drawing import Level, Line, Numbers, Panel, Picture
from headgate.figures.pictures.limits import CUT, compare, share_times
from headgate.figures.pictures.run import Run, find_rates
from headgate.figures.pictures.thin import say_thinned, share_points, thin

DROPS = 1


def draw_queue(runs: Sequence[Run]) -> Picture | None:
    """Draw the queues of the ports with the most loss or waiting, one below another."""
    run = runs[0]
    courses = Courses(run, "port")
    names = courses.list_known("queue_packets")
    if not names:
        return None
    shown = rank_ports(run, names)[:MOST_PORTS]
    panels = [panel for name in shown for panel in _draw_port(run, courses, name)]
    drawn = sum(len(line.x) for panel in panels for line in panel.lines if line.style == "line")
    known = sum(len(courses.read(name, "queue_packets")[0]) for name in shown)
    title = "Queue"
    if len(shown) < len(names):
        title += f" of the {len(shown)} of {len(names)} ports with the most loss or waiting"
    said = [_say_unmeasured(run, names), _say_cut(panels), say_thinned(drawn, known)]
    return Picture(title, " ".join(filter(None, said)), share_times(panels))


def _draw_port(run: Run, courses: Courses, name: str) -> list[Panel]:
    """Draw one port: packets, with milliseconds at the right; or below, where the rate changes."""
    t_s, packets = courses.read(name, "queue_packets")
    each = share_points(MOST_PORTS)
    lines = [Line("queue", *thin(t_s, packets, each), 0), *_mark_drops(courses, name)]
    rates, bits = run.list_rates(name), _measure_packet_bits(run, name)
    changes, known = len(rates[0]) > 1, np.isfinite(bits)
    right = ("wait (ms)", 1e3 * bits / rates[1][0]) if known and not changes else None
    title = f"{name}: {_describe(run, name)}"
    levels = _draw_buffer(run, name, t_s)
    first = Panel(title, "time (s)", "queue (packets)", tuple(lines), levels, run.warmup_s,
                  right=right)  # fmt: skip
    (first,), _ = compare([first])
    if not (known and changes):
        return [first]
    wait_ms = 1e3 * bits * packets / find_rates(rates, t_s)
    second = Line("wait", *thin(t_s, wait_ms, each), 0, listed=False)
    at_rate = f"{name}: the same queue in time, at the rate of the moment"
    below = Panel(at_rate, "time (s)", "wait (ms)", (second,), (), run.warmup_s)
    return [first, *compare([below])[0]]


def _measure_packet_bits(run: Run, name: str) -> float:
    """Return the mean size of a packet that the port sent, in bits."""
    sent, bytes_sent = run.read_port(name, "departures"), run.read_port(name, "sent_bytes")
    return 8 * bytes_sent / sent if sent > 0 else float("nan")


def _mark_drops(courses: Courses, name: str) -> list[Line]:
    """Mark the intervals in which the port dropped a packet."""
    if "drops" not in courses.table:
        return []
    t_s, drops = courses.read(name, "drops")
    fell = t_s[1:][np.diff(drops) > 0]
    if not len(fell):
        return []
    return [Line("drops since the previous sample", fell, np.zeros(len(fell)), DROPS, 0, "rug")]


def _draw_buffer(run: Run, name: str, t_s: Numbers) -> tuple[Level, ...]:
    packets = run.read_port(name, "buffer_packets")
    if not np.isfinite(packets):
        return ()
    ends = t_s[[0, -1]]
    return (Level(f"buffer, {packets:,.0f} packets", ends, np.full(2, packets)),)


def _describe(run: Run, name: str) -> str:
    """Say what a port did after the warm-up."""
    marks, sent = run.read_port(name, "marks"), run.read_port(name, "departures")
    lost = run.read_port(name, "lost")
    parts = [f"{_write_share(run.read_port(name, 'loss_rate'))} dropped"]
    if lost > 0 and sent > 0:
        parts.append(f"{_write_share(lost / sent)} lost on the link")
    if marks > 0 and sent > 0:
        parts.append(f"{_write_share(marks / sent)} marked")
    parts.append(f"mean wait {1e3 * run.read_port(name, 'mean_wait_s'):.3g} ms")
    return ", ".join(part for part in parts if "nan" not in part)


def _write_share(value: float) -> str:
    return f"{100 * value:.2g} %"


def _say_cut(panels: Sequence[Panel]) -> str:
    """Say that a peak is cut off, where one is."""
    tops = [(panel.y_range or (0.0, np.inf))[1] for panel in panels]
    cut = any(line.y.max() > top for p, top in zip(panels, tops, strict=True) for line in p.lines)
    return CUT * cut


def _say_unmeasured(run: Run, names: Sequence[str]) -> str:
    """Say which port loses more than all that have a series, if one does."""
    ports = run.tables["ports"]
    worst = rank_ports(run, map(str, ports["link"]))[0]
    if worst in names or not compute_loss(run, worst) > max(compute_loss(run, n) for n in names):
        return ""
    return (
        f"{worst} loses more ({_write_share(compute_loss(run, worst))}) and has no series:"
        f' measure.series.ports = ["{worst}"] shows it.'
    )
