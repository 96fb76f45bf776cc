//! Leader and workers in every order in which their steps can interleave.
#![cfg(loom)]

use headgate_netsim::sync::{Exchange, Order, Signals, Stretch};
use loom::sync::Arc;
use loom::thread;

const TURNS: u64 = 2;

/// Two parties hand each other the number of the turn, and take what was handed over in the turn before.
fn take_turn(exchange: &Exchange<Vec<u64>>, number: u64, party: usize) {
    exchange.take(number, party, |gift| {
        assert_eq!(gift.drain(..).collect::<Vec<_>>(), if number == 1 { vec![] } else { vec![number - 1] });
    });
    for other in 0..2 {
        let mut gift = vec![number];
        exchange.give(number, party, other, &mut gift);
        assert!(gift.is_empty(), "what was given two turns ago has been taken");
    }
}

#[test]
fn nobody_is_ahead_of_the_other_and_nothing_is_lost() {
    loom::model(|| {
        let floor = Arc::new((Signals::default(), Exchange::<Vec<u64>>::new(2)));
        let shared = Arc::clone(&floor);
        let worker = thread::spawn(move || {
            let (signals, exchange) = &*shared;
            for number in 1.. {
                match signals.await_order(number) {
                    Order::Run(stretch) => take_turn(exchange, stretch.number, 1),
                    Order::Quit => break,
                }
                signals.done();
            }
        });
        let (signals, exchange) = &*floor;
        for number in 1..=TURNS {
            let stretch = Stretch { number, window: number, until: 0 };
            signals.order(Order::Run(stretch), 1);
            take_turn(exchange, number, 0);
            signals.await_all(|| ());
        }
        signals.order(Order::Quit, 0);
        worker.join().unwrap();
        for party in 0..2 {
            exchange.take(TURNS + 1, party, |gift| assert_eq!(*gift, [TURNS]));
        }
    });
}
