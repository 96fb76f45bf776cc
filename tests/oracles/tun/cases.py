"""The measured cases: completion times, flows alone and together, random loss."""

from .kernel import Case

#: Segments of a short flow on an idle path of 100 ms, with one bandwidth-delay product of buffer.
SIZES = (10, 30, 100, 300, 1000, 3000)


def _short(cca: str, segments: int) -> Case:
    flows = ((cca, 0.0, segments),)
    return Case(f"fct-{cca}-{segments}", flows, rtt_ms=100, buffer=167, duration_s=20, from_s=0)


def _together(*ccas: str, buffer: int) -> Case:
    flows = tuple((cca, 0.0, 0) for cca in ccas)
    return Case("-".join([*ccas, str(buffer)]), flows, buffer=buffer)


def _lossy(rtt_ms: int, buffer: int, loss: float) -> Case:
    return Case(
        f"bbr-{rtt_ms}ms-{loss:g}", (("bbr", 0.0, 0),), rtt_ms=rtt_ms, buffer=buffer, loss=loss
    )


def _joins(cca: str) -> Case:
    flows = (("reno", 0.0, 0), (cca, 20.0, 0))
    return Case(f"{cca}-joins-reno", flows, buffer=133)


CASES = [
    *(_short(cca, segments) for cca in ("reno", "cubic", "bbr") for segments in SIZES),
    *(_together("reno", buffer=buffer) for buffer in (33, 67, 133)),
    _together("cubic", buffer=67),
    *(
        _together("bbr", other, buffer=buffer)
        for other in ("bbr", "cubic", "reno")
        for buffer in (67, 133)
    ),
    *(
        _lossy(rtt_ms, buffer, loss)
        for rtt_ms, buffer in ((40, 67), (100, 167))
        for loss in (0, 1e-3, 3e-3, 1e-2)
    ),
    *(_joins(cca) for cca in ("cubic", "bbr")),
]
