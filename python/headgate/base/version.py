"""The version of the package, and that of its results."""

import re

__version__ = "0.1.0"

#: Increases by one whenever results of a scenario change (*Changed results* in CHANGELOG.md):
#: results that were stored under another number are stale.
RESULTS = 3

#: The options of a transport with which `bbr3` answers marks, undoes reductions, or uses QUIC.
_BBR3_OPTIONS = r'"(?:ecn": ?(?:true|"on|"ect)|undo": ?true|(?:preset|name)": ?"(?:linux|quic)")'

#: The same for one algorithm or device, or for one key of scenarios, by name: only results of runs
#: with it become stale.
RESULTS_OF = {"prague": 1, "scream": 1, '"trace"': 1, "bbr3": 1, "cubic rfc": 1}
#: Regular expressions for names that are not words of such a text; it must match all of them. A
#: plan takes megabytes, so that each is found in one pass.
_PATTERNS = {"bbr3": ("bbr3", _BBR3_OPTIONS), "cubic rfc": ('"rfc"', '"cubic".{0,400}"rfc"')}


def number_results(text: str) -> list[object]:
    """Return the numbers of results on which a run depends; `text` is its plan or its scenario.

    A text that matches for another reason counts too. Its run is then made again without need, and
    no result is wrong.
    """
    of_parts = {
        name: number
        for name, number in RESULTS_OF.items()
        if all(re.search(pattern, text) for pattern in _PATTERNS.get(name, (name,)))
    }
    return [RESULTS, of_parts] if of_parts else [RESULTS]
