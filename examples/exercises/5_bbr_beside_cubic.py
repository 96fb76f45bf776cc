# %% [markdown]
# # Exercise 5: BBR beside CUBIC
#
# **Goal.** See that two algorithms can share a link very unfairly, and that the buffer decides who
# wins.
#
# **Question.** One CUBIC flow and one BBR flow (version 1) share a link of 20 Mbit/s with a
# round-trip time (RTT) of 40 ms. Which one gets more?

# %%
import headgate

RTT_S = 0.040


def run(flows, buffer_bdp, duration="240 s"):
    """Run flows over a buffer; measure from 60 s on."""
    scenario = headgate.dumbbell(
        rate="20 Mbit/s",
        rtt="40 ms",
        buffer=f"{buffer_bdp} BDP",
        impairments=[{"name": "jitter", "mean": "0.1 ms"}],  # nothing real is exactly periodic
        flows=flows,
        measure={"warmup": "60 s"},
        duration=duration,
    )
    return scenario.run()


run(["cubic", "bbr"], 1)

# %% [markdown]
# ## Task 1: each alone
#
# CUBIC fills any buffer. BBR measures the rate of the link and the shortest RTT, and keeps at
# most 2 BDP in flight. What is the longest wait in the queue, in milliseconds, of CUBIC alone and
# of BBR alone, if the buffer holds 8 BDP? Predict both without a simulation.
#
# <details><summary>Hint 1</summary>
#
# A full buffer of 1 BDP delays packets by one RTT.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Of 2 BDP in flight, 1 BDP is on the path. The rest waits in the queue.
#
# </details>

# %% [task]
cubic_ms = ...
bbr_ms = ...

# %% [solution]
cubic_ms = 8 * 40
bbr_ms = (2 - 1) * 40

# %%
assert cubic_ms is not ... and bbr_ms is not ..., "Task 1: fill in both numbers first."
assert cubic_ms == 320 and bbr_ms == 40, "Task 1: 8 RTTs, and one RTT."
longest_ms = {
    cca: float(run([cca], 8).ports["max_queue_packets"][0]) * 12000 / 20e6 * 1e3
    for cca in ("cubic", "bbr")
}
print({cca: f"{ms:.0f} ms" for cca, ms in longest_ms.items()})
assert abs(longest_ms["cubic"] / cubic_ms - 1) < 0.02, "CUBIC fills the buffer."
assert longest_ms["bbr"] <= bbr_ms, "BBR stays below its bound."
print("Task 1 is right.")

# %% [markdown]
# ## Task 2: together
#
# Run both flows with buffers of 0.5, 1, 2, 4, 8 and 16 BDP. Collect the share of BBR in the goodput
# of both, from 0 to 1.
#
# <details><summary>Hint</summary>
#
# `goodput = run(["cubic", "bbr"], 1).flows["goodput_bps"]` has CUBIC first. The share of BBR is
# `goodput[1] / goodput.sum()`.
#
# </details>

# %% [task]
shares = ...  # a dictionary from the buffer in BDP to the share of BBR

# %% [solution]
shares = {}
for buffer_bdp in (0.5, 1, 2, 4, 8, 16):
    goodput = run(["cubic", "bbr"], buffer_bdp).flows["goodput_bps"]
    shares[buffer_bdp] = float(goodput[1] / goodput.sum())
shares

# %%
assert shares is not ..., "Task 2: fill in `shares` first."
assert set(shares) == {0.5, 1, 2, 4, 8, 16}, "Task 2: run all six buffers."
assert shares[0.5] > 0.75 and shares[1] > 0.75, "BBR takes most of a link with a small buffer."
assert shares[16] < 0.6, "In a large buffer BBR no longer wins."
print("Task 2 is right:", {b: f"{100 * share:.0f} %" for b, share in shares.items()})

# %% [markdown]
# ## Task 3: the cause of the delay
#
# Compare the mean wait of both flows together, at a buffer of 8 BDP, with BBR alone. Compute both
# in milliseconds. Then decide: does a user of BBR get the short queue that BBR has alone, if one
# user of CUBIC shares the link? Answer True or False.
#
# <details><summary>Hint</summary>
#
# `float(result.ports["mean_wait_s"][0]) * 1e3`, for `run(["bbr"], 8)` and `run(["cubic", "bbr"],
# 8)`
#
# </details>

# %% [task]
alone_ms = ...
together_ms = ...
keeps_its_short_queue = ...

# %% [solution]
alone_ms = float(run(["bbr"], 8).ports["mean_wait_s"][0]) * 1e3
together_ms = float(run(["cubic", "bbr"], 8).ports["mean_wait_s"][0]) * 1e3
keeps_its_short_queue = False
alone_ms, together_ms

# %%
assert alone_ms is not ... and together_ms is not ..., "Task 3: fill in both waits first."
# By hand: CUBIC leaves 0.7 of its window after a loss, so the buffer never gets near to empty: of 9
# BDP in flight 6.3 stay, and 5.3 BDP of them wait, which takes 212 ms. It fills up to 320 ms.
assert alone_ms < 40, "Task 3: BBR alone waits for less than one RTT."
assert 200 < together_ms < 320, "Task 3: the queue of both is CUBIC's."
assert keeps_its_short_queue is False, "Task 3: compare both numbers."
print(f"Task 3 is right: {alone_ms:.0f} ms alone, {together_ms:.0f} ms beside CUBIC.")

# %% [markdown]
# **To think about.** Would you switch from CUBIC to BBR if your network has small buffers? Would
# you still gain if everybody did? Replace `bbr` by `bbr3` in task 2, and compare.
