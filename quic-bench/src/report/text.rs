//! Results for people: the verdicts first, then a table of means with 95 % intervals.

use crate::bench::{Judged, Report};
use crate::estimate::Estimate;
use crate::expect::{Measure, Verdict};
use std::fmt::Write;

/// A column: its title, the factor to its unit, its digits, and its measure of a group.
type Column = (&'static str, f64, usize, fn(usize) -> Measure);

const COLUMNS: [Column; 4] = [
    ("goodput Mbit/s", 1e-6, 2, Measure::Goodput),
    ("completion s", 1.0, 3, Measure::Completion),
    ("share", 1.0, 3, Measure::Share),
    ("resent %", 100.0, 2, Measure::Retransmissions),
];

/// Writes the results of a scenario.
pub fn to_text(report: &Report) -> String {
    let mut text = format!("{}: {}\n", report.name, summary(report));
    if !report.about.is_empty() {
        _ = writeln!(text, "{}", report.about);
    }
    text.push('\n');
    for judged in &report.judged {
        _ = writeln!(text, "{:<10} {}", judged.verdict.word(), judged.text);
        _ = writeln!(text, "{:<10}   found {}", "", found(judged));
    }
    if !report.judged.is_empty() {
        text.push('\n');
    }
    text.push_str(&table(report));
    for (name, measure) in [("queue mean", Measure::QueueMean), ("queue p99", Measure::QueueP99)] {
        _ = writeln!(text, "{name}: {} ms", interval(&report.estimate(&measure), 1e3, 2));
    }
    _ = writeln!(text, "fairness (Jain): {}", interval(&report.estimate(&Measure::Fairness), 1.0, 3));
    _ = writeln!(text, "digest: {:016x} (seeds 1 to {})", report.digest(), report.runs.len());
    text
}

fn summary(report: &Report) -> String {
    let runs = format!("{} run{}", report.runs.len(), if report.runs.len() == 1 { "" } else { "s" });
    let count = |verdict| report.count(verdict);
    let (holds, differs, open) = (count(Verdict::Holds), count(Verdict::Differs), count(Verdict::Undecided));
    match report.judged.len() {
        0 => format!("no expectations ({runs})"),
        all if holds == all => format!("all {all} expectations hold ({runs})"),
        all => format!("{differs} of {all} expectations differ, {open} undecided, {holds} hold ({runs})"),
    }
}

fn found(judged: &Judged) -> String {
    let Estimate { mean, interval } = judged.estimate;
    match (interval, &judged.reason) {
        (Some([low, high]), _) => {
            format!("{} (95 % interval {} to {})", short(mean), short(low), short(high))
        }
        (None, Some(reason)) => format!("{}; {reason}", short(mean)),
        (None, None) => short(mean),
    }
}

/// Four significant digits; rates in millions.
pub(super) fn short(value: f64) -> String {
    if !value.is_finite() {
        return "no value".into();
    }
    let (value, unit) = if value.abs() >= 1e5 { (value / 1e6, "e6") } else { (value, "") };
    let digits = if value == 0.0 { 0 } else { (3 - value.abs().log10().floor() as i32).clamp(0, 6) };
    format!("{value:.*}{unit}", digits as usize)
}

fn table(report: &Report) -> String {
    let heads = ["flow", "stack", "controller"].into_iter().chain(COLUMNS.iter().map(|column| column.0));
    let mut rows: Vec<Vec<String>> = vec![heads.map(str::to_owned).collect()];
    for (group, names) in report.flows.iter().enumerate() {
        let cells = COLUMNS.iter().map(|(_, factor, digits, measure)| {
            interval(&report.estimate(&measure(group)), *factor, *digits)
        });
        rows.push(names.iter().cloned().chain(cells).collect());
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// "23.1 (22.8 to 23.4)".
fn interval(estimate: &Estimate, factor: f64, digits: usize) -> String {
    let Estimate { mean, interval } = estimate;
    match interval {
        _ if !mean.is_finite() => "-".into(),
        Some([low, high]) => {
            format!("{:.digits$} ({:.digits$} to {:.digits$})", mean * factor, low * factor, high * factor)
        }
        None => format!("{:.digits$}", mean * factor),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!(short(45_123_456.0), "45.12e6");
        assert_eq!(short(0.512_345), "0.5123");
        assert_eq!(short(4.0), "4.000");
        assert_eq!(short(f64::NAN), "no value");
    }
}
