"""Verdicts on claims: what was found, with its interval, beside what a source says.

A claim holds if the whole 95 % confidence interval lies within its tolerance, and differs if none
of it does. Where the interval holds both sides of a bound the claim is undecided. A number without
an interval is judged by itself.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from headgate.claims.claim import Claim, Whose, bounds

ROUNDING = 1e-9
#: A sample this many times as large is none that anybody would make: the centre is at the bound.
LARGEST_SAMPLE = 20
Interval = tuple[float, float]


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    DIFFERS = "differs"
    CORRECTED = "corrected"
    NOT_CHECKABLE = "not checkable"
    NOT_RUN = "not run"
    UNDECIDED = "undecided"


class Sample(BaseModel):
    """What an interval is over, such as 3 replicates or 32 conditions."""

    model_config = ConfigDict(frozen=True)

    count: int
    unit: str = "replicates"


class Estimate(BaseModel):
    """What a study found for one claim: the number, and its 95 % confidence interval if any."""

    ours: float
    ci: Interval | None = None
    sample: Sample | None = None
    """What the interval is over; absent where it is over nothing of which there could be more."""
    note: str = ""
    decided: bool = True
    """Whether a sequential test has come to an end; its interval then holds one side of a bound."""

    @property
    def interval(self) -> Interval:
        """The interval; a number without one is both of its ends."""
        return self.ci or (self.ours, self.ours)


class Judged(BaseModel):
    """A claim with its finding and verdict: one row of the table of claims."""

    id: str
    statement: str
    source: str
    published: float | str
    measure: str
    tolerance: str | None
    ours: float | None
    ci: Interval | None
    sample: Sample | None = None
    """What the interval is over."""
    detectable: float | None = None
    """Half of the interval: so far beyond a bound a truth is found half of the time."""
    verdict: Verdict
    note: str
    """What was found besides, and the reason."""
    reason: str = ""
    """Why it differs, what would decide it, what is missing, or what should be said instead."""
    whose: Whose = ""
    """Of one that differs: where the difference lies."""


_SAYS = {True: Verdict.HOLDS, False: Verdict.DIFFERS, None: Verdict.UNDECIDED}


def judge(
    claim: Claim, findings: Mapping[str, Estimate], scale: str, cpu_s: float | None = None
) -> Judged:
    """Give the verdict on a claim; `findings` are by claim id, `cpu_s` is what its runs cost."""
    finding = findings.get(claim.id)
    left_out = claim.scales and scale not in claim.scales
    if claim.missing is not None:
        return _row(claim, finding, Verdict.NOT_CHECKABLE, "", f"missing: {claim.missing}")
    if left_out:
        return _row(claim, None, Verdict.NOT_RUN, "", f"judged at {' and '.join(claim.scales)}")
    if finding is None or math.isnan(finding.ours):
        return _row(claim, None, Verdict.NOT_RUN, finding.note if finding else "", "")
    verdict = _verdict(claim, finding) if finding.decided else Verdict.UNDECIDED
    return _row(claim, finding, verdict, finding.note, _explain(claim, finding, verdict, cpu_s))


def _explain(claim: Claim, finding: Estimate, verdict: Verdict, cpu_s: float | None) -> str:
    if verdict == Verdict.CORRECTED and claim.corrected:
        return claim.corrected.statement
    if verdict == Verdict.UNDECIDED and finding.decided:
        return _say_what_would_decide(finding, _straddled(claim, finding), cpu_s)
    if verdict == Verdict.UNDECIDED and finding.ci is None:
        return "An interval needs two values or more, which a larger scale has"
    return claim.why if verdict == Verdict.DIFFERS else ""


def _verdict(claim: Claim, finding: Estimate) -> Verdict:
    """Compare the interval with the tolerance, and with that of what should be said instead."""
    inside = lies_within(finding.interval, bounds(claim.tolerance or "", claim.published))
    if inside is False and claim.corrected:
        instead = bounds(claim.corrected.tolerance, claim.corrected.published)
        corrected = lies_within(finding.interval, instead)
        return Verdict.CORRECTED if corrected else _SAYS[corrected]
    return _SAYS[inside]


#: What claims do, one and many; of the other verdicts it is what they are.
_VERBS = {
    Verdict.HOLDS: ("holds", "hold"),
    Verdict.DIFFERS: ("differs", "differ"),
    Verdict.NOT_RUN: ("was not run", "were not run"),
}


#: How the source of a claim begins that nobody has published: a derivation, or a check of ours.
_UNPUBLISHED = re.compile(r"(ours|derived)\b|$")


def count_claims(judged: Sequence[Judged]) -> str:
    """Say how many claims there are: `18 published claims`, or `18 claims (12 published)`."""
    published = sum(not _UNPUBLISHED.match(claim.source) for claim in judged)
    claims = f"claim{'s' * (len(judged) > 1)}"
    if published == len(judged):
        return f"{published} published {claims}"
    return f"{len(judged)} {claims}{f' ({published} published)' if published else ''}"


def tally(judged: Sequence[Judged]) -> str:
    """Say how many claims got which verdict: `Of 18 published claims 12 hold, 6 are undecided`."""
    counts = Counter(claim.verdict for claim in judged)
    if len(judged) == 1:
        return f"{count_claims(judged)} {_verb(judged[0].verdict, 1)}"
    said = ", ".join(f"{counts[w]} {_verb(w, counts[w])}" for w in Verdict if counts[w])
    return f"Of {count_claims(judged)} {said}"


#: Where differences lie, in words.
WHOSE: Mapping[Whose, str] = {"source": "the source", "model": "a model", "ours": "what is ours"}


def count_differences(judged: Sequence[Judged]) -> str:
    """Say where differences lie: `Of 3 differences 2 lie in the source, 1 lies in what is ours`."""
    counts = Counter(claim.whose for claim in judged if claim.verdict == Verdict.DIFFERS)
    if not counts:
        return "There are no differences"
    said = [
        f"{counts[key]} {'lies' if counts[key] == 1 else 'lie'} in {words}"
        for key, words in WHOSE.items()
        if counts[key]
    ]
    said += [f"unexplained: {counts['']}"] if counts[""] else []
    return f"Of {counts.total()} differences {', '.join(said)}"


def _verb(word: Verdict, count: int) -> str:
    one, many = _VERBS.get(word, (f"is {word.value}", f"are {word.value}"))
    return one if count == 1 else many


def lies_within(interval: Interval, allowed: Interval) -> bool | None:
    """Say whether an interval lies within bounds; None if it holds both sides of one."""
    (low, high), (least, most) = interval, allowed
    slack = ROUNDING * (most - least) / 2 if math.isfinite(most - least) else 0.0
    if least - slack <= low and high <= most + slack:
        return True
    return False if high < least - slack or most + slack < low else None


def _straddled(claim: Claim, finding: Estimate) -> Interval:
    """Return the bounds that leave a finding undecided: the claim's own, or the correction's."""
    own = bounds(claim.tolerance or "", claim.published)
    if claim.corrected and lies_within(finding.interval, own) is False:
        return bounds(claim.corrected.tolerance, claim.corrected.published)
    return own


def _say_what_would_decide(finding: Estimate, allowed: Interval, cpu_s: float | None) -> str:
    """Say how large a sample would do if centre and spread stay: widths go with its root.

    Only replicates can be added. A design has the conditions that it has, and a table its cells.
    """
    if finding.sample is None or finding.ci is None or not all(map(math.isfinite, finding.ci)):
        return "The interval contains the bound"
    have, unit = finding.sample.count, finding.sample.unit
    low, high = finding.ci
    centre, half = (low + high) / 2, (high - low) / 2
    distance = min(abs(centre - bound) for bound in allowed if math.isfinite(bound))
    if distance == 0:
        return f"The interval over {have} {unit} contains the bound, and its centre lies on it"
    needed = max(have + 1, math.ceil(have * (half / distance) ** 2))
    if needed > LARGEST_SAMPLE * have:
        return f"The interval over {have} {unit} contains the bound, and its centre is close to it"
    if unit != Sample.model_fields["unit"].default:
        return f"The interval over {have} {unit} contains the bound"
    hours = "" if cpu_s is None else f" ({cpu_s * needed / have / 3600:.3g} CPU hours)"
    return f"Over {have} {unit}; about {needed}{hours} would decide it if centre and spread stay"


def _row(
    claim: Claim, finding: Estimate | None, verdict: Verdict, found: str, reason: str
) -> Judged:
    shared: dict[str, Any] = claim.model_dump(
        include={"id", "statement", "source", "published", "measure", "tolerance"}
    )
    shared["measure"] = shared["measure"] or f"{claim.value}, where {claim.where or 'any'}"
    known = finding if finding and not math.isnan(finding.ours) else None
    ours, ci = (known.ours, known.ci) if known else (None, None)
    detectable = (ci[1] - ci[0]) / 2 if ci else None
    return Judged(
        **shared, ours=ours, ci=ci, sample=known.sample if known and ci else None,
        detectable=detectable, verdict=verdict, note=". ".join(filter(None, (found, reason))),
        reason=reason, whose=claim.whose if verdict == Verdict.DIFFERS else "",
    )  # fmt: skip
