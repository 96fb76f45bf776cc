use super::*;
use crate::trial::queue::chance;
use headgate_model::ecn::Ecn;

fn codel(ecn: bool) -> Codel {
    rooted(ecn, Root::Exact)
}

fn rooted(ecn: bool, root: Root) -> Codel {
    Codel::new(Params { ecn, root, ..Params::default() }, 0.0)
}

fn queued(id: u32, since_s: f64) -> QueuedPacket {
    QueuedPacket { id, size_bytes: 1500, flow: 1, data: true, ecn: Ecn::Ect0, since_s }
}

/// Serves a queue with a constant wait of 10 ms, one packet per millisecond. Returns the packets that
/// were dropped or marked, and the times.
fn served(queue: &mut Codel, packets: u32) -> Vec<(u32, f64, bool)> {
    let mut seen = Vec::new();
    let mut drops = Vec::new();
    (0..packets + 10).for_each(|id| {
        let since_s = f64::from(id) / 1000.0;
        queue.enqueue(queued(id, since_s), &Backlog::default(), &mut drops);
    });
    for at in 0..packets {
        let now_s = f64::from(at + 10) / 1000.0;
        let port = Backlog { now_s, ..Backlog::default() };
        let Some((id, marked)) = queue.dequeue(&port, &mut drops, &mut chance()) else { break };
        seen.extend(drops.drain(..).map(|id| (id, now_s, false)));
        if marked {
            seen.push((id, now_s, true));
        }
    }
    seen
}

#[test]
fn drops_come_at_the_intervals_over_the_roots() {
    let seen = served(&mut codel(true), 400);
    // above from 10 ms on; the first mark 100 ms later, then after 100, 100/sqrt 2, 100/sqrt 3 ...
    let due = [0.110, 0.210, 0.280_711, 0.338_446, 0.388_446];
    assert!(seen.len() >= due.len(), "{seen:?}");
    for (due, (_, at, marked)) in due.iter().zip(&seen) {
        assert!(*marked && (0.0..0.001_001).contains(&(at - due)), "{at} {due}");
    }
}

#[test]
fn a_step_of_newton_makes_the_second_drop_early() {
    let seen = served(&mut rooted(true, Root::Newton), 400);
    // 1; 1 (1.5 - 2/2) = 0.5; 0.5 (1.5 - 3/8) = 0.5625; 0.5625 (1.5 - 2 * 0.3164) = 0.4878
    let due = [0.110, 0.210, 0.260, 0.316_25, 0.365_03];
    for (due, (_, at, _)) in due.iter().zip(&seen) {
        assert!((0.0..0.001_001).contains(&(at - due)), "{at} {due}");
    }
}

#[test]
fn every_packet_above_the_ce_threshold_is_marked() {
    // the wait is 10 ms, and CoDel itself marks the packet at 110 ms
    let marks = |ce_threshold_s| {
        let params = Params { ecn: true, ce_threshold_s, ..Params::default() };
        served(&mut Codel::new(params, 0.0), 105).len()
    };
    assert_eq!([0.0, 0.0099, 0.0101].map(marks), [1, 105, 1]);
}

#[test]
fn what_cannot_be_marked_is_dropped_and_the_next_is_sent() {
    let seen = served(&mut codel(false), 150);
    assert_eq!((seen.len(), seen[0].0, seen[0].2), (1, 100, false));
}

#[test]
fn the_next_drop_is_set_only_while_dropping_goes_on() {
    let mut queue = codel(false);
    (queue.control.dropping, queue.control.next_s) = (true, 1.0);
    queue.control.above_until_s = Some(0.5);
    let mut drops = Vec::new();
    for (id, since_s) in [(0, 0.9), (1, 0.998), (2, 0.998), (3, 0.999)] {
        queue.enqueue(queued(id, since_s), &Backlog::default(), &mut drops);
    }
    let port = Backlog { now_s: 1.0, ..Backlog::default() };
    // the packet that has waited 100 ms is dropped; the one behind it has waited less than 5 ms
    assert_eq!(queue.dequeue(&port, &mut drops, &mut chance()), Some((1, false)));
    assert_eq!((drops, queue.control.dropping), (vec![0], false));
    assert_eq!(queue.control.next_s, 1.0); // the last drop; drops within 16 intervals of it continue the count
}

#[test]
fn a_short_wait_or_a_last_packet_is_never_dropped() {
    let mut queue = codel(false);
    let mut drops = Vec::new();
    for id in 0..1000 {
        let now_s = f64::from(id);
        queue.enqueue(queued(id, now_s - 1.0), &Backlog::default(), &mut drops); // a single packet, after a second
        let port = Backlog { now_s, ..Backlog::default() };
        assert_eq!(queue.dequeue(&port, &mut drops, &mut chance()), Some((id, false)));
    }
    assert!(drops.is_empty());
}

#[test]
fn what_follows_within_sixteen_intervals_goes_on_where_it_was() {
    for (count, now_s, expected) in [(10.0, 2.5, 8.0), (10.0, 2.7, 1.0), (4.0, 2.5, 2.0), (3.0, 2.5, 1.0)] {
        let mut control = codel(false).control;
        (control.count, control.first, control.next_s) = (count, 2.0, 1.0);
        control.begin(now_s);
        assert_eq!((control.count, control.first), (expected, expected)); // minus the two of the time before
        assert_eq!(control.next_s, now_s + 0.1 / expected.sqrt());
    }
}

#[test]
fn what_found_no_room_counts_as_dropped() {
    let mut control = codel(false).control;
    (control.count, control.first) = (2.0, 1.0);
    control.press(3);
    assert_eq!((control.count, control.first), (5.0, 1.0));
}
