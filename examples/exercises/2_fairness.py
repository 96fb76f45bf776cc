# %% [markdown]
# # Exercise 2: fairness
#
# **Goal.** Measure how fairly flows share a link, and find out who gets more.
#
# **Question.** Two Reno flows share a bottleneck of 20 Mbit/s. The round-trip time (RTT) of one is
# 20 ms, that of the other is 80 ms. Does each get half?

# %%
import headgate


def share(rtts, loss=0.0, jitter="0.3 ms", rate="20 Mbit/s", duration="300 s"):
    """Run one Reno flow per RTT (ms); return goodput in Mbit/s, after a warm-up of 60 s."""
    scenario = headgate.dumbbell(
        rate=rate,
        rtt="40 ms",
        buffer="1 BDP",
        loss=loss,
        impairments=[{"name": "jitter", "mean": jitter}],
        flows=[{"cca": "reno", "rtt": f"{rtt} ms"} for rtt in rtts],
        measure={"warmup": "60 s"},
        duration=duration,
    )
    return [float(bps) / 1e6 for bps in scenario.run().flows["goodput_bps"]]


share([40, 40])

# %% [markdown]
# ## Task 1: Jain's index
#
# Jain's fairness index of n rates x is (sum of x)^2 / (n * sum of x^2). It is 1 if all rates are
# equal, and 1/n if one flow gets everything. Write it as a function.
#
# <details><summary>Hint</summary>
#
# Check by hand: for the rates 1 and 3 the index is 4^2 / (2 * (1 + 9)) = 0.8.
#
# </details>


# %% [task]
def jain(rates):
    return ...


# %% [solution]
def jain(rates):
    return sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))


# %%
assert jain([1, 1]) is not ..., "Task 1: fill in `jain` first."
assert abs(jain([1, 3]) - 0.8) < 1e-12, "Task 1: the index of 1 and 3 is 0.8."
assert abs(jain([5, 0, 0, 0]) - 0.25) < 1e-12, "Task 1: one flow of four gets all: 1/4."
equal = jain(share([40, 40]))
assert equal > 0.99, "Two flows with the same RTT share fairly."
print(f"Task 1 is right. Two flows with equal RTTs: {equal:.4f}")

# %% [markdown]
# ## Task 2: unequal round-trip times
#
# Run the flows of the question. Compute Jain's index, and how many times as much the flow with the
# short RTT gets.
#
# <details><summary>Hint</summary>
#
# `rates = share([20, 80])` returns both rates, in the order of the RTTs.
#
# </details>

# %% [task]
index = ...
ratio = ...

# %% [solution]
rates = share([20, 80])
index = jain(rates)
ratio = rates[0] / rates[1]
index, ratio

# %%
assert index is not ... and ratio is not ..., "Task 2: fill in `index` and `ratio` first."
# Both numbers describe the same two rates: with r their ratio, the index is (1 + r)^2 / 2 (1 +
# r^2).
assert abs(index - (1 + ratio) ** 2 / (2 * (1 + ratio**2))) < 1e-9, "Task 2: they do not agree."
assert 2 < ratio < 4, "Task 2: the flow with the short RTT gets 2 to 4 times as much."
print(f"Task 2 is right: {ratio:.1f} times as much, index {index:.2f}")

# %% [markdown]
# ## Task 3: why?
#
# At a fixed loss probability p, the mean window of Reno is W = sqrt(3 / (2 p)) packets (Mathis et
# al. 1997). A window is sent once per RTT. Suppose that both flows lose packets with the same
# probability, and nothing waits in a queue. Compute the window for p = 0.001, the rate of each flow
# in Mbit/s, and the ratio of the rates. A packet carries 1460 bytes of data.
#
# <details><summary>Hint 1</summary>
#
# The window does not depend on the RTT. The rate is W * 1460 * 8 bits per RTT.
#
# </details>
# <details><summary>Hint 2</summary>
#
# For the RTT of 20 ms: 38.7 packets * 11680 bit / 0.02 s = 22.6 Mbit/s.
#
# </details>

# %% [task]
window = ...
predicted = ...  # a list of two rates, Mbit/s

# %% [solution]
window = (3 / (2 * 0.001)) ** 0.5
predicted = [window * 1460 * 8 / rtt_s / 1e6 for rtt_s in (0.020, 0.080)]
window, predicted

# %%
assert window is not ... and predicted is not ..., "Task 3: fill in `window` and `predicted` first."
assert abs(window - 38.73) < 0.01, "Task 3: sqrt(1500) is 38.73."
assert abs(predicted[0] / predicted[1] - 4) < 1e-9, "Task 3: the ratio is that of the RTTs, 4."
# A fast link, so that nothing waits: eight flows, each second one with the long RTT.
simulated = share([20, 80] * 4, loss=0.001, rate="1 Gbit/s")
means = [sum(simulated[place::2]) / 4 for place in (0, 1)]
print(f"predicted {predicted[0]:.1f} and {predicted[1]:.1f} Mbit/s,", end=" ")
print(f"simulated {means[0]:.1f} and {means[1]:.1f} Mbit/s")
for one, other in zip(means, predicted):
    assert abs(one / other - 1) < 0.1, "The simulation is within 10 % of the square-root law."
print("Task 3 is right.")

# %% [markdown]
# **To think about.** In task 2 the ratio is smaller than 4. The queue adds the same delay to both
# RTTs: 20 and 80 ms become 46 and 107 ms, whose ratio is 2.3. Run task 2 with `cubic` instead of
# `reno`: does CUBIC, whose growth depends on time and not on the RTT, share more fairly? Then run
# it with `jitter="0 s"`. Without jitter, packets arrive in a fixed order, and fractions of a
# packet's time decide which flow loses packets. Which of the two results would you publish?
