# %% [markdown]
# # Exercise 1: slow start
#
# **Goal.** See how TCP finds its rate at the start of a connection, and compute how long a small
# download takes.
#
# **Question.** A server sends 310 packets to a client over an empty path with a round-trip time
# (RTT) of 100 ms. The link is so fast that no packet waits. How long does the transfer take, and
# why is a link with ten times the rate no faster?
#
# You need: the initial window is 10 packets (RFC 6928). In slow start, each acknowledged packet
# increases the congestion window by one packet (RFC 5681, section 3.1).

# %%
import math

import headgate

RTT_S = 0.1


def download(packets, rate="1 Gbit/s"):
    """Run one flow of a size; samples of its window come every 10 ms."""
    scenario = headgate.dumbbell(
        rate=rate,
        rtt="100 ms",
        buffer="infinite",
        flows=[{"cca": "reno", "size": f"{packets} packets"}],
        measure={"series": {"interval": "10 ms"}},
        duration="5 s",
    )
    return scenario.run()


result = download(310)
result

# %% [markdown]
# ## Task 1: the window, round trip by round trip
#
# The connection is established after one RTT. The window is therefore 10 packets from 0.1 s on, and
# the first ACKs arrive at 0.2 s. Read the window in the middle of each round trip: at 0.15, 0.25,
# 0.35, 0.45 and 0.55 s.
#
# <details><summary>Hint 1</summary>
#
# `result.series` is a table, and its columns are arrays. `is_flow = result.series["of"] == "flow"`
# selects the rows of the flow: `result.series["cwnd_packets"][is_flow]`, and the same for `t_s`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The sample at 0.15 s is the one with the least `abs(t_s - 0.15)`: `abs(t_s - 0.15).argmin()`.
#
# </details>

# %% [task]
windows = ...  # a list of five numbers

# %% [solution]
is_flow = result.series["of"] == "flow"
t_s, cwnd = (result.series[column][is_flow] for column in ("t_s", "cwnd_packets"))
windows = [float(cwnd[abs(t_s - at).argmin()]) for at in (0.15, 0.25, 0.35, 0.45, 0.55)]
windows

# %%
assert windows is not ..., "Task 1: fill in `windows` first."
assert len(windows) == 5, "Task 1: `windows` needs five numbers."
ratios = [after / before for before, after in zip(windows, windows[1:])]
assert windows[0] == 10, "Task 1: the first window is the initial window, 10 packets."
assert ratios == [2, 2, 2, 2], "Task 1: each window should be twice the one before."
print("Task 1 is right: the window doubles in each round trip:", windows)

# %% [markdown]
# ## Task 2: how many round trips does a download take?
#
# Write a function that returns the number of round trips in which a sender can send `packets`
# packets, if the window starts at 10 and doubles. Do not simulate.
#
# <details><summary>Hint 1</summary>
#
# After k round trips, 10 + 20 + 40 + ... = 10 (2^k - 1) packets have been sent.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Solve 10 (2^k - 1) >= packets for the smallest whole number k: a logarithm to the base 2, rounded
# up with `math.ceil`.
#
# </details>


# %% [task]
def round_trips(packets):
    return ...


# %% [solution]
def round_trips(packets):
    return math.ceil(math.log2(packets / 10 + 1))


# %%
assert round_trips(10) is not ..., "Task 2: fill in `round_trips` first."
expected = {10: 1, 11: 2, 30: 2, 31: 3, 150: 4, 310: 5, 311: 6}
for packets, count in expected.items():
    assert round_trips(packets) == count, f"Task 2: {packets} packets need {count} round trips."
print("Task 2 is right.")

# %% [markdown]
# ## Task 3: predict the completion time
#
# The receiver gets the last packet one RTT (the handshake) plus `round_trips(packets)` round trips
# after the start, less half an RTT, because the last packet travels in one direction only. Write
# this as a function, in seconds. Then compare it with simulations.
#
# <details><summary>Hint</summary>
#
# For 10 packets: 0.1 s for the handshake, and 0.05 s for the packets, which is 0.15 s.
#
# </details>


# %% [task]
def completion_s(packets):
    return ...


# %% [solution]
def completion_s(packets):
    return RTT_S * (1 + round_trips(packets) - 0.5)


# %%
assert completion_s(10) is not ..., "Task 3: fill in `completion_s` first."
for packets in (10, 30, 31, 150, 310):
    simulated_s = float(download(packets).flows["fct_receiver_s"][0])
    predicted_s = completion_s(packets)
    print(f"{packets:4} packets: {predicted_s:.3f} s predicted, {simulated_s:.3f} s simulated")
    assert abs(predicted_s - simulated_s) < 0.02 * simulated_s, "Task 3: more than 2 % apart."
# By hand: 310 = 10 + 20 + 40 + 80 + 160 packets, five round trips, 0.1 + 0.5 - 0.05 s.
assert abs(completion_s(310) - 0.55) < 1e-9, "Task 3: 310 packets take 0.55 s."
faster_s = float(download(310, rate="10 Gbit/s").flows["fct_receiver_s"][0])
assert abs(faster_s - 0.55) < 0.02 * 0.55, "A faster link takes as long."
print("Task 3 is right. A link of 10 Gbit/s takes", round(faster_s, 3), "s: the RTT decides.")

# %% [markdown]
# **To think about.** A page of 1.5 MB has about 1,000 packets. How much of its loading time would a
# shorter RTT save, and how much a faster link? What would an initial window of 40 packets change,
# and whom could it harm?
