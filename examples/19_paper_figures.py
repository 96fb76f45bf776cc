"""Write figures for a two-column paper into out/paper: over time, of an experiment, of a map."""

from pathlib import Path

import headgate
from headgate.figures import (
    Facets,
    MeansLayout,
    PaperSize,
    draw_difference,
    draw_results,
    save_paper_figures,
)

OUT = Path("out/paper")
one_column, two_columns = PaperSize.of("ieee"), PaperSize.of("ieee", columns=2)


def run(cca: str, buffer: str, seed: int) -> headgate.Result:
    """Run two long flows with random loss."""
    return headgate.dumbbell(
        rate="10 Mbit/s", rtt="40 ms", buffer=buffer, loss=0.001, flows=[cca, cca],
        measure={"warmup": "2 s", "series": {"interval": "100 ms"}},
    ).run("10 s", seed=seed)  # fmt: skip


# One run: every picture that it has data for.
shallow = run("cubic", "0.5 BDP", 1)
shallow.plot(OUT / "run", paper=one_column)

# Several runs over time: the mean of each algorithm over three seeds, with a band.
runs = {f"{cca}-{seed}": run(cca, "1 BDP", seed) for cca in ("cubic", "bbr3") for seed in (1, 2, 3)}
drawings = {kind: draw_results(runs, kind) for kind in ("throughput", "rtt", "throughput-delay")}

# The difference of two runs on the map of the network.
drawings["change-of-use"] = draw_difference(runs["cubic-1"], shallow)["use"]
print(*save_paper_figures(drawings, OUT / "runs", one_column), sep="\n")

# An experiment: rows and columns of panels by factors, means with intervals.
experiment = headgate.Experiment(
    {
        "duration": "5 s",
        "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "loss": 0.001},
        "traffic": [{"kind": "flows", "cca": "cubic", "count": 2}],
    },
    factors={
        "network.buffer": ["0.5 BDP", "1 BDP", "2 BDP"],
        "network.rtt": ["10 ms", "100 ms"],
        "cca": ["cubic", "bbr3"],
    },
    responses=["goodput_bps", "mean_queue_packets"],
    replicates=3,
    title="buffers for a paper",
).run(OUT / "experiment")
layout = MeansLayout(x="buffer", facets=Facets(rows=("response",), columns=("rtt",)))
experiment.plot(OUT, paper=two_columns, layout=layout)
