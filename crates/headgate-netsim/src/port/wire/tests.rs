use super::*;
use headgate_algos::impairment::AnyImpairment;
use headgate_model::impairment::Impairments;
use headgate_model::plan::Link;

const DATA: PassingPacket = PassingPacket { size_bytes: 1500, data: true, ecn: Ecn::NotEct };

fn stage(name: &str, values: &[f64], number: u64) -> Stage<AnyImpairment> {
    let index = AnyImpairment::cards().iter().position(|card| card.name == name).expect("an impairment");
    (AnyImpairment::build(index, values), Stream::new(1, name, number))
}

fn wire(delay: Span, changes: &[(Time, Span)], row: Vec<Stage<AnyImpairment>>) -> Wire<AnyImpairment> {
    Wire::new(delay, changes, row, None)
}

#[test]
fn a_falling_delay_lets_nobody_overtake() {
    let mut wire = wire(100, &[(50, 20), (300, 5)], Vec::new());
    let mut arrives = |leaves| wire.carry(0, leaves, &DATA).expect("not lost").arrives;
    // those at 60 and 100 would arrive at 80 and 120, but the one before them does at 140
    assert_eq!([40, 60, 100, 200, 300].map(&mut arrives), [140, 141, 142, 220, 305]);
}

#[test]
fn jitter_keeps_order_or_not() {
    for (order, sorted) in [(0.0, true), (1.0, false)] {
        let mut wire = wire(1000, &[], vec![stage("jitter", &[1e-9, 0.0, order], 0)]);
        let times: Vec<Time> =
            (0..1000).map(|k| wire.carry(0, 100 * k, &DATA).expect("not lost").arrives).collect();
        assert_eq!(times.is_sorted(), sorted);
        assert!(times.iter().zip(0..).all(|(&time, k)| time >= 100 * k + 1000));
    }
}

#[test]
fn what_is_held_back_holds_nobody_back() {
    let mut wire = wire(0, &[], vec![stage("reorder", &[0.5, 1e-6], 0)]);
    let times: Vec<Time> = (1..100).map(|k| wire.carry(0, k, &DATA).expect("not lost").arrives).collect();
    assert!(times.iter().zip(1..).all(|(&time, k)| time == k || time == k + 1_000_000));
}

#[test]
fn no_two_arrive_at_once() {
    // held back for five times the time between two
    let mut wire = wire(0, &[], vec![stage("duplicate", &[0.3], 0), stage("reorder", &[0.5, 5e-9], 1)]);
    let mut times = Vec::new();
    for k in 1..1000 {
        let Carried { arrives, copies, .. } = wire.carry(0, 1000 * k, &DATA).expect("not lost");
        times.extend((0..=u64::from(copies)).map(|copy| arrives + copy));
    }
    let many = times.len();
    times.sort_unstable();
    times.dedup();
    assert_eq!(times.len(), many);
    assert!(many > 1200);
}

#[test]
fn copies_multiply_along_the_row() {
    let twice = |number| stage("duplicate", &[1.0], number);
    assert_eq!(
        wire(7, &[], vec![twice(0), twice(1)]).carry(0, 3, &DATA),
        Some(Carried { arrives: 10, copies: 3, ecn: None })
    );
}

#[test]
fn what_never_leaves_never_arrives_and_has_no_copy() {
    let mut wire = wire(7, &[], vec![stage("duplicate", &[1.0], 0)]);
    assert_eq!(wire.carry(0, 3, &DATA), Some(Carried { arrives: 10, copies: 1, ecn: None }));
    assert_eq!(wire.carry(3, NEVER, &DATA), Some(Carried { arrives: NEVER, copies: 0, ecn: None }));
}

#[test]
fn what_one_loses_the_next_one_does_not_meet() {
    let all = stage("bernoulli", &[1.0], 0);
    let no_loss = None;
    assert_eq!(
        Wire::new(7, &[], vec![all.clone(), stage("duplicate", &[1.0], 1)], no_loss).carry(0, 3, &DATA),
        None
    );
    // losses in the chain are known in advance, as other losses are
    let link = Link { lose: vec![9], ..Link::default() };
    let listed = Loss::new(&link, Stream::new(1, "loss", 0));
    let mut wire = Wire::new(7, &[], vec![all], listed);
    assert_eq!(wire.carry(0, 30, &DATA), None);
    assert_eq!((wire.pending_losses(29), wire.pending_losses(30)), ((1, 1), (0, 0)));
}
