//! What the regions of a shard use one after the other: it stays in the cache.

use headgate_model::control::ControllerRegistry;
use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::calendar::Calendar;
use crate::post::Post;
use crate::shared::Shared;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "L: ControllerRegistry")]
pub struct Workspace<L: ControllerRegistry> {
    pub shared: Shared<L>,
    pub calendar: Calendar,
    /// Of the region whose turn it is.
    pub batch: Batch,
    pub post: Post,
}
