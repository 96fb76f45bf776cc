"""Seven checks of a result with several flows. Each reveals an error that prints no message.

Write your own scenario in place of `share_link`.
"""

import headgate

JITTER = [{"name": "jitter", "mean": "0.3 ms"}]  # half of the time that the link takes for a packet


def share_link(*flows: object, **changed: object) -> headgate.Result:
    """Run flows that share a link of 20 Mbit/s."""
    given: dict[str, object] = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"}
    given |= {"duration": "120 s", "impairments": JITTER, "measure": {"warmup": "20 s"}}
    return headgate.dumbbell(flows=list(flows), **{**given, **changed}).run(seed=1)


def rates_mbps(result: headgate.Result) -> dict[str, float]:
    """Return the goodput of each flow by its name, Mbit/s."""
    names, rates = result.flows["traffic"], result.flows["goodput_bps"]
    return {
        str(name): round(rate / 1e6, 2) for name, rate in zip(names, rates.tolist(), strict=True)
    }


def main() -> None:
    """Print what each check finds."""
    result = share_link("reno", "cubic")
    ccas = dict(zip(map(str, result.flows["traffic"]), map(str, result.flows["cca"]), strict=True))
    print(f"1. Each flow runs its own algorithm: {ccas}")

    turned = share_link("cubic", "reno")
    print(f"2. The order changes little: {rates_mbps(result)}, then {rates_mbps(turned)}")

    equal = sorted(rates_mbps(share_link({"cca": "reno", "count": 2})).values())
    print(f"3. Equal flows get equal shares: {equal}")

    again, other = share_link("reno", "cubic"), share_link("reno", "cubic", buffer="2 BDP")
    print(
        f"4. A repetition gives the same digest: {result.digest == again.digest};"
        f" a change gives another one: {result.digest != other.digest}"
    )

    alone = rates_mbps(share_link("reno"))["reno"]
    payload = 20 * 1460 / 1500
    print(f"5. One flow alone gets what the link carries: {alone} of {payload:.2f} Mbit/s")

    ports = share_link("reno", "cubic", measure={"warmup": "0 s"}).ports
    counts = (int(ports[name][0]) for name in ("arrivals", "drops", "departures"))
    arrived, dropped, sent = counts
    kept = arrived - dropped - sent
    print(f"6. Packets are conserved: {arrived:,} = {dropped:,} + {sent:,} + {kept}")

    flows = [{"cca": "cubic", "name": "near"}, {"cca": "cubic", "name": "far", "rtt": "80 ms"}]
    periodic, varied = share_link(*flows, impairments=[]), share_link(*flows)
    print(f"7. Jitter changes nothing? {rates_mbps(periodic)} without, {rates_mbps(varied)} with")


main()
