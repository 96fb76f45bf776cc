//! Rows of measurement periods that are computed from other rows.

use std::collections::BTreeMap;

use headgate_model::column::{Count, Index};
use headgate_netsim::record::{BUCKETS, ClassRow, ControllerRow, FlowStats};

headgate_model::columns! {
    /// The windows of one algorithm in one bucket.
    pub struct WindowRow {
        period: Index [HIDDEN], "", "Number of the period.";
        controller as cca: Index [HIDDEN], "", "The algorithm's number in the plan.";
        count: Count, "1", "Windows seen in it, over flows and samples.";
    }
    beside {
        pub bucket: usize,
    }
    derived {
        from_packets = |row| from_packets(row.bucket), "packets", "Least window of the bucket; it ends at twice that (the first at 2, the last nowhere).";
    }
}

fn from_packets(bucket: usize) -> f64 {
    if bucket == 0 { 0.0 } else { (1u64 << bucket) as f64 }
}

/// Returns a row for each bucket with data.
pub fn windows(rows: &[ControllerRow]) -> Vec<WindowRow> {
    rows.iter().flat_map(buckets).filter(|row| row.count > 0).collect()
}

fn buckets(row: &ControllerRow) -> impl Iterator<Item = WindowRow> {
    let &ControllerRow { period, controller, .. } = row;
    (0..BUCKETS).map(move |bucket| WindowRow { period, controller, count: row.buckets[bucket], bucket })
}

headgate_model::columns! {
    /// The flows between two classes of routers in a period, regardless of their other properties.
    pub struct PairRow {
        period: Index [HIDDEN], "", "Number of the period.";
        pair: Index [HIDDEN], "", "Number of the pair of classes.";
    }
    parts {
        pub stats: FlowStats,
    }
}

/// Returns a row for each pair of classes and period with active flows. Sums are exact: they equal those of
/// counting by pairs alone.
pub fn pairs(rows: &[ClassRow]) -> Vec<PairRow> {
    let mut merged: BTreeMap<(u32, u32), FlowStats> = BTreeMap::new();
    for row in rows {
        merged.entry((row.period, row.key.pair)).or_default().merge(&row.stats);
    }
    merged.into_iter().map(|((period, pair), stats)| PairRow { period, pair, stats }).collect()
}
