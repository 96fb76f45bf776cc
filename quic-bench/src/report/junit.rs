//! Results as JUnit XML: a suite for each scenario, a case for each expectation.

use std::fmt::Write;

use super::text::short;
use crate::bench::{Judged, Report};
use crate::expect::Verdict;

/// Returns the XML. Expectations with one of the verdicts `fails` are failures; other undecided ones are
/// skipped.
pub fn to_junit(reports: &[Report], fails: &[Verdict]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for report in reports {
        let count = |matches: &dyn Fn(Verdict) -> bool| {
            report.judged.iter().filter(|judged| matches(judged.verdict)).count()
        };
        let failures = count(&|verdict| fails.contains(&verdict));
        let skipped = count(&|verdict| verdict == Verdict::Undecided && !fails.contains(&verdict));
        let (name, tests) = (escape(&report.name), report.judged.len());
        _ = writeln!(
            xml,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\">"
        );
        report.judged.iter().for_each(|judged| case(&mut xml, &name, judged, fails));
        xml.push_str("  </testsuite>\n");
    }
    xml + "</testsuites>\n"
}

fn case(xml: &mut String, suite: &str, judged: &Judged, fails: &[Verdict]) {
    let found = match (judged.estimate.interval, &judged.reason) {
        (Some([low, high]), _) => {
            format!("found {}, 95 % interval {} to {}", short(judged.estimate.mean), short(low), short(high))
        }
        (None, reason) => {
            format!("found {}; {}", short(judged.estimate.mean), reason.as_deref().unwrap_or(""))
        }
    };
    let (message, word) = (escape(&found), judged.verdict.word());
    _ = writeln!(xml, "    <testcase classname=\"{suite}\" name=\"{}\">", escape(&judged.text));
    if fails.contains(&judged.verdict) {
        _ = writeln!(xml, "      <failure message=\"{word}: {message}\"/>");
    } else if judged.verdict == Verdict::Undecided {
        _ = writeln!(xml, "      <skipped message=\"{word}: {message}\"/>");
    }
    _ = writeln!(xml, "      <system-out>{word}: {message}</system-out>\n    </testcase>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
