"""The runs and the analysis of the study: scenarios, sentences, tables."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from headgate import Scenario, format_rate, format_time_ps, parse_rate, parse_time_ps
from headgate.lab import (
    Analysis,
    Job,
    Key,
    Listing,
    PicturesLater,
    Runs,
    Setup,
    describe_shared_levels,
)
from headgate_studies.designed import Designed, jobs_of
from headgate_studies.mesonet.model import PARETO_SHAPE
from headgate_studies.mesonet.parameters import DISTRIBUTIONS, EXPERIMENTS, nist_cca_keys
from headgate_studies.tcp_replacements.summary import RESPONSES, Summary

#: The source's largest: its top backbone rate, and the most sources.
LARGEST = EXPERIMENTS["1a"]


def scenario(settings: Mapping[str, Any], cca: str) -> Scenario:
    """Make the scenario; `size` scales speeds and sources together, hosts keep their speed."""
    warmup, period = parse_time_ps(settings["warmup"]), parse_time_ps(settings["period"])
    rate_bps = round(parse_rate(LARGEST.rate) * settings["size"] * settings["speed"])
    of_sources, _ = DISTRIBUTIONS[settings["source_shares"]]
    return Scenario.from_dict(
        {
            "title": f"tcp-replacements, {cca}",
            "duration": format_time_ps(warmup + settings["periods"] * period),
            "transport": {
                "preset": "mesonet",
                "initial_ssthresh": settings["initial_ssthresh"],
            },
            "network": {
                "kind": "abilene",
                "rate": format_rate(rate_bps),
                "delay_multiplier": settings["delay_multiplier"],
                "buffer": settings["buffer"],
                "source_shares": dict(of_sources),
            },
            "traffic": [_users(settings, cca)],
            "measure": {
                "warmup": settings["warmup"],
                "periods": settings["periods"],
                "flows": "none",
                "series": "none",
            },
        }
    )


def _users(settings: Mapping[str, Any], cca: str) -> dict[str, Any]:
    return {
        "kind": "web",
        "name": "users",
        **nist_cca_keys(cca),
        "users": round(LARGEST.sources * settings["size"] * settings["sources"]),
        "receivers": round(LARGEST.sources * settings["size"]),
        "think": settings["think"],
        "size": {"kind": "pareto", "mean": settings["file"], "shape": PARETO_SHAPE},
    }


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run: each algorithm under each condition, with each seed."""
    return jobs_of(setup, scenario)


def prepare(runs: Runs) -> Summary:
    """Sum the runs up."""
    return Summary(Designed(runs.setup, runs.results))


def analyse(summary: Summary) -> Analysis:
    """Turn the summary into sentences, pictures and tables."""
    from headgate_studies.tcp_replacements.pictures import pictures
    from headgate_studies.tcp_replacements.summary import roles

    return Analysis(
        sentences=sentences(summary),
        pictures=PicturesLater(partial(pictures, summary)),
        tables=tables(summary),
        data=(summary.runs.tidy(),),
        roles=roles(summary),
    )


def tables(summary: Summary) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_means(summary),)


def _means(summary: Summary) -> Listing:
    heavy = {n: summary.cubes[n][summary.heavy].mean(axis=(0, 2)) for n in RESPONSES}
    rows = [(RESPONSES[name], *map(float, means)) for name, means in heavy.items()]
    levels = describe_shared_levels(summary.runs.design, summary.heavy)
    caption = (
        "Means over replicates, periods and the most congested quarter of the conditions"
        f"{f': {levels}' if levels else ''}."
    )
    return Listing(
        "Responses under heavy congestion", caption, ("response", *summary.runs.ccas), rows
    )


def sentences(summary: Summary) -> tuple[str, ...]:
    """Say of each algorithm what would get worse and what better if everyone used it."""
    from headgate.figures import analyse_table
    from headgate_studies.tcp_replacements.summary import roles

    return tuple(one.sentence for one in analyse_table(summary.runs.tidy(), roles(summary)).answers)
