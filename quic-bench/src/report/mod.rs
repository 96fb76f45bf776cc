//! Results as text, JSON and JUnit XML.

mod json;
mod junit;
mod text;

pub use json::to_json;
pub use junit::to_junit;
pub use text::to_text;
