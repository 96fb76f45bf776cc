# %% [markdown]
# # In a notebook
#
# Scenarios, results and experiments show themselves below their cell: the senders, the network, the
# throughput of each algorithm, and its course over time. This page is a notebook that was run
# exactly as shown.

# %%
import headgate

scenario = headgate.dumbbell(
    rate="20 Mbit/s",
    rtt="40 ms",
    buffer="1 BDP",
    impairments=[{"name": "jitter", "mean": "0.1 ms"}],  # nothing real is exactly periodic
    flows=["cubic", "bbr"],
    title="cubic beside bbr",
)
scenario

# %% [markdown]
# While a run goes on there is a bar below its cell. To stop it, interrupt the kernel: that is a
# `KeyboardInterrupt` as any other. With `run(out="out/example")` the same cell then goes on from
# there.

# %%
result = scenario.run("20 s", seed=1)
result

# %% [markdown]
# Tables show their first rows; a heading shows its meaning while the pointer hovers on it. pandas,
# Polars, DuckDB and xarray take a table in one line.

# %%
result.flows

# %%
result.flows.to_pandas()[["cca", "goodput_bps", "mean_rtt_s", "retransmissions"]]

# %%
result.flows.to_xarray()["goodput_bps"]

# %% [markdown]
# An experiment varies keys of a scenario. It shows what it will do before it is run,

# %%
experiment = headgate.Experiment(
    scenario.replaced({"duration": "5 s", "measure.warmup": "1 s"}),
    factors={"network.buffer": ["0.5 BDP", "2 BDP"], "traffic.1.cca": ["bbr", "reno"]},
    responses=["goodput_bps", "mean_queue_packets"],
    title="a short and a long buffer",
)
experiment

# %% [markdown]
# and, once it has run, the findings, with intervals if there are replicates. Its runs are kept in
# a folder with a report.

# %%
found = experiment.run("out/notebook")
found
