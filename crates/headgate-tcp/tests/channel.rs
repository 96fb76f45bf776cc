//! Properties of the example, and of its channel beyond it.

#[path = "../examples/channel/channel.rs"]
mod channel;

use channel::transfer;
use headgate_tcp::Repairs;

fn repairs(lost: Vec<usize>) -> Repairs {
    let (sender, received) = transfer(100, lost);
    assert!(sender.una == 100 && received.is_some());
    sender.stats.repairs()
}

#[test]
fn a_first_window_takes_a_round_trip_its_services_and_a_delay() {
    let (sender, received) = transfer(10, Vec::new());
    // 20 ms for the SYN and its answer, ten times 1.2112 ms, 10 ms
    assert_eq!(received, Some(42_112_000_000));
    assert_eq!(sender.stats.repairs(), Repairs::default());
}

#[test]
fn a_hole_is_repaired_by_one_retransmission_in_one_recovery() {
    assert_eq!(
        repairs(vec![20]),
        Repairs { retransmissions: 1, timeouts: 0, recoveries: 1, ..Repairs::default() }
    );
}

#[test]
fn a_probe_shows_that_a_tail_is_lost() {
    // the probe repeats the last segment; its SACK shows that it overtook the one before (RFC 8985 §7.3, §6.2)
    assert_eq!(
        repairs(vec![99, 100]),
        Repairs { retransmissions: 2, timeouts: 0, recoveries: 1, ..Repairs::default() }
    );
}

#[test]
fn a_probe_that_is_lost_too_leaves_the_tail_to_the_timer() {
    // the probe, and both segments after the time-out
    assert_eq!(
        repairs(vec![99, 100, 101]),
        Repairs { retransmissions: 3, timeouts: 1, recoveries: 0, ..Repairs::default() }
    );
}
