"""Watch a run in progress: print the window at each change of state, and the losses so far."""

from headgate import dumbbell

scenario = dumbbell(
    flows=["cubic"], rate="20 Mbit/s", rtt="40 ms", buffer="0.5 BDP", duration="5 s"
)
stream = scenario.stream(flows=["cubic"], every_s=0.05)
losses = 0
for update in stream:
    events = update.events
    for at, what, cwnd in zip(events["t_s"], events["event"], events["cwnd_packets"], strict=True):
        losses += what == "lost"
        if what == "state":
            print(f"{at:8.4f} s  window of {cwnd:.0f} packets, {losses} lost so far")
print(f"{stream.result.flows['goodput_bps'][0] / 1e6:.1f} Mbit/s")
