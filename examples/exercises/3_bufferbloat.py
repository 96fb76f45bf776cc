# %% [markdown]
# # Exercise 3: bufferbloat
#
# **Goal.** See how the size of a router's buffer sets the delay and the utilisation of a link.
#
# **Question.** One Reno flow uses a home link of 10 Mbit/s with a round-trip time (RTT) of 40 ms.
# How large should the buffer of the router be?
#
# The bandwidth-delay product (BDP) is the data in flight that just fills the path: rate times RTT.

# %%
import headgate

RATE_BPS, RTT_S = 10e6, 0.040
PACKET_BITS = 1500 * 8


def run(buffer_bdp):
    """Run one Reno flow with a buffer of this many BDP; return the result of 200 s."""
    scenario = headgate.dumbbell(
        rate="10 Mbit/s",
        rtt="40 ms",
        buffer=f"{buffer_bdp} BDP",
        flows=["reno"],
        measure={"warmup": "60 s"},
        duration="260 s",
    )
    return scenario.run()


run(1)

# %% [markdown]
# ## Task 1: the BDP, and the longest wait
#
# Compute the BDP in packets of 1500 bytes. Then write a function that returns the longest time, in
# seconds, that a packet can wait in a buffer of `buffer_bdp` BDP.
#
# <details><summary>Hint 1</summary>
#
# 10 Mbit/s * 40 ms = 400,000 bits. A packet has 12,000 bits.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A full buffer of B bits empties in B / rate seconds. A buffer of one BDP empties in one RTT.
#
# </details>


# %% [task]
bdp_packets = ...


def longest_wait_s(buffer_bdp):
    return ...


# %% [solution]
bdp_packets = RATE_BPS * RTT_S / PACKET_BITS


def longest_wait_s(buffer_bdp):
    return buffer_bdp * RTT_S


# %%
assert bdp_packets is not ..., "Task 1: fill in `bdp_packets` first."
assert abs(bdp_packets - 33.33) < 0.01, "Task 1: 400,000 / 12,000 packets."
assert longest_wait_s(1) is not ..., "Task 1: fill in `longest_wait_s` first."
for buffer_bdp in (1, 8):
    longest = float(run(buffer_bdp).ports["max_queue_packets"][0]) * PACKET_BITS / RATE_BPS
    print(
        f"{buffer_bdp} BDP: {longest_wait_s(buffer_bdp):.3f} s predicted, {longest:.3f} s simulated"
    )
    assert abs(longest - longest_wait_s(buffer_bdp)) < 0.03 * longest, (
        "Task 1: more than 3 % apart."
    )
print("Task 1 is right.")

# %% [markdown]
# ## Task 2: the mean round-trip time
#
# Reno fills the buffer, loses a packet, halves its window, and grows again. With a buffer of b BDP
# (b >= 1) the window moves between (1 + b) / 2 and (1 + b) BDP, and the link is always busy. The
# window grows by one packet per round trip, and a round trip lasts as long as the window is large.
# Its mean over time is therefore 7/9 of the largest window. Write a function that returns the mean
# RTT in seconds.
#
# <details><summary>Hint 1</summary>
#
# While the link is busy, a window of w BDP means a round trip of w * 40 ms.
#
# </details>
# <details><summary>Hint 2</summary>
#
# For b = 1 the largest window is 2 BDP, its mean 14/9 BDP, and the mean RTT 62.2 ms.
#
# </details>
# <details><summary>Derivation of 7/9</summary>
#
# A window of w lasts for a time proportional to w. With M the largest window, the mean over time is
# the integral of w * w over the integral of w, from M/2 to M: (7/24 M^3) / (3/8 M^2) = 7/9 M.
#
# </details>


# %% [task]
def mean_rtt_s(buffer_bdp):
    return ...


# %% [solution]
def mean_rtt_s(buffer_bdp):
    return 7 / 9 * (1 + buffer_bdp) * RTT_S


# %%
assert mean_rtt_s(1) is not ..., "Task 2: fill in `mean_rtt_s` first."
assert abs(mean_rtt_s(1) - 0.0622) < 1e-4, "Task 2: 14/9 of 40 ms."
for buffer_bdp in (1, 2, 4, 8):
    simulated_s = float(run(buffer_bdp).flows["mean_rtt_s"][0])
    print(
        f"{buffer_bdp} BDP: {mean_rtt_s(buffer_bdp):.3f} s predicted, {simulated_s:.3f} s simulated"
    )
    assert abs(simulated_s / mean_rtt_s(buffer_bdp) - 1) < 0.03, "Task 2: more than 3 % apart."
print("Task 2 is right: a buffer of 8 BDP makes the path seven times as long.")

# %% [markdown]
# ## Task 3: the smallest buffer that keeps the link busy
#
# Run buffers of 0.25, 0.5, 1 and 2 BDP, and collect the utilisation of the link (column
# `utilisation` of `ports`, the first row). From which size on is the link busy for at least 99 % of
# the time?
#
# <details><summary>Hint</summary>
#
# After a loss, the window is half of (1 + b) BDP. The link stays busy if that is at least 1 BDP.
#
# </details>

# %% [task]
utilisation = ...  # a dictionary: {0.25: ..., 0.5: ..., 1: ..., 2: ...}
smallest = ...

# %% [solution]
utilisation = {b: float(run(b).ports["utilisation"][0]) for b in (0.25, 0.5, 1, 2)}
smallest = min(b for b, share in utilisation.items() if share >= 0.99)
utilisation, smallest

# %%
assert utilisation is not ... and smallest is not ..., "Task 3: fill in both answers first."
assert smallest == 1, "Task 3: (1 + b) / 2 = 1 gives b = 1."
# By hand for b = 0.5: the window goes from 0.75 to 1.5 BDP. It delivers (1.5^2 - 0.75^2) / 2 =
# 0.844 in a time of 0.25 + (1.5^2 - 1) / 2 = 0.875, so 96 % of the link is used.
assert abs(utilisation[0.5] - 0.844 / 0.875) < 0.02, "Task 3: 96 % at 0.5 BDP."
print("Task 3 is right:", {b: f"{100 * share:.1f} %" for b, share in utilisation.items()})

# %% [markdown]
# **To think about.** Home routers often hold a second of data. Which of these notices the delay: a
# download, a video call, or a game? With n flows that do not lose packets at the same time, a
# buffer of 1/sqrt(n) BDP is enough (Appenzeller et al. 2004). Why?
