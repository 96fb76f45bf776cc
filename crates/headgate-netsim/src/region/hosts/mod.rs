//! Hosts: the endpoints of connections and their flows, grouped by router.

pub mod burst_queue;
pub mod flow;
pub mod flow_rows;
pub mod host;
pub mod host_group;
pub mod media;
pub mod sender_host;
pub mod sink;
