//! Kinds of traffic: one file and one word here for each.

use serde::{Deserialize, Serialize};

use super::builder::Builder;
use super::kind::{Kind, Populate, Populated};
use super::process::Process;

/// Declares the modules and the registry from one sorted list of file stems. The word of the plan for a kind
/// is its stem.
macro_rules! kinds {
    ($($stem:ident => $Name:ident),+ $(,)?) => {
        $(pub mod $stem;)+

        /// Who sends what, when. Every flow of a kind uses one transport profile.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case")]
        pub enum Traffic { $($Name($stem::$Name),)+ }

        impl std::ops::Deref for Traffic {
            type Target = dyn Kind;

            fn deref(&self) -> &Self::Target {
                match self { $(Self::$Name(kind) => kind,)+ }
            }
        }

        impl Traffic {
            /// Hosts and processes of what was checked; `first` is the number of its first flow.
            pub fn populate(&self, first: u32, builder: &mut Builder) -> Populated<AnyProcess> {
                match self {
                    $(Self::$Name(kind) => {
                        let Populated { spec, processes } = kind.populate(first, builder);
                        let any = |(node, process)| (node, AnyProcess::$Name(process));
                        Populated { spec, processes: processes.into_iter().map(any).collect() }
                    })+
                }
            }
        }

        /// What begins flows of any kind.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyProcess { $($Name(<$stem::$Name as Populate>::Process),)+ }

        impl AnyProcess {
            pub fn get(&self) -> &dyn Process {
                match self { $(Self::$Name(process) => process,)+ }
            }

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
    on_off => OnOff,
    poisson => Poisson,
    replay => Replay,
    web => Web,
}
