//! The interface of an impairment: an effect of a link on packets other than serialisation and propagation.

use crate::chance::Stream;
use crate::ecn::Ecn;
use crate::feedback::PassingPacket;
use crate::params::Card;
use crate::units::{Span, Time};

/// The result of a packet's passage through an impairment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Additional delay, picoseconds.
    pub late: Span,
    /// Number of additional copies.
    pub copies: u32,
    /// Whether the packet keeps its order relative to the packets ahead and behind.
    pub in_order: bool,
    /// The ECN field afterwards, if the impairment changes it.
    pub ecn: Option<Ecn>,
}

impl Passage {
    /// The passage without any effect.
    pub const CLEAR: Self = Self { late: 0, copies: 0, in_order: true, ecn: None };
}

/// An impairment. Each is one file and one line of the registry.
pub trait Impairment: Clone + Send {
    /// Whether the impairment neither delays nor copies packets, so that it may act before a queue.
    const ACTS_AT_ONCE: bool = false;

    /// Passes a packet that arrives at `now`; `None` if it is lost. Calls are in time order.
    fn pass(&mut self, packet: &PassingPacket, now: Time, chance: &mut Stream) -> Option<Passage>;
}

/// A registry of impairments.
pub trait Impairments:
    Impairment + std::fmt::Debug + serde::Serialize + for<'de> serde::Deserialize<'de> + 'static
{
    /// Cards of all impairments, sorted by name.
    fn cards() -> &'static [&'static Card];

    /// Creates an impairment by its index in [`Self::cards`]; `values` are in the order of the card's
    /// parameters.
    fn build(index: usize, values: &[f64]) -> Self;

    /// Whether the impairment of this index has [`Impairment::ACTS_AT_ONCE`].
    fn acts_at_once(index: usize) -> bool;
}
