//! Validation of transport profiles.

use headgate_model::check::{LONGEST_DELAY_S, LONGEST_RUN_S, PlanPath, Result};
use headgate_model::ecn::Ecn;
use headgate_model::plan::{Pacing, Quic, RtoRule, Transport};
use headgate_model::units::{SECOND, seconds};

/// Largest number of profiles, because a profile's number is carried in eight bits of each SYN.
const MOST_PROFILES: u64 = 255;

/// Largest initial window. It is sent at once, so that memory must hold many of them.
const LARGEST_FIRST_WINDOW: f64 = 1e5;

/// Largest window: more than any flow can fill, and exact in every type that stores it.
const LARGEST_WINDOW: f64 = 1e9;

/// Shortest time-out; shorter ones would expire more often than packets pass.
const SHORTEST_TIMEOUT: u64 = SECOND / 1_000_000;

/// Largest threshold of packet numbers of QUIC.
const MOST_PACKETS: u64 = 1_000_000;

/// Bounds of QUIC's time threshold. Below 1, packets in flight would count as lost.
const TIME_THRESHOLDS: (f64, f64) = (1.0, 100.0);

/// Bounds of pacing gains. Others are a mistake, and a gain near 0 would cause an endless gap.
const GAINS: (f64, f64) = (0.01, 100.0);

pub fn check(transports: &[Transport]) -> Result {
    PlanPath::top().count("transports", transports.len() as u64, (0, MOST_PROFILES), "profiles")?;
    transports.iter().enumerate().try_for_each(|(i, t)| profile(t, &PlanPath::item("transports", i)))
}

fn profile(t: &Transport, at: &PlanPath) -> Result {
    sizes(t, at)?;
    windows(t, at)?;
    timeouts(t, at)?;
    syn(t, at)?;
    at.span("delayed_ack_ps", t.delayed_ack_ps, LONGEST_DELAY_S)?;
    at.span("clock_ps", t.clock_ps, LONGEST_DELAY_S)?;
    at.span("timestamp_clock_ps", t.timestamp_clock_ps, LONGEST_DELAY_S)?;
    ecn(t, at)?;
    t.quic.map_or(Ok(()), |q| quic(q, &PlanPath::new(at.key("quic"))))?;
    t.pacing.map_or(Ok(()), |p| pacing(p, at))
}

fn ecn(t: &Transport, at: &PlanPath) -> Result {
    let is_ect = matches!(t.ecn_codepoint, None | Some(Ecn::Ect0 | Ecn::Ect1));
    at.ensure(is_ect, "ecn_codepoint", || "data of an ECN-capable sender carry ect0 or ect1".into())
}

fn quic(q: Quic, at: &PlanPath) -> Result {
    at.count("packet_threshold", q.packet_threshold.into(), (1, MOST_PACKETS), "packets")?;
    at.number("time_threshold", q.time_threshold, TIME_THRESHOLDS, "RTTs")?;
    at.span("max_ack_delay_ps", q.max_ack_delay_ps, LONGEST_DELAY_S)?;
    at.count("ack_every", q.ack_every.into(), (1, MOST_PACKETS), "packets")?;
    at.count("ack_reordering", q.ack_reordering.into(), (0, MOST_PACKETS), "packets")
}

fn sizes(t: &Transport, at: &PlanPath) -> Result {
    let largest = u64::from(u16::MAX);
    at.count("segment_bytes", t.segment_bytes.into(), (1, largest), "B")?;
    let packet = u64::from(t.segment_bytes) + u64::from(t.header_bytes);
    at.ensure(packet <= largest, "header_bytes", || {
        format!("segment and header make {packet} B; a packet may have at most {largest} B")
    })?;
    at.count("ack_bytes", t.ack_bytes.into(), (1, largest), "B")?;
    at.count("syn_bytes", t.syn_bytes.into(), (1, largest), "B")
}

fn windows(t: &Transport, at: &PlanPath) -> Result {
    at.number("initial_window", t.initial_window, (1.0, LARGEST_FIRST_WINDOW), "segments")?;
    let threshold = t.initial_ssthresh.unwrap_or(1.0);
    at.number("initial_ssthresh", threshold, (1.0, LARGEST_WINDOW), "segments (or absent: no bound)")?;
    let window = t.receive_window.map_or(1, u64::from);
    at.count("receive_window", window, (1, u32::MAX.into()), "segments (or absent: no bound)")
}

fn timeouts(t: &Transport, at: &PlanPath) -> Result {
    for (key, ps) in [("min_rto_ps", t.min_rto_ps), ("initial_rto_ps", t.initial_rto_ps)] {
        timeout(key, ps, at)?;
    }
    tick(t, at)?;
    at.span("rto_margin_ps", t.rto_margin_ps, LONGEST_RUN_S)?;
    at.span("max_rto_ps", t.max_rto_ps, LONGEST_RUN_S)?;
    at.ensure(t.min_rto_ps <= t.max_rto_ps, "min_rto_ps", || {
        let (least, most) = (seconds(t.min_rto_ps), seconds(t.max_rto_ps));
        format!("the least time-out, {least} s, is above the greatest, {most} s")
    })
}

fn tick(t: &Transport, at: &PlanPath) -> Result {
    at.span("rto_tick_ps", t.rto_tick_ps, LONGEST_DELAY_S)?;
    at.ensure(t.rto_rule != RtoRule::Ns2 || t.rto_tick_ps > 0, "rto_tick_ps", || {
        "0 s is not allowed; the rule 'ns2' counts ticks, which must be above 0 s".into()
    })
}

fn timeout(key: &str, ps: u64, at: &PlanPath) -> Result {
    at.ensure(ps >= SHORTEST_TIMEOUT, key, || {
        format!(
            "{} s is not allowed; a time-out must be from {} to {LONGEST_RUN_S} s",
            seconds(ps),
            seconds(SHORTEST_TIMEOUT)
        )
    })?;
    at.span(key, ps, LONGEST_RUN_S)
}

/// Checks the SYN's time-outs. The wait doubles with each SYN, at most sixteen times.
fn syn(t: &Transport, at: &PlanPath) -> Result {
    at.count("syn_tries", t.syn_tries.into(), (1, 255), "SYNs")?;
    timeout("syn_rto_ps", t.syn_rto_ps, at)?;
    let doublings = if t.syn_backoff { (t.syn_tries - 1).min(16) } else { 0 };
    let last = u128::from(t.syn_rto_ps) << doublings;
    at.ensure(last <= u128::from(LONGEST_RUN_S * SECOND), "syn_tries", || {
        let (first, tries) = (seconds(t.syn_rto_ps), t.syn_tries);
        format!("{first} s, doubled for each of {tries} SYNs, grows beyond 100 days; take fewer")
    })
}

fn pacing(p: Pacing, at: &PlanPath) -> Result {
    at.number("pacing.slow_start_gain", p.slow_start_gain, GAINS, "times cwnd/srtt")?;
    at.number("pacing.gain", p.gain, GAINS, "times cwnd/srtt")
}
