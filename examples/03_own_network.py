"""Use a networkx graph as a network: Web users of a ring of five routers, results in Polars."""

import networkx as nx
import polars as pl

import headgate

ring = nx.cycle_graph(5)
nx.set_edge_attributes(ring, "5 ms", "delay")

scenario = headgate.graph(
    ring,
    rate="20 Mbit/s",
    host_rate="100 Mbit/s",
    host_delay="1 ms",
    flows=[
        {
            "kind": "web",
            "cca": "reno",
            "users": 200,
            "think": "2 s",
            "size": {"kind": "exponential", "mean": "50 packets"},
        }
    ],
)
result = scenario.run("20 s", seed=3)

print(pl.DataFrame(result.ports).select("link", "utilisation", "loss_rate"))
print(pl.DataFrame(result.flows).select("size_packets", "fct_receiver_s").describe())
