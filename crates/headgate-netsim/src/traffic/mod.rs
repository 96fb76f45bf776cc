//! Who sends what to whom, when. A kind of traffic ([`kinds`]) owns what the plan says of it, its check, and
//! the processes that it becomes ([`process`]); what all host groups share of it is a [`Spec`].

pub mod builder;
pub mod check;
pub mod context;
pub mod hosts;
pub mod kind;
pub mod kinds;
pub mod list;
pub mod opening;
pub mod pairs;
pub mod process;
pub mod size;
pub mod sources;
pub mod spec;
pub mod times;
pub mod validate;

pub use hosts::{Home, Hosts, Receivers};
pub use kinds::Traffic;
pub use opening::Opening;
pub use sources::Sources;
pub use spec::Spec;
