"""Verdicts on claims: our estimate and its interval, compared with the statement of a source.

A claim holds if the whole 95 % confidence interval lies within its tolerance, and differs if the
whole interval lies outside. If the interval contains a bound, the claim is undecided. A number
without an interval is judged by itself.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from headgate.claims.claim import Claim, Origin, read_bounds

ROUNDING = 1e-9
#: A sample more than this many times as large is impractical, so no size is suggested.
LARGEST_SAMPLE = 20
Interval = tuple[float, float]


class Verdict(StrEnum):
    """The result of checking a claim."""

    HOLDS = "holds"
    DIFFERS = "differs"
    CORRECTED = "corrected"
    NOT_CHECKABLE = "not checkable"
    NOT_RUN = "not run"
    UNDECIDED = "undecided"


class Sample(BaseModel):
    """The sample of an interval, such as 3 replicates or 32 conditions."""

    model_config = ConfigDict(frozen=True)

    count: int
    unit: str = "replicates"


class Estimate(BaseModel):
    """Our number for one claim, with its 95 % confidence interval if there is one."""

    ours: float
    ci: Interval | None = None
    sample: Sample | None = None
    """The sample of the interval; absent if the sample could not be larger."""
    note: str = ""
    decided: bool = True
    """Whether a sequential test has ended; its interval then contains no bound."""

    @property
    def interval(self) -> Interval:
        """The interval; without one, the number is both ends."""
        return self.ci or (self.ours, self.ours)


class JudgedClaim(BaseModel):
    """A claim with its estimate and verdict: one row of the table of claims."""

    id: str
    statement: str
    source: str
    published: float | str
    measure: str
    tolerance: str | None
    ours: float | None
    ci: Interval | None
    sample: Sample | None = None
    """The sample of the interval."""
    detectable: float | None = None
    """Half of the interval: a truth this far beyond a bound is detected half of the time."""
    verdict: Verdict
    note: str
    """Further results and the reason."""
    reason: str = ""
    """The cause of a difference, the sample that would decide it, the missing input or the
    correction."""
    whose: Origin = ""
    """The origin of the difference if the claim differs."""


_VERDICTS = {True: Verdict.HOLDS, False: Verdict.DIFFERS, None: Verdict.UNDECIDED}


def judge(
    claim: Claim, findings: Mapping[str, Estimate], scale: str, cpu_s: float | None = None
) -> JudgedClaim:
    """Return the verdict on a claim; `findings` are by claim id, and `cpu_s` is its cost."""
    finding = findings.get(claim.id)
    if claim.missing is not None:
        reason = f"missing: {claim.missing}"
        return _make_row(claim, finding, Verdict.NOT_CHECKABLE, "", reason)
    if claim.scales and scale not in claim.scales:
        reason = f"judged at {' and '.join(claim.scales)}"
        return _make_row(claim, None, Verdict.NOT_RUN, "", reason)
    if finding is None or math.isnan(finding.ours):
        return _make_row(claim, None, Verdict.NOT_RUN, finding.note if finding else "", "")
    allowed = read_bounds(claim.tolerance or "", claim.published)
    inside = lies_within(finding.interval, allowed)
    verdict = _VERDICTS[inside]
    if inside is False and claim.corrected:
        allowed = read_bounds(claim.corrected.tolerance, claim.corrected.published)
        corrected = lies_within(finding.interval, allowed)
        verdict = Verdict.CORRECTED if corrected else _VERDICTS[corrected]
    verdict = verdict if finding.decided else Verdict.UNDECIDED
    reason = _explain(claim, finding, verdict, allowed, cpu_s)
    return _make_row(claim, finding, verdict, finding.note, reason)


def _explain(
    claim: Claim, finding: Estimate, verdict: Verdict, allowed: Interval, cpu_s: float | None
) -> str:
    if verdict == Verdict.CORRECTED and claim.corrected:
        return claim.corrected.statement
    if verdict == Verdict.UNDECIDED and finding.decided:
        return _suggest_sample(finding, allowed, cpu_s)
    if verdict == Verdict.UNDECIDED and finding.ci is None:
        return "An interval needs at least two values, which a larger scale provides"
    return claim.why if verdict == Verdict.DIFFERS else ""


#: The verbs of verdicts, singular and plural; the other verdicts are adjectives.
_VERBS = {
    Verdict.HOLDS: ("holds", "hold"),
    Verdict.DIFFERS: ("differs", "differ"),
    Verdict.NOT_RUN: ("was not run", "were not run"),
}
#: The start of the source of a claim that is not published: our derivation or our check.
_UNPUBLISHED = re.compile(r"(ours|derived)\b|$")


def count_claims(judged: Sequence[JudgedClaim]) -> str:
    """Return the number of claims: `18 published claims`, or `18 claims (12 published)`."""
    published = sum(not _UNPUBLISHED.match(claim.source) for claim in judged)
    claims = f"claim{'s' * (len(judged) > 1)}"
    if published == len(judged):
        return f"{published} published {claims}"
    return f"{len(judged)} {claims}{f' ({published} published)' if published else ''}"


def tally(judged: Sequence[JudgedClaim]) -> str:
    """Return the number of claims by verdict: `18 published claims: 12 hold, 6 are undecided`."""
    counts = Counter(claim.verdict for claim in judged)
    if len(judged) == 1:
        return f"{count_claims(judged)} {_conjugate(judged[0].verdict, 1)}"
    parts = ", ".join(f"{counts[w]} {_conjugate(w, counts[w])}" for w in Verdict if counts[w])
    return f"{count_claims(judged)}: {parts}"


#: The origins of differences in words.
ORIGINS: Mapping[Origin, str] = {"source": "the source", "model": "a model", "ours": "our work"}


def count_differences(judged: Sequence[JudgedClaim]) -> str:
    """Return the origins of differences: `3 differences: 2 in the source, 1 in our work`."""
    counts = Counter(claim.whose for claim in judged if claim.verdict == Verdict.DIFFERS)
    if not counts:
        return "There are no differences"
    parts = [f"{counts[key]} in {words}" for key, words in ORIGINS.items() if counts[key]]
    parts += [f"{counts['']} unexplained"] if counts[""] else []
    return f"{counts.total()} difference{'s' * (counts.total() > 1)}: {', '.join(parts)}"


def _conjugate(word: Verdict, count: int) -> str:
    one, many = _VERBS.get(word, (f"is {word.value}", f"are {word.value}"))
    return one if count == 1 else many


def lies_within(interval: Interval, allowed: Interval) -> bool | None:
    """Return whether an interval lies within bounds; None if it contains a bound."""
    (low, high), (least, most) = interval, allowed
    slack = ROUNDING * (most - least) / 2 if math.isfinite(most - least) else 0.0
    if least - slack <= low and high <= most + slack:
        return True
    return False if high < least - slack or most + slack < low else None


def _suggest_sample(finding: Estimate, allowed: Interval, cpu_s: float | None) -> str:
    """Return the sample size that would decide a claim if the centre and the spread stay the same.

    The width is inversely proportional to the square root of the size. Only replicates can be
    added: the conditions of a design and the cells of a table are fixed.
    """
    if finding.sample is None or finding.ci is None or not all(map(math.isfinite, finding.ci)):
        return "The interval contains the bound"
    count, unit = finding.sample.count, finding.sample.unit
    contains = f"The interval over {count} {unit} contains the bound"
    low, high = finding.ci
    centre, half = (low + high) / 2, (high - low) / 2
    distance = min(abs(centre - bound) for bound in allowed if math.isfinite(bound))
    if distance == 0:
        return f"{contains}, and its centre is the bound"
    needed = max(count + 1, math.ceil(count * (half / distance) ** 2))
    if needed > LARGEST_SAMPLE * count:
        return f"{contains}, and its centre is close to the bound"
    if unit != Sample.model_fields["unit"].default:
        return contains
    hours = "" if cpu_s is None else f" ({cpu_s * needed / count / 3600:.3g} CPU hours)"
    would = f"about {needed}{hours} would decide it with the same centre and spread"
    return f"Over {count} {unit}; {would}"


def _make_row(
    claim: Claim, finding: Estimate | None, verdict: Verdict, found: str, reason: str
) -> JudgedClaim:
    shared: dict[str, Any] = claim.model_dump(
        include={"id", "statement", "source", "published", "measure", "tolerance"}
    )
    shared["measure"] = shared["measure"] or f"{claim.value}, where {claim.where or 'any'}"
    known = finding if finding and not math.isnan(finding.ours) else None
    ours, ci = (known.ours, known.ci) if known else (None, None)
    detectable = (ci[1] - ci[0]) / 2 if ci else None
    return JudgedClaim(
        **shared, ours=ours, ci=ci, sample=known.sample if known and ci else None,
        detectable=detectable, verdict=verdict, note=". ".join(filter(None, (found, reason))),
        reason=reason, whose=claim.whose if verdict == Verdict.DIFFERS else "",
    )  # fmt: skip
