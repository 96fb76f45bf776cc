//! The stacks that come with the bench, each behind a feature of Cargo.

#[cfg(feature = "tls")]
mod certificate;
#[cfg(feature = "noq")]
mod noq;
#[cfg(feature = "quinn")]
mod quinn;
#[cfg(feature = "tls")]
mod quinn_like;

use crate::stack::Stack;

/// All stacks of this build.
pub fn shipped() -> Vec<&'static dyn Stack> {
    vec![
        #[cfg(feature = "quinn")]
        &quinn::Quinn,
        #[cfg(feature = "noq")]
        &noq::Noq,
    ]
}
