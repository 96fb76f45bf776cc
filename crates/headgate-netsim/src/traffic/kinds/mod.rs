//! The registry of kinds of traffic: one file and one line here for each.

use serde::{Deserialize, Serialize};

use crate::packets::index::FlowId;

use super::builder::Builder;
use super::kind::{Populate, TrafficKind, TrafficProcesses};
use super::process::Process;

// Declares the modules and the registry from one sorted list of file stems. The `kind` in the plan is the
// stem.
macro_rules! kinds {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        /// Traffic of one kind. All flows of one item use one transport profile.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum Traffic {
            $(#[doc = concat!("Traffic of the kind `", stringify!($stem), "`.")] $Name($stem::$Name),)+
        }

        impl std::ops::Deref for Traffic {
            type Target = dyn TrafficKind;

            fn deref(&self) -> &Self::Target {
                match self { $(Self::$Name(kind) => kind,)+ }
            }
        }

        impl Traffic {
            /// Converts checked traffic into hosts and processes. `first` is the id of its first flow.
            pub fn populate(&self, first: FlowId, builder: &mut Builder) -> TrafficProcesses<AnyProcess> {
                match self {
                    $(Self::$Name(kind) => {
                        let TrafficProcesses { spec, processes } = kind.populate(first, builder);
                        let any = |(node, process)| (node, AnyProcess::$Name(process));
                        TrafficProcesses { spec, processes: processes.into_iter().map(any).collect() }
                    })+
                }
            }
        }

        /// A process of any kind.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyProcess {
            $(
                #[doc = concat!("A process of the kind `", stringify!($stem), "`.")]
                $Name(<$stem::$Name as Populate>::Process),
            )+
        }

        impl AnyProcess {
            /// Returns the process.
            pub fn get(&self) -> &dyn Process {
                match self { $(Self::$Name(process) => process,)+ }
            }

            /// Returns the process, mutably.
            pub fn get_mut(&mut self) -> &mut dyn Process {
                match self { $(Self::$Name(process) => process,)+ }
            }
        }
    };
}

kinds! {
    bursts => Bursts,
    flows => Flows,
    live => Live,
    media => Media,
    on_off => OnOff,
    poisson => Poisson,
    replay => Replay,
    web => Web,
}
