//! Results as JSON. A value without a number, such as the completion time of a flow that did not finish, is
//! null.

use serde_json::{Value, json};

use crate::bench::Report;
use crate::estimate::Estimate;
use crate::expect::Measure;
use crate::run::RunResult;

/// Returns the results of several scenarios. Units: bit/s, seconds, and shares from 0 to 1.
pub fn to_json(reports: &[Report]) -> Value {
    json!({"version": 1, "scenarios": reports.iter().map(scenario).collect::<Vec<_>>()})
}

fn scenario(report: &Report) -> Value {
    let expectations = report.judged.iter().map(|judged| {
        let mut value = estimate(&judged.estimate);
        value["text"] = json!(judged.text);
        value["verdict"] = json!(judged.verdict.word());
        value["reason"] = json!(judged.reason);
        value
    });
    let flows = report.flows.iter().enumerate().map(|(group, [name, stack, controller])| {
        let of = |measure: fn(usize) -> Measure| estimate(&report.estimate(&measure(group)));
        json!({
            "name": name, "stack": stack, "controller": controller,
            "goodput_bps": of(Measure::Goodput), "completion_s": of(Measure::Completion),
            "share": of(Measure::Share), "retransmissions": of(Measure::Retransmissions),
        })
    });
    json!({
        "name": report.name, "about": report.about, "digest": format!("{:016x}", report.digest()),
        "expectations": expectations.collect::<Vec<_>>(), "flows": flows.collect::<Vec<_>>(),
        "queue_mean_s": estimate(&report.estimate(&Measure::QueueMean)),
        "queue_p99_s": estimate(&report.estimate(&Measure::QueueP99)),
        "fairness": estimate(&report.estimate(&Measure::Fairness)),
        "runs": report.runs.iter().map(run).collect::<Vec<_>>(),
    })
}

fn estimate(estimate: &Estimate) -> Value {
    json!({"mean": estimate.mean, "interval": estimate.interval})
}

fn run(run: &RunResult) -> Value {
    let groups = run.groups.iter().map(|group| {
        json!({
            "goodput_bps": group.goodput_bps, "completion_s": group.completion_s, "finished": group.finished,
            "share": group.share, "retransmissions": group.retransmissions,
        })
    });
    json!({
        "seed": run.seed, "digest": format!("{:016x}", run.digest), "flows": groups.collect::<Vec<_>>(),
        "queue_mean_s": run.queue_mean_s, "queue_p99_s": run.queue_p99_s, "fairness": run.fairness,
        "marks": run.marks, "drops": run.drops,
    })
}
