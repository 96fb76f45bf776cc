//! Any text as a plan: it is refused in a sentence with its place, or it is a plan.
#![no_main]

use std::collections::BTreeMap;

use headgate_lab::validate::validate;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let column = vec![1u64, 2];
    let names = ["start_ps", "packets", "source", "receiver", "law"];
    let lists: BTreeMap<_, _> = names.map(|name| (format!("list.{name}"), column.clone())).into();
    if let Err(wrong) = validate(text, &lists) {
        assert!(!wrong.place.is_empty() && !wrong.message.is_empty());
    }
});
