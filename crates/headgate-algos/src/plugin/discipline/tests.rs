use headgate_model::ecn::Ecn;

use super::*;
use crate::plugin::{External, State};
use crate::trial::queue::{arrival, chance, waiting};

type Rule = fn(&DisciplineEvent<'_>, &mut [u64], &Backlog, &mut Decision);

/// A discipline with one rule and one word of state.
struct Guest {
    traits: DisciplineTraits,
    rule: Rule,
}

impl External<Disciplines> for Guest {
    fn traits(&self) -> DisciplineTraits {
        self.traits
    }

    fn initial_state(&self) -> Result<State, PluginError> {
        Ok([0].into())
    }

    fn call(
        &self,
        event: &DisciplineEvent<'_>,
        state: &mut [u64],
        port: &Backlog,
        decision: &mut Decision,
    ) -> Result<(), PluginError> {
        (self.rule)(event, state, port, decision);
        Ok(())
    }

    fn keep(&self, state: &[u64]) -> Result<Vec<u8>, PluginError> {
        Ok(state[0].to_le_bytes().to_vec())
    }

    fn restore(&self, kept: &[u8]) -> Result<State, PluginError> {
        Ok([u64::from_le_bytes(kept.try_into().expect("eight bytes"))].into())
    }
}

fn runtimes(traits: DisciplineTraits, rule: Rule) -> Vec<Arc<Runtime<Disciplines>>> {
    vec![Arc::new(Runtime::new("mine".to_owned(), Arc::new(Guest { traits, rule })))]
}

fn bound(runtimes: &[Arc<Runtime<Disciplines>>]) -> PluginQueue {
    let mut queue = PluginQueue::unbound(0, &runtimes[0].traits().values());
    queue.bind(runtimes).expect("external code");
    queue
}

fn stream() -> Stream {
    Stream::new(1, "queue", 0)
}

/// Offers a packet of this flow. It joins the queue if it is kept.
fn arrive(queue: &mut PluginQueue, id: u32, flow: u64) -> Verdict {
    let packet = Arrival { flow, ..arrival(true) };
    let verdict = queue.admit(&packet, &waiting(3.0), &mut stream());
    if verdict != Verdict::Drop {
        let kept = QueuedPacket { id, size_bytes: 1500, flow, data: true, ecn: Ecn::Ect0, since_s: 0.0 };
        queue.enqueue(kept, &waiting(3.0), &mut Vec::new());
    }
    verdict
}

fn by_flow(event: &DisciplineEvent<'_>, _: &mut [u64], _: &Backlog, decision: &mut Decision) {
    if let DisciplineEvent::Arrival(packet) = event {
        decision.rank = packet.flow as f64;
    }
}

const RANKS: DisciplineTraits = DisciplineTraits { on_departure: false, ranks: true, tick_s: 0.0 };
const PLAIN: DisciplineTraits = DisciplineTraits { on_departure: false, ranks: false, tick_s: 0.0 };

#[test]
fn packets_leave_by_rank_and_those_of_one_rank_as_they_came() {
    let mut queue = bound(&runtimes(RANKS, by_flow));
    assert!(queue.has_dequeue());
    for (id, flow) in [(0, 5), (1, 2), (2, 5), (3, 2), (4, 9), (5, 1)] {
        assert_eq!(arrive(&mut queue, id, flow), Verdict::Keep);
    }
    let order: Vec<u32> = std::iter::from_fn(|| queue.dequeue(&waiting(6.0), &mut Vec::new(), &mut chance()))
        .map(|(id, _)| id)
        .collect();
    assert_eq!(order, [5, 1, 3, 0, 2, 4]);
}

#[test]
fn a_drop_at_the_head_makes_room_for_the_next_and_the_port_is_without_both() {
    let traits = DisciplineTraits { on_departure: true, ..PLAIN };
    let mut queue = bound(&runtimes(traits, |event, state, port, decision| {
        if let DisciplineEvent::Departure(packet) = event {
            state[0] += 1;
            assert_eq!(packet.wait_s, 2.0);
            assert_eq!(
                (port.packets, port.held_bytes),
                (3.0 - state[0] as f64, 4500.0 - 1500.0 * state[0] as f64)
            );
            decision.verdict = if state[0] == 1 { 2 } else { 1 };
        }
    }));
    (0..3).for_each(|id| assert_eq!(arrive(&mut queue, id, 7), Verdict::Keep));
    let mut drops = Vec::new();
    let port = Backlog { now_s: 2.0, held_bytes: 4500.0, rate_bytes_s: 1e6, ..waiting(3.0) };
    assert_eq!(queue.dequeue(&port, &mut drops, &mut chance()), Some((1, true)));
    assert_eq!(drops, [0]);
}

#[test]
fn it_draws_the_numbers_of_the_port_s_stream_in_their_order() {
    let runtimes = runtimes(PLAIN, |_, state, _, decision| {
        let numbers = [1, 0, 3, 4, 2][state[0] as usize % 5];
        state[0] += 1;
        let sum: f64 = (0..numbers).map(|_| decision.draw()).sum();
        decision.verdict = if sum > 1.0 { 2 } else { 0 };
    });
    let (mut queue, mut own, mut unused) = (bound(&runtimes), stream(), stream());
    for numbers in [1, 0, 3, 4, 2].repeat(20) {
        let sum: f64 = (0..numbers).map(|_| own.open01()).sum();
        let due = if sum > 1.0 { Verdict::Drop } else { Verdict::Keep };
        assert_eq!(queue.admit(&arrival(true), &waiting(1.0), &mut unused), due);
    }
    assert_eq!(unused, stream()); // the port's state does not change
}

#[test]
fn it_ticks_at_multiples_of_its_period() {
    let traits = DisciplineTraits { tick_s: 0.25, ..PLAIN };
    let mut queue = bound(&runtimes(traits, |event, state, _, _| {
        state[0] += u64::from(matches!(event, DisciplineEvent::Tick(_)));
    }));
    for tick in 1..=3u64 {
        assert_eq!(queue.next_tick(), tick * 250_000_000_000);
        queue.on_tick(&waiting(0.0));
    }
    assert_eq!(bound(&runtimes(PLAIN, by_flow)).next_tick(), NEVER);
}

#[test]
fn what_it_must_not_say_is_the_first_fault_and_keeps_the_packet() {
    let cases: [(Rule, &str); 4] = [
        (
            |_, _, _, decision| decision.verdict = 3,
            "verdict became 3; it must be KEEP (0), MARK (1) or DROP (2)",
        ),
        (
            |_, _, _, decision| decision.rank = 1.0,
            "rank became 1; only a discipline with ranks = True may set it",
        ),
        (|_, _, _, decision| decision.drawn = 5, "it drew 5 random numbers; a decision may draw at most 4"),
        (
            |_, _, _, decision| decision.verdict = 1,
            "it marks a packet that is not capable of ECN; look at packet.capable",
        ),
    ];
    for (rule, says) in cases {
        let runtimes = runtimes(PLAIN, rule);
        let mut queue = bound(&runtimes);
        let port = Backlog { now_s: 1.5, ..waiting(2.0) };
        assert_eq!(queue.admit(&arrival(false), &port, &mut stream()), Verdict::Keep);
        let fault = runtimes[0].fault().expect("a fault");
        assert_eq!((fault.place.as_str(), fault.message.as_str()), ("on_arrival at 1.500000 s", says));
    }
}

#[test]
fn the_time_between_ticks_has_bounds_and_something_to_call() {
    let ticks = |tick_s| DisciplineTraits { tick_s, ..PLAIN };
    assert!(ticks(1e-6).checked(true).is_ok() && ticks(0.0).checked(false).is_ok());
    for (traits, has_on_tick) in [(ticks(1e-7), true), (ticks(f64::NAN), true), (ticks(-1.0), true)] {
        assert!(traits.checked(has_on_tick).is_err());
    }
    assert!(ticks(0.0).checked(true).is_err() && ticks(1.0).checked(false).is_err());
}

#[test]
fn a_copy_goes_on_by_itself() {
    let runtimes = runtimes(PLAIN, |_, state, _, decision| {
        state[0] += 1;
        decision.verdict = if state[0] % 2 == 0 { 2 } else { 0 };
    });
    let mut one = bound(&runtimes);
    assert_eq!(arrive(&mut one, 0, 1), Verdict::Keep);
    let mut other = one.clone();
    assert_eq!((arrive(&mut one, 1, 1), arrive(&mut other, 1, 1)), (Verdict::Drop, Verdict::Drop));
    assert_eq!(arrive(&mut one, 2, 1), Verdict::Keep);
}
