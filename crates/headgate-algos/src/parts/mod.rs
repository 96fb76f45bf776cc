//! What several laws may be built from.

pub mod hystart;
pub mod hystart_pp;
pub mod slow_start;
pub mod whole;
