use super::*;
use crate::path::Path;

fn parse(text: &str) -> Result<Expectation> {
    let path = Path::new().rate("50 Mbit/s").rtt("40 ms").check().expect("a path");
    Expectation::parse(text, &["a", "b"], &path)
}

fn bounds(text: &str) -> (f64, f64) {
    let parsed = parse(text).unwrap_or_else(|error| panic!("{error}"));
    (parsed.low, parsed.high)
}

#[test]
fn bounds_have_the_unit_of_their_measure() {
    assert_eq!(bounds("goodput of a >= 0.9 of rate"), (45e6, f64::INFINITY));
    assert_eq!(bounds("goodput of b >= 10 Mbit/s"), (10e6, f64::INFINITY));
    assert_eq!(bounds("completion of a <= 5 s"), (f64::NEG_INFINITY, 5.0));
    assert_eq!(bounds("queue p99 <= 2 of rtt"), (f64::NEG_INFINITY, 0.08));
    assert_eq!(bounds("queue mean between 1 ms and 20 ms"), (0.001, 0.02));
    assert_eq!(bounds("share of a between 40 % and 0.6"), (0.4, 0.6));
    assert_eq!(bounds("goodput of a / goodput of b between 0.5 and 2"), (0.5, 2.0));
    assert_eq!(bounds("fairness >= 0.9"), (0.9, f64::INFINITY));
}

#[test]
fn a_sentence_that_is_not_understood_says_what_is() {
    for (text, allowed) in [
        ("", "'goodput of FLOW'"),
        ("speed of a >= 1", "'goodput of FLOW'"),
        ("goodput a >= 1 Mbit/s", "'of'"),
        ("goodput of c >= 1 Mbit/s", "'a' or 'b'"),
        ("goodput of a > 1 Mbit/s", "'>='"),
        ("goodput of a >= 1", "'Mbit/s'"),
        ("goodput of a >= 1 of rtt", "'of rate'"),
        ("goodput of a between 1 Mbit/s or 2 Mbit/s", "LOW and HIGH"),
        ("goodput of a between 2 Mbit/s and 1 Mbit/s", "above"),
        ("goodput of a >= 1 Mbit/s now", "'now'"),
        ("goodput of a / completion of b <= 1", "same kind"),
        ("queue max <= 1 ms", "'queue p99'"),
        ("share of a >= nan", "number"),
    ] {
        let message = parse(text).unwrap_err().message;
        assert!(message.contains(allowed), "{text}: {message}");
    }
}

#[test]
fn a_verdict_needs_the_whole_interval() {
    let between = parse("share of a between 0.4 and 0.6").expect("a sentence");
    let judge =
        |low, high| between.judge(&Estimate { mean: (low + high) / 2.0, interval: Some([low, high]) });
    assert_eq!(judge(0.4, 0.6), Verdict::Holds);
    assert_eq!(judge(0.45, 0.55), Verdict::Holds);
    assert_eq!(judge(0.39, 0.55), Verdict::Undecided);
    assert_eq!(judge(0.5, 0.61), Verdict::Undecided);
    assert_eq!(judge(0.3, 0.7), Verdict::Undecided);
    assert_eq!(judge(0.1, 0.39), Verdict::Differs);
    assert_eq!(judge(0.61, 0.7), Verdict::Differs);
    assert_eq!(judge(0.1, 0.4), Verdict::Undecided); // the bound itself is allowed
    for mean in [0.5, 0.9, f64::NAN] {
        assert_eq!(between.judge(&Estimate { mean, interval: None }), Verdict::Undecided);
    }
}
