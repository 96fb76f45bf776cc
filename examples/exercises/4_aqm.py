# %% [markdown]
# # Exercise 4: active queue management
#
# **Goal.** Compare a plain queue with CoDel and FQ-CoDel, for long downloads and for short
# requests.
#
# **Question.** Four downloads share a link of 10 Mbit/s with a round-trip time (RTT) of 40 ms and a
# buffer of 4 BDP. Meanwhile somebody opens small pages of one packet each. How long does a page
# take, and what does a better queue cost the downloads?

# %%
import numpy as np

import headgate

RTT_S = 0.040


def run(queue):
    """Run four downloads and small pages through a queue discipline, for 100 s after 20 s."""
    scenario = headgate.dumbbell(
        rate="10 Mbit/s",
        rtt="40 ms",
        buffer="4 BDP",
        queue=queue,
        flows=[
            {"cca": "reno", "count": 4},
            {"kind": "poisson", "cca": "reno", "arrivals": "2 flows/s", "size": "1 packets"},
        ],
        measure={"warmup": "20 s"},
        duration="120 s",
        seed=1,
    )
    return scenario.run()


results = {queue: run(queue) for queue in ("drop-tail", "codel", "fq-codel")}
results["drop-tail"]

# %% [markdown]
# ## Task 1: the wait in the queue
#
# For each discipline, read the mean wait at the bottleneck in milliseconds and the utilisation in
# percent: columns `mean_wait_s` and `utilisation` of `ports`, the first row.
#
# <details><summary>Hint</summary>
#
# `float(results["codel"].ports["mean_wait_s"][0]) * 1e3`
#
# </details>

# %% [task]
wait_ms = ...  # a dictionary from the discipline to a number
used_percent = ...

# %% [solution]
wait_ms = {q: float(r.ports["mean_wait_s"][0]) * 1e3 for q, r in results.items()}
used_percent = {q: float(r.ports["utilisation"][0]) * 100 for q, r in results.items()}
wait_ms, used_percent

# %%
assert wait_ms is not ... and used_percent is not ..., "Task 1: fill in both dictionaries first."
# A buffer of 4 BDP holds 4 * 40 ms. Reno keeps it between half full and full; CoDel aims at 5 ms.
assert 80 < wait_ms["drop-tail"] < 160, "Task 1: the plain queue waits for 80 to 160 ms."
assert wait_ms["codel"] < 15, "Task 1: CoDel waits for some times its target of 5 ms at most."
assert used_percent["drop-tail"] > 99.9, "Task 1: the plain queue never gets empty."
assert used_percent["codel"] > 95, "Task 1: CoDel uses more than 95 % of the link."
print("Task 1 is right:", {q: f"{ms:.1f} ms, {used_percent[q]:.0f} %" for q, ms in wait_ms.items()})

# %% [markdown]
# ## Task 2: predict the time of a page
#
# A page needs one RTT for the handshake, and half an RTT until its packet arrives. Its SYN and its
# packet both wait in the queue. Write a function that returns the time in milliseconds, for a mean
# wait in milliseconds.
#
# <details><summary>Hint</summary>
#
# Without a queue it is 1.5 * 40 = 60 ms. Each of the two packets adds its wait.
#
# </details>


# %% [task]
def page_ms(wait_ms):
    return ...


# %% [solution]
def page_ms(wait_ms):
    return 1.5 * RTT_S * 1e3 + 2 * wait_ms


# %%
assert page_ms(0) is not ..., "Task 2: fill in `page_ms` first."
assert page_ms(0) == 60, "Task 2: without a queue a page takes 60 ms."
assert page_ms(100) == 260, "Task 2: two waits of 100 ms add 200 ms."


def simulated_page_ms(result):
    """Return the median time of a page; the median, because a lost packet costs a second."""
    flows = result.flows
    return 1e3 * float(np.nanmedian(flows["fct_receiver_s"][flows["size_packets"] == 1]))


for queue in ("drop-tail", "codel"):
    predicted, simulated = page_ms(wait_ms[queue]), simulated_page_ms(results[queue])
    print(f"{queue}: {predicted:.0f} ms predicted, {simulated:.0f} ms simulated")
    assert abs(simulated / predicted - 1) < 0.1, "Task 2: more than 10 % apart."
print("Task 2 is right.")

# %% [markdown]
# ## Task 3: FQ-CoDel
#
# FQ-CoDel gives each flow a queue and serves new flows first. A page then waits only for the packet
# that is being sent. A packet of 1500 bytes takes 1.2 ms at 10 Mbit/s. Compute the most that a page
# can take, in milliseconds, if its SYN and its packet each wait for one such packet, and its own
# packet then takes 1.2 ms too.
#
# <details><summary>Hint</summary>
#
# 60 ms and three times 1.2 ms.
#
# </details>

# %% [task]
most_ms = ...

# %% [solution]
most_ms = 60 + 3 * 1.2

# %%
assert most_ms is not ..., "Task 3: fill in `most_ms` first."
assert abs(most_ms - 63.6) < 1e-9, "Task 3: 60 ms and three times 1.2 ms."
simulated = simulated_page_ms(results["fq-codel"])
assert 60 < simulated < most_ms, "The median page is faster than that."
print(f"Task 3 is right: {simulated:.1f} ms, for {simulated_page_ms(results['drop-tail']):.0f} ms")

# %% [markdown]
# **To think about.** FQ-CoDel uses a little less of the link here than the plain queue. Which drops
# cause that? What would marks (ECN) instead of drops change for the downloads?
