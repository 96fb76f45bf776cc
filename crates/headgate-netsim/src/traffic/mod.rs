//! Who sends what to whom, when: what all sites share ([`Spec`]) and what each keeps ([`Sources`]).

pub mod habits;
pub mod hosts;
pub mod lots;
pub mod opening;
pub mod size;
pub mod sources;
pub mod spec;
pub mod turns;

pub use habits::Habits;
pub use hosts::{Home, Hosts, Receivers};
pub use opening::{OTHERS, Opening};
pub use size::Size;
pub use sources::Sources;
pub use spec::Spec;
