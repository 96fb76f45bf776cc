"""Cases of quiche's tests: their names, and what none of them can observe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headgate_studies.conform.bbr.track import NO_ESTIMATE
from headgate_studies.conform.case import Cases, Check, Observation, cannot_run

#: The algorithm that the tests are about, and the variants of it that are tried.
ALGORITHM = "bbr3"
VARIANTS = ("draft", "linux-v3")
TOPOLOGY_TEST = "Bbr2DefaultTopologyTest"
MULTI_TEST = "Bbr2MultiSenderTest"
SOURCE = "google/quiche bbr2_simulator_test.cc"


class Quiche(Cases):
    """Tests of `bbr2_simulator_test.cc`; a section is the name of the test there."""

    def add(
        self, name: str, source: str, statement: str = "", *, of: str = TOPOLOGY_TEST, **limits: Any
    ) -> Callable[[Check], Check]:
        """Return a decorator that adds a check of the test with this name."""
        limits = {
            "only": (ALGORITHM,),
            "built_in_only": NO_ESTIMATE,
            "variants": VARIANTS,
            **limits,
        }
        return super().add(f"quiche-{name}", f"{SOURCE} {of}.{source}", statement, **limits)

    def leave_out(self, name: str, source: str, statement: str, why: str, of: str) -> None:
        """List a test that cannot be checked."""
        self.add(name, source, statement, of=of, left_out=why, variants=())(cannot_run)


def exactly(observed: float, expected: float, unit: str) -> Observation:
    """Hold if a count is the expected one."""
    return Observation(observed == expected, f"{expected:g} {unit}", f"{observed:g}")
