use super::*;
use crate::packets::index::Address;
use crate::packets::packet::CommonFields;
use headgate_model::plan::{Buffer, RateChange};
use headgate_model::queue::Arrival;
use headgate_tcp::Flags;

/// No discipline: arrivals are kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Keeps;

impl Discipline for Keeps {}

/// Drops every packet that would have to wait.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Refuses;

impl Discipline for Refuses {
    fn admit(&mut self, _arrival: &Arrival, port: &Backlog, _chance: &mut Stream) -> Verdict {
        if port.present > 0.0 { Verdict::Drop } else { Verdict::Keep }
    }
}

/// 1 Gbit/s: 1500 B take 12 µs.
fn link(buffer: Buffer) -> Link {
    Link { buffer, ..crate::port::sample_link(1_000_000_000, 5) }
}

fn port(buffer: Buffer) -> AnalyticPort<Keeps> {
    AnalyticPort::new(&link(buffer), None)
}

fn lossy(buffer: Buffer, probability: f64, listed: &[u64]) -> AnalyticPort<Keeps> {
    let link = Link { loss: probability, lose: listed.to_vec(), ..link(buffer) };
    AnalyticPort::new(&link, Loss::new(&link, Stream::new(1, "loss", 0)))
}

fn packet(size: u16) -> Packet {
    let common = CommonFields { address: Address(1), size, ..CommonFields::default() };
    Packet::ack(common, Flags::NONE, 0, 0, None)
}

#[test]
fn departures_follow_each_other() {
    let mut p = port(Buffer::Infinite);
    assert_eq!(p.offer(0, &mut packet(1500)), Fate::Arrives(12_000_005));
    assert_eq!(p.offer(1, &mut packet(1500)), Fate::Arrives(24_000_005));
    assert_eq!(p.offer(30_000_000, &mut packet(1500)), Fate::Arrives(42_000_005));
    assert_eq!(p.tally.wait_ps, 11_999_999);
}

#[test]
fn the_buffer_counts_waiting_packets_only() {
    let mut p = port(Buffer::Packets(2));
    let fates: Vec<_> = (0..4).map(|_| p.offer(0, &mut packet(1500))).collect();
    assert_eq!(fates[3], Fate::Dropped); // one in service, two waiting
    assert!(fates[..3].iter().all(|f| matches!(f, Fate::Arrives(_))));
    assert_eq!((p.queue(0), p.tally.max_queue), (2, 2));
    // at the instant of a departure the place is free
    assert!(matches!(p.offer(12_000_000, &mut packet(1500)), Fate::Arrives(_)));
    assert_eq!(p.offer(12_000_000, &mut packet(1500)), Fate::Dropped);
}

#[test]
fn no_buffer_holds_more_than_the_clock_can_tell() {
    // 8 bit/s: a packet takes 65,535 s, and the clock ends after 281 of them
    let link = Link { buffer: Buffer::Infinite, ..crate::port::sample_link(8, 5) };
    let mut p = AnalyticPort::<Keeps>::new(&link, None);
    let fates: Vec<_> = (0..1000).map(|_| p.offer(0, &mut packet(65_535))).collect();
    let kept = fates.iter().take_while(|fate| **fate != Fate::Dropped).count();
    assert_eq!(kept, 71); // 70 of them take 53.1 days, 71 longer than the 53.4 that are allowed
    assert!(fates[kept..].iter().all(|fate| *fate == Fate::Dropped));
}

#[test]
fn what_a_discipline_drops_sets_no_peak() {
    let mut p =
        AnalyticPort::new(&link(Buffer::Infinite), None).with_aqm(Some(Refuses), Stream::new(1, "", 0));
    let fates: Vec<_> = (0..3).map(|_| p.offer(0, &mut packet(1500))).collect();
    assert!(matches!(fates[..], [Fate::Arrives(_), Fate::Dropped, Fate::Dropped]));
    assert_eq!((p.queue(0), p.tally.max_queue), (0, 0));
}

#[test]
fn a_byte_limit_bounds_the_backlog() {
    let mut p = port(Buffer::Bytes(3000));
    let admitted = (0..10).filter(|_| p.offer(0, &mut packet(1500)) != Fate::Dropped).count();
    assert_eq!(admitted, 3); // backlogs seen: 0, 1500, 3000 bytes
}

#[test]
fn what_is_queued_at_a_change_leaves_at_the_rate_before() {
    let change = RateChange { at_ps: 6_000_000, rate_bps: 2_000_000_000 };
    let mut p = AnalyticPort::<Keeps>::new(&Link { changes: vec![change], ..link(Buffer::Infinite) }, None);
    p.offer(0, &mut packet(1500)); // 12 us
    p.offer(0, &mut packet(1500)); // to 24 us
    assert_eq!(p.offer(6_000_000, &mut packet(1500)), Fate::Arrives(30_000_005)); // 6 us more
    // at 18 us half of the second and the whole third are here
    assert_eq!(p.row(18_000_000).sent.sent_bytes, 2250);
    let rate_bps = p.row(48_000_000).mean_rate_bps();
    assert!((rate_bps - 1.5e9).abs() < 1.0, "{rate_bps}"); // 24 us at each rate
}

#[test]
fn random_loss_has_its_probability() {
    let mut p = lossy(Buffer::Infinite, 0.1, &[]);
    let n = 100_000;
    let lost = (0..n).filter(|_| p.offer(0, &mut packet(40)) == Fate::Lost).count() as f64;
    assert!((lost / f64::from(n) - 0.1).abs() < 4.0 * (0.09 / f64::from(n)).sqrt());
}

#[test]
fn listed_packets_are_lost() {
    let mut p = lossy(Buffer::Packets(1), 0.0, &[1, 3]);
    let fates: Vec<_> = [0, 0, 0, 50_000_000].map(|now| p.offer(now, &mut packet(1500))).into();
    // the third of the first burst finds no room and gets no number
    assert!(matches!(fates[..], [Fate::Lost, Fate::Arrives(_), Fate::Dropped, Fate::Lost]));
}

#[test]
fn a_discipline_sees_the_queue_of_the_moment() {
    let mut p = port(Buffer::Infinite);
    (0..3).for_each(|_| assert_ne!(p.offer(0, &mut packet(1500)), Fate::Dropped));
    let seen = p.backlog(6_000_000); // half of the first has been sent
    assert_eq!((seen.packets, seen.present, seen.held_bytes), (2.0, 3.0, 0.0));
    assert!((seen.bytes - 3750.0).abs() < 1e-6 && (seen.wait_s - 30e-6).abs() < 1e-15);
    assert_eq!((seen.now_s, seen.idle_s, seen.rate_bytes_s), (6e-6, 0.0, 1.25e8));
    let seen = p.backlog(40_000_000);
    assert_eq!((seen.packets, seen.present, seen.bytes, seen.wait_s), (0.0, 0.0, 0.0, 0.0));
    assert!((seen.idle_s - 4e-6).abs() < 1e-15);
}

#[test]
fn a_packet_that_waits_takes_a_word() {
    let mut p = port(Buffer::Infinite);
    let empty = p.bytes();
    (0..1000).for_each(|_| assert_ne!(p.offer(0, &mut packet(1500)), Fate::Dropped));
    assert!((8 * 1000..=2 * 8 * 1024).contains(&(p.bytes() - empty)));
}
