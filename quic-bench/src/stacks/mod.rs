//! The stacks that come with the bench, each behind a feature of Cargo.

#[cfg(feature = "tls")]
mod certificate;
#[cfg(feature = "noq")]
mod noq;
#[cfg(feature = "quiche")]
mod quiche;
#[cfg(feature = "quinn")]
mod quinn;
#[cfg(any(feature = "quinn", feature = "noq"))]
mod quinn_like;
#[cfg(feature = "quiche")]
mod simulated_clock;

use crate::stack::Stack;

/// All stacks of this build.
pub fn shipped() -> Vec<&'static dyn Stack> {
    vec![
        #[cfg(feature = "quinn")]
        &quinn::Quinn,
        #[cfg(feature = "noq")]
        &noq::Noq,
        #[cfg(feature = "quiche")]
        &quiche::Quiche,
    ]
}
