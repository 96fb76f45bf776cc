//! The signals and mailboxes of leader and workers, under every interleaving of their steps.
#![cfg(loom)]

use headgate_netsim::run::sync::{Command, Mailboxes, Signals, Stretch};
use loom::sync::Arc;
use loom::thread;

const TURNS: u64 = 2;

/// Two parties give each other the number of the turn, and take the messages of the previous turn.
fn take_turn(mailboxes: &Mailboxes<Vec<u64>>, number: u64, party: usize) {
    mailboxes.take(number, party, |message| {
        assert_eq!(
            message.drain(..).collect::<Vec<_>>(),
            if number == 1 { vec![] } else { vec![number - 1] }
        );
    });
    for other in 0..2 {
        let mut message = vec![number];
        mailboxes.give(number, party, other, &mut message);
        assert!(message.is_empty(), "what was given two turns ago has been taken");
    }
}

#[test]
fn nobody_is_ahead_of_the_other_and_nothing_is_lost() {
    loom::model(|| {
        let threads = Arc::new((Signals::default(), Mailboxes::<Vec<u64>>::new(2)));
        let shared = Arc::clone(&threads);
        let worker = thread::spawn(move || {
            let (signals, mailboxes) = &*shared;
            for number in 1.. {
                match signals.await_command(number) {
                    Command::Run(stretch) => take_turn(mailboxes, stretch.number, 1),
                    Command::Quit => break,
                }
                signals.done();
            }
        });
        let (signals, mailboxes) = &*threads;
        for number in 1..=TURNS {
            let stretch = Stretch { number, window: number, until: 0 };
            signals.send(Command::Run(stretch), 1);
            take_turn(mailboxes, number, 0);
            signals.await_all(|| ());
        }
        signals.send(Command::Quit, 0);
        worker.join().unwrap();
        for party in 0..2 {
            mailboxes.take(TURNS + 1, party, |message| assert_eq!(*message, [TURNS]));
        }
    });
}
