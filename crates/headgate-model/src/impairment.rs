//! The interface of an impairment: what a link does to packets besides sending them.

use crate::chance::Stream;
use crate::feedback::Passing;
use crate::params::Card;
use crate::units::{Span, Time};

/// How a packet passes an impairment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// How much later it arrives, picoseconds.
    pub late: Span,
    /// Copies that arrive besides it.
    pub copies: u32,
    /// It arrives neither before those ahead of it, nor do those behind it arrive before.
    pub in_order: bool,
}

impl Passage {
    /// As if nothing were there.
    pub const CLEAR: Self = Self { late: 0, copies: 0, in_order: true };
}

/// An impairment. One file each, one registry line each.
pub trait Impairment: Clone + Send {
    /// It drops packets and neither delays nor copies any, so that it may act before a queue.
    const DROPS_ONLY: bool = false;

    /// What becomes of a packet that comes at `now`; `None` if it is lost. Calls come in time order.
    fn pass(&mut self, packet: &Passing, now: Time, chance: &mut Stream) -> Option<Passage>;
}

/// A registry of impairments.
pub trait Impairments:
    Impairment + std::fmt::Debug + serde::Serialize + for<'de> serde::Deserialize<'de> + 'static
{
    /// Cards of all impairments, sorted by name.
    fn cards() -> &'static [&'static Card];

    /// An impairment by its index in [`Self::cards`]; `values` are in the order of the card's parameters.
    fn build(index: usize, values: &[f64]) -> Self;

    /// Whether the impairment of this index has [`Impairment::DROPS_ONLY`].
    fn drops_only(index: usize) -> bool;
}
