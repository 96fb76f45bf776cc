use super::*;
use crate::trial::queue::{chance, params};
use headgate_model::ecn::Ecn;

fn queue(changes: &[(&str, f64)]) -> CnqCodelAf {
    CnqCodelAf::new(Params::from_values(&params(Params::TABLE, changes)), 1e6)
}

fn port(now_s: f64) -> Backlog {
    Backlog { now_s, ..Backlog::default() }
}

/// Adds a packet of a flow, whose number is 100 flow + n.
fn put(queue: &mut CnqCodelAf, id: u32, now_s: f64) {
    let (flow, ecn) = (u64::from(id / 100), Ecn::Ect0);
    let packet = QueuedPacket { id, size_bytes: 1500, flow, data: true, ecn, since_s: now_s };
    queue.enqueue(packet, &port(now_s), &mut Vec::new());
}

fn take(queue: &mut CnqCodelAf, now_s: f64) -> Option<(u32, bool)> {
    queue.dequeue(&port(now_s), &mut Vec::new(), &mut chance())
}

fn sent(queue: &mut CnqCodelAf) -> Vec<u32> {
    std::iter::from_fn(|| take(queue, 0.0)).map(|(id, _)| id).collect()
}

#[test]
fn a_flow_without_a_place_goes_first() {
    let mut queue = queue(&[]);
    [100, 101, 102, 200, 103, 201].into_iter().for_each(|id| put(&mut queue, id, 0.0));
    // the first of each is sparse; the others follow in order of arrival
    assert_eq!(sent(&mut queue), [100, 200, 101, 102, 103, 201]);
}

#[test]
fn a_place_lasts_until_the_bulk_queue_reaches_it() {
    let mut queue = queue(&[]);
    [100, 101, 200].into_iter().for_each(|id| put(&mut queue, id, 0.0));
    assert_eq!((queue.packets(), queue.active, queue.empty_places), (3, 2, 2));
    assert_eq!([take(&mut queue, 0.0), take(&mut queue, 0.0)], [Some((100, false)), Some((200, false))]);
    put(&mut queue, 201, 0.0); // 101 is before the place of 200
    put(&mut queue, 300, 0.0);
    assert_eq!(sent(&mut queue), [300, 101, 201]);
    // the place of 300 is behind 201, and remains although no packet waits
    assert_eq!((queue.packets(), queue.active, queue.empty_places), (0, 1, 1));
    put(&mut queue, 301, 0.0);
    assert_eq!((queue.sparse.len(), sent(&mut queue)), (0, vec![301]));
}

/// Sends all but the sparse packets of two flows, one with `more` packets for each of the other's, after
/// `wait_s`.
fn marks(more: usize, wait_s: f64) -> [usize; 2] {
    let mut queue = queue(&[]);
    for round in 0..10 {
        put(&mut queue, 200 + round, 0.0);
        (0..more as u32).for_each(|n| put(&mut queue, 100 + 5 * round + n, 0.0));
    }
    let mut marks = [0, 0];
    while let Some((id, marked)) = take(&mut queue, wait_s) {
        marks[id as usize / 100 - 1] += usize::from(marked);
    }
    marks
}

#[test]
fn the_flow_with_more_packets_is_signalled_earlier() {
    // with 3 of each 4 packets, 2 b/n of one flow is at most 2 x 6/7 = 1.7, which the last packets before a
    // round of four reach, and that of the other 1/2; the second packet above the target is marked, and no
    // other is due yet
    assert_eq!(marks(3, 0.0028), [0, 0]);
    assert_eq!(marks(3, 0.0035), [1, 0]);
    // with equal parts it is 1 for the flow that comes first in each round, and at most 2 x 2/3 for the other
    assert_eq!(marks(1, 0.0037), [0, 0]);
    assert_eq!(marks(1, 0.0060), [1, 1]);
}

/// Returns the drops of a flow whose packets come at once in each round, and have waited long.
fn drops(packets: u32) -> usize {
    let mut queue = queue(&[("target_s", 0.0)]);
    let mut all = 0;
    for round in 0..50 {
        let now_s = f64::from(round);
        for id in 0..packets {
            let since_s = now_s - 0.3;
            let packet =
                QueuedPacket { id, size_bytes: 1500, flow: 1, data: true, ecn: Ecn::NotEct, since_s };
            queue.enqueue(packet, &port(now_s), &mut Vec::new());
        }
        let mut drops = Vec::new();
        let sent = std::iter::from_fn(|| queue.dequeue(&port(now_s), &mut drops, &mut chance()));
        assert_eq!(sent.last(), Some((packets - 1, false)), "the last one");
        all += drops.len();
    }
    all
}

#[test]
fn the_last_packet_of_a_flow_is_not_dropped() {
    // the first is sparse, the second is the first above the target, and the third is signalled
    assert_eq!(drops(3), 0);
    assert!(drops(4) >= 50);
}
