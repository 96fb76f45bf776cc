# %% [markdown]
# # Exercise 6: design of an experiment
#
# **Goal.** Plan runs so that effects can be separated, compute the effects by hand, and give
# them an interval.
#
# **Question.** What sets the waiting time at a bottleneck: the round-trip time (RTT) of the path,
# or the size of the buffer in BDP? Do the two act independently?
#
# A full factorial design with two factors at two levels has four conditions:
#
# | condition | RTT | buffer |
# | --- | --- | --- |
# | low, low | 20 ms | 1 BDP |
# | high, low | 80 ms | 1 BDP |
# | low, high | 20 ms | 3 BDP |
# | high, high | 80 ms | 3 BDP |

# %%
import math
import statistics
import tempfile

import headgate


def scenario(rtt, buffer, flows):
    """One bottleneck of 10 Mbit/s, measured for 200 s after a warm-up of 40 s."""
    return headgate.dumbbell(
        rate="10 Mbit/s",
        rtt=rtt,
        buffer=buffer,
        flows=flows,
        measure={"warmup": "40 s"},
        duration="240 s",
    )


# %% [markdown]
# ## Task 1: run the design
#
# Run one Reno flow (`["reno"]`) under all four conditions. Store the mean wait in milliseconds in a
# dictionary with keys such as `("20 ms", "1 BDP")`.
#
# <details><summary>Hint</summary>
#
# Two nested loops; `scenario(rtt, buffer, ["reno"]).run().ports["mean_wait_s"][0]` is in seconds.
#
# </details>

# %% [task]
waits = ...

# %% [solution]
waits = {}
for rtt in ("20 ms", "80 ms"):
    for buffer in ("1 BDP", "3 BDP"):
        result = scenario(rtt, buffer, ["reno"]).run()
        waits[rtt, buffer] = float(result.ports["mean_wait_s"][0]) * 1e3
waits

# %%
assert waits is not ..., "Task 1: fill in `waits` first."
# By hand (exercise 3): the mean RTT is 7/9 (1 + b) times the shortest, so the wait is that less 1.
for (rtt, buffer), simulated in waits.items():
    predicted = float(rtt.split()[0]) * (7 / 9 * (1 + float(buffer.split()[0])) - 1)
    print(f"{rtt}, {buffer}: {predicted:.1f} ms predicted, {simulated:.1f} ms simulated")
    assert abs(simulated / predicted - 1) < 0.1, "Task 1: more than 10 % apart."
assert len(waits) == 4, "Task 1: there are four conditions."
print("Task 1 is right.")

# %% [markdown]
# ## Task 2: effects and the interaction
#
# The main effect of a factor is the mean at its high level less the mean at its low level. The
# interaction is half of the difference between the effect of the RTT at the large buffer and its
# effect at the small buffer. Compute all three in milliseconds.
#
# <details><summary>Hint</summary>
#
# For the predicted waits 11.1, 44.4, 42.2 and 168.9 ms: the effect of the RTT is
# (44.4 + 168.9) / 2 - (11.1 + 42.2) / 2 = 80.0 ms.
#
# </details>

# %% [task]
effect_rtt = ...
effect_buffer = ...
interaction = ...

# %% [solution]
a, b = waits["20 ms", "1 BDP"], waits["80 ms", "1 BDP"]
c, d = waits["20 ms", "3 BDP"], waits["80 ms", "3 BDP"]
effect_rtt = (b + d) / 2 - (a + c) / 2
effect_buffer = (c + d) / 2 - (a + b) / 2
interaction = ((d - c) - (b - a)) / 2
effect_rtt, effect_buffer, interaction

# %%
answers = (effect_rtt, effect_buffer, interaction)
assert ... not in answers, "Task 2: fill in all three numbers first."
for name, simulated, predicted in zip(
    ("RTT", "buffer", "interaction"), answers, (80.0, 77.8, 46.7)
):
    print(f"{name}: {predicted:.1f} ms predicted, {simulated:.1f} ms simulated")
    assert abs(simulated / predicted - 1) < 0.1, f"Task 2: {name} is more than 10 % off."
print("Task 2 is right: the factors do not act independently.")

# %% [markdown]
# ## Task 3: a scale without interaction
#
# The wait is the product of the RTT and a number that depends on the buffer. Compute the
# interaction of the *logarithms* of the waits (`math.log`). What does a value near 0 mean?
#
# <details><summary>Hint</summary>
#
# The logarithm of a product is a sum. Replace each wait in your formula by its logarithm.
#
# </details>

# %% [task]
interaction_of_logs = ...

# %% [solution]
logs = {key: math.log(wait) for key, wait in waits.items()}
interaction_of_logs = (
    (logs["80 ms", "3 BDP"] - logs["20 ms", "3 BDP"])
    - (logs["80 ms", "1 BDP"] - logs["20 ms", "1 BDP"])
) / 2
interaction_of_logs

# %%
assert interaction_of_logs is not ..., "Task 3: fill in `interaction_of_logs` first."
main = math.log(4)  # the effect of the RTT on this scale: 80 ms over 20 ms
assert abs(interaction_of_logs) < 0.05 * main, (
    "Task 3: it is less than 5 % of the effect of the RTT."
)
print(f"Task 3 is right: {interaction_of_logs:.3f}, beside {main:.3f} for the RTT.")

# %% [markdown]
# ## Task 4: chance
#
# With random cross traffic every run gives another wait. The next cell runs one condition with five
# seeds. Compute the mean and its 95 % interval: mean plus and minus t * s / sqrt(n), with s the
# standard deviation, n = 5, and t = 2.776 (Student's t with 4 degrees of freedom).
#
# <details><summary>Hint</summary>
#
# `statistics.mean(values)` and `statistics.stdev(values)`
#
# </details>

# %%
cross = {"kind": "poisson", "cca": "reno", "load": 0.2, "size": "20 packets"}
busy = scenario("20 ms", "1 BDP", ["reno", cross])
values = [float(busy.run(seed=seed).ports["mean_wait_s"][0]) * 1e3 for seed in range(1, 6)]
values

# %% [task]
mean = ...
half_width = ...

# %% [solution]
mean = statistics.mean(values)
half_width = 2.776 * statistics.stdev(values) / math.sqrt(len(values))
mean, half_width

# %%
assert mean is not ... and half_width is not ..., "Task 4: fill in both numbers first."
# The same by an experiment, which makes the runs, the means and the intervals.
experiment = headgate.Experiment(
    busy, factors={"network.rtt": ["20 ms", "80 ms"]}, replicates=5, responses=["mean_wait_s"]
)
means = experiment.run(tempfile.mkdtemp()).table
row = {name: means[name][0] for name in means.columns}  # the first condition, 20 ms
assert abs(mean - 1e3 * row["mean"]) < 1e-6 * mean, "Task 4: the mean of the five values."
width = 1e3 * (row["high"] - row["low"]) / 2
assert abs(half_width - width) < 1e-3 * width, "Task 4: t * s / sqrt(5)."
print(f"Task 4 is right: {mean:.1f} ms, from {mean - half_width:.1f} to {mean + half_width:.1f} ms")

# %% [markdown]
# **To think about.** You can afford 16 runs. Is it better to run four conditions with four seeds
# each, or sixteen conditions with one seed each? When would you change one factor at a time
# instead? `headgate experiment new mine.toml` writes an experiment to start from.
