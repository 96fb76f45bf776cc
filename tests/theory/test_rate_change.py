"""A link whose rate changes: the traffic that it carries, and how a flow adapts."""

import pytest

from headgate import Result, Scenario


def halved(cca: str) -> Result:
    return Scenario.from_dict(
        {
            "duration": "40 s",
            "network": {
                "kind": "dumbbell",
                "rate": "20 Mbit/s",
                "rtt": "40 ms",
                "buffer": "1 BDP",
                "access": "direct",
                "changes": [{"at": "20 s", "rate": "10 Mbit/s"}],
            },
            "traffic": [{"kind": "flows", "cca": cca}],
            "measure": {"warmup": "10 s", "series": {"interval": "100 ms"}},
        }
    ).run()


def test_the_rate_of_the_port_is_the_mean_over_the_time() -> None:
    result = halved("reno")
    port = result.ports["link"] == "bottleneck"
    # 10 s at 20 Mbit/s, 20 s at 10 Mbit/s; a queue of up to 40 ms still leaves at the rate before
    rate_bps = float(result.ports["rate_bps"][port][0])
    assert 400e6 / 30 <= rate_bps <= (400e6 + 0.04 * 10e6) / 30
    assert 0.97 < float(result.ports["utilisation"][port][0]) <= 1.0


def test_throughput_follows_the_rate() -> None:
    result = halved("reno")
    series = result.series
    port = (series["name"] == "bottleneck") & (series["of"] == "port")
    t_s, rate = series["t_s"][port], series["throughput_bps"][port]
    assert rate[(t_s > 12) & (t_s < 20)].mean() == pytest.approx(20e6, rel=0.01)
    # packets queued at 20 s, 67 at most, leave at the rate before: 40 ms
    assert rate[(t_s > 20.2) & (t_s < 40)].mean() == pytest.approx(10e6, rel=0.01)
