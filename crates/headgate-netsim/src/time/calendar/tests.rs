use super::*;

fn packet(time: Time) -> Packet {
    EMPTY_PACKET.arriving(time)
}

fn drained(calendar: &mut Calendar, node: u32) -> Vec<Time> {
    let (mut keys, mut chunks) = (Vec::new(), Vec::new());
    calendar.take(NodeIndex(node), &mut keys, &mut chunks);
    assert!(keys.iter().all(|&k| calendar.packet(k).0 == NodeIndex(node)));
    assert!(keys.iter().all(|&k| calendar.packet(k).1.time == calendar.time(k)));
    calendar.release_chunks(&mut chunks);
    keys.iter().map(|&k| calendar.time(k)).collect()
}

#[test]
fn every_packet_comes_out_in_its_own_window() {
    let mut calendar = Calendar::new(&[NodeIndex(0), NodeIndex(1)], 2, 500_000);
    let times: Vec<Time> = (0..3000).map(|i| 500_000 + i * 777_777).collect();
    for &t in &times {
        assert_eq!(calendar.file(NodeIndex(1), t, &packet(t)), FilingResult::Filed);
    }
    let mut seen = Vec::new();
    while seen.len() < times.len() {
        calendar.advance_to(calendar.current + 1);
        let (from, to) =
            (calendar.windows.start(calendar.current), calendar.windows.start(calendar.current + 1));
        assert!(to - from <= 500_000);
        assert!(calendar.is_empty(NodeIndex(0)));
        let bucket = drained(&mut calendar, 1);
        assert!(bucket.iter().all(|t| (from..to).contains(t)));
        seen.extend(bucket);
    }
    assert_eq!(seen, times);
    assert!(calendar.is_silent());
}

#[test]
fn a_bucket_of_many_chunks_keeps_its_order_and_gives_them_back() {
    let mut calendar = Calendar::new(&[NodeIndex(0)], 1, 500_000);
    for _ in 0..3 {
        let from = calendar.windows.start(calendar.current + 1);
        let times: Vec<Time> = (from..from + 5 * CHUNK as u64 + 7).collect();
        times
            .iter()
            .for_each(|&t| assert_eq!(calendar.file(NodeIndex(0), t, &packet(t)), FilingResult::Filed));
        let odd = times.iter().filter(|&t| t % 2 == 1).count();
        assert_eq!(calendar.count(|packet| packet.time % 2 == 1), odd);
        calendar.advance_to(calendar.current + 1);
        assert_eq!(drained(&mut calendar, 0), times);
    }
    assert_eq!((calendar.pool.link.len(), calendar.count(|_| true)), (6, 0));
}

#[test]
fn packets_without_room_make_it_full() {
    let mut calendar = Calendar::new(&[NodeIndex(0)], 1, 500_000);
    calendar.set_limit(CHUNK);
    for time in 500_000..500_000 + CHUNK as u64 {
        assert!(
            calendar.overflow().is_none()
                && calendar.file(NodeIndex(0), time, &packet(time)) == FilingResult::Filed
        );
    }
    assert_eq!(calendar.file(NodeIndex(0), 600_000, &packet(600_000)), FilingResult::Filed);
    assert_eq!(calendar.overflow(), Some(CHUNK));
    calendar.advance_to(calendar.current + 1);
    assert_eq!(drained(&mut calendar, 0).len(), CHUNK);
}

#[test]
fn a_packet_of_this_window_is_given_back() {
    let mut calendar = Calendar::new(&[NodeIndex(0)], 1, 500_000);
    assert_eq!(calendar.file(NodeIndex(0), 10, &packet(10)), FilingResult::ThisWindow);
    calendar.put_back(NodeIndex(0), &packet(10));
    assert_eq!(drained(&mut calendar, 0), [10]);
}
