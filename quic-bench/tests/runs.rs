//! Determinism, conservation of packets, and transfers with bounds derived by hand.

mod common;

use common::{all_controllers, flow, report, run_once, scenario};
use quic_bench::{Device, Flow, Path};

fn link() -> Path {
    Path::new().rate("20 Mbit/s").rtt("40 ms")
}

/// Whether all random numbers of a controller follow from the seed. `Bbr3Config` of noq-proto 1.4 keeps the
/// seed of its probing private, and quiche skips packet numbers at random.
fn is_seeded((stack, controller): &(&str, &str)) -> bool {
    *stack != "quiche" && (*stack, *controller) != ("noq", "bbr3")
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    for (stack, controller) in all_controllers().into_iter().filter(is_seeded) {
        let path = link().loss(0.01).impairment("jitter").queue("codel");
        let tested = scenario(path, "3 s", vec![flow("a", stack, controller), flow("b", "headgate", "reno")]);
        let [one, again, other] = [1, 1, 2].map(|seed| run_once(&tested, seed));
        assert_eq!(format!("{one:?}"), format!("{again:?}"), "{stack} {controller}"); // NaN is equal as text
        assert_ne!(one.digest, other.digest, "{stack} {controller}");
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let flows = vec![Flow { size: Some("100 kB".into()), ..flow("a", "quinn", "cubic") }];
    let mut tested = scenario(link().loss(0.02), "10 s", flows);
    tested.seeds = 5;
    assert_eq!(report(&tested, 1), report(&tested, 3));
}

/// sent + copied = delivered + lost + under way, for every stack over a path that loses, delays and reorders.
#[test]
fn no_packet_appears_or_vanishes() {
    for (stack, controller) in all_controllers().into_iter().filter(|(stack, _)| *stack != "headgate") {
        let path = link().buffer("20 packets").loss(0.02).impairment("jitter").impairment("reorder");
        let packets = run_once(&scenario(path, "3 s", vec![flow("a", stack, controller)]), 3).packets;
        assert_eq!(
            packets.sent,
            packets.delivered + packets.lost + packets.under_way,
            "{stack} {controller}"
        );
        assert!(packets.lost > 0 && packets.sent > 100, "{stack} {controller}: {packets:?}");
    }
}

#[test]
fn copies_are_delivered_besides_their_originals() {
    let path = link().impairment(Device::new("duplicate").set("share", 0.1));
    let flows = vec![Flow { size: Some("1 MB".into()), ..flow("a", "quinn", "cubic") }];
    let run = run_once(&scenario(path, "10 s", flows), 1);
    let packets = run.packets;
    assert!(packets.copied > 30, "{packets:?}");
    assert!(packets.delivered + packets.lost <= packets.sent + packets.copied, "{packets:?}");
    assert_eq!(run.groups[0].finished, 1);
}

/// 10 MB over 20 Mbit/s and 40 ms without losses.
///
/// At least: the bytes alone take 4 s, and the first byte takes 1.5 RTT (handshake, and the way to the
/// server). At most: a full packet of 1480 bytes carries at least 1400 bytes, so all take 4.23 s. Slow start
/// from 10 packets to the BDP of 68 packets doubles for three round trips, in which the link is partly idle.
/// An initial RTT for pacing of 333 ms (RFC 9002 section 6.2.2) is replaced by the sample of the handshake.
/// Ten RTTs cover both. BBRv3 sends at 0.99 of the bandwidth, empties its startup queue, and probes the RTT,
/// which takes a tenth longer.
#[test]
fn a_transfer_takes_the_time_of_its_bytes() {
    for (stack, controller) in all_controllers() {
        let flows = vec![Flow { size: Some("10 MB".into()), ..flow("a", stack, controller) }];
        let run = run_once(&scenario(link().buffer("infinite"), "20 s", flows), 1);
        let took = run.groups[0].completion_s;
        let most = if controller.starts_with("bbr") { 1.1 * 4.63 } else { 4.63 };
        assert!((4.06..most).contains(&took), "{stack} {controller}: {took} s");
    }
}

/// Two equal flows of the engine have equal shares on average: within 10 % over 40 s and 5 seeds.
#[test]
fn equal_flows_share_equally() {
    let cubic = || Device::new("cubic").set("variant", "rfc");
    let mut tested =
        scenario(link(), "60 s", vec![flow("a", "headgate", cubic()), flow("b", "headgate", cubic())]);
    (tested.from, tested.seeds) = (Some("20 s".into()), 5);
    let runs = report(&tested, 2).runs;
    let mean = runs.iter().map(|run| run.groups[0].share).sum::<f64>() / runs.len() as f64;
    assert!((0.4..0.6).contains(&mean), "{mean}");
}

/// The link carries 2 Mbit/s for each of 101 flows, with a buffer of half a BDP. 10 MB therefore take about
/// 40 s, and between 20 and 80 s with twice or half the fair share.
#[test]
#[cfg(feature = "quinn")]
fn a_transfer_gets_its_share_beside_100_flows() {
    let path = Path::new().rate("202 Mbit/s").rtt("40 ms").buffer("0.5 BDP");
    let late = (Some("10 MB".into()), Some("5 s".into()));
    let transfer = Flow { size: late.0, start: late.1, ..flow("a", "quinn", "cubic") };
    let beside = Flow { count: 100, stagger: Some("10 ms".into()), ..flow("beside", "headgate", "cubic") };
    let run = run_once(&scenario(path, "80 s", vec![transfer, beside]), 1);
    let took = run.groups[0].completion_s;
    assert!((20.0..80.0).contains(&took), "{took}");
    assert!(run.groups[0].retransmissions > 0.0);
}

/// Without a random delay of ACKs, phases favour the flow whose datagrams enter at the ends of windows.
#[test]
#[cfg(feature = "quinn")]
fn a_random_delay_of_acks_prevents_phase_effects() {
    let share = |path: Path| {
        let beside = Flow { count: 20, stagger: Some("10 ms".into()), ..flow("beside", "headgate", "reno") };
        let mut tested = scenario(path, "20 s", vec![flow("a", "quinn", "reno"), beside]);
        tested.from = Some("5 s".into());
        run_once(&tested, 1).groups[0].share * 21.0
    };
    let path = || Path::new().rate("42 Mbit/s").rtt("40 ms").buffer("0.5 BDP");
    let (random, locked) = (share(path()), share(path().ack_jitter("0 s")));
    println!("{random} {locked}");
    assert!((0.5..2.0).contains(&random), "{random}");
}

/// DualPI2 marks packets of ECT(0) in its classic queue, and the stack reports and answers the marks. quiche
/// 0.30 does not support ECN, and answers to drops instead.
#[test]
fn stacks_answer_to_marks() {
    for (stack, controller) in all_controllers().into_iter().filter(|(_, controller)| *controller == "cubic")
    {
        let path = Path::new().rate("20 Mbit/s").rtt("20 ms").buffer("200 ms").queue("dualpi2");
        let run = run_once(&scenario(path, "20 s", vec![flow("a", stack, controller)]), 1);
        assert_eq!(run.marks > 0, stack != "quiche", "{stack}: {} marks", run.marks);
        assert!(run.queue_mean_s < 0.03, "{stack}: a mean queue of {} s", run.queue_mean_s);
    }
}
