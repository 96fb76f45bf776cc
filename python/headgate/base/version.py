"""The version of the package, and that of its results."""

__version__ = "0.1.0"

#: Increases by one whenever results of a scenario change (*Changed results* in CHANGELOG.md):
#: results that were stored under another number are stale.
RESULTS = 3

#: The same for one algorithm or device, by its name, or for one key of scenarios, with its quotes:
#: only results of runs with it become stale.
RESULTS_OF = {"bbr3": 3, "prague": 1, '"rfc"': 2, "scream": 1, '"trace"': 1}


def number_results(text: str) -> list[object]:
    """Return the numbers of results on which a run depends; `text` is its plan or its scenario.

    A text that contains the name for another reason counts too. Its run is then made again without
    need, and no result is wrong.
    """
    of_parts = {name: number for name, number in RESULTS_OF.items() if name in text}
    return [RESULTS, of_parts] if of_parts else [RESULTS]
