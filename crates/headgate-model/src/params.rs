//! Self-describing parameters, and the card that describes an algorithm or a device.

/// The description of one parameter for users, schemas and experiments.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The key that users write.
    pub name: &'static str,
    /// The default: a number, or for a choice the index of a word in `choices`. That of a required number is 0,
    /// outside of its range.
    pub default: f64,
    /// Smallest allowed value.
    pub low: f64,
    /// Largest allowed value.
    pub high: f64,
    /// The unit. "1" for ratios and counts, which [`Self::shown_unit`] omits; empty for choices.
    pub unit: &'static str,
    /// The source of the default.
    pub source: &'static str,
    /// The parameter's effect, in one sentence.
    pub about: &'static str,
    /// The words of a choice; empty for a number.
    pub choices: &'static [&'static str],
    /// Parameters that this one may not be below. [`PACKET`] is the size of the largest packet of the
    /// traffic.
    pub at_least: &'static [&'static str],
    /// The parameter without which this one changes nothing, if there is one.
    pub used_with: Option<UsedWith>,
    /// When a discipline marks packets above this queue or wait; absent for other parameters.
    pub marks: Option<Marks>,
}

/// When a discipline marks packets above the queue or wait that a parameter sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marks {
    /// If its switch `ecn` is on, or it has none.
    IfOn,
    /// Also if its switch `ecn` is off, unless the parameter is 0.
    Always,
}

/// The parameter that decides whether another one is used.
#[derive(Clone, Copy, Debug)]
pub struct UsedWith {
    /// Its name.
    pub name: &'static str,
    /// Its words with which the other is used. Without words it is a number, which must not be 0.
    pub words: &'static [&'static str],
}

/// The name that compares a parameter with the size of a packet, bytes.
pub const PACKET: &str = "packet";

impl Param {
    /// A number with its default and its range, inclusive.
    pub const fn number(
        name: &'static str,
        default: f64,
        range: (f64, f64),
        unit: &'static str,
        source: &'static str,
        about: &'static str,
    ) -> Self {
        let (low, high) = range;
        Self {
            name,
            default,
            low,
            high,
            unit,
            source,
            about,
            choices: &[],
            at_least: &[],
            used_with: None,
            marks: None,
        }
    }

    /// A number that may not be below those of other parameters.
    pub const fn at_least(self, others: &'static [&'static str]) -> Self {
        Self { at_least: others, ..self }
    }

    /// A parameter that is used only with these words of another one, or if the other one is not 0.
    pub const fn used_with(self, name: &'static str, words: &'static [&'static str]) -> Self {
        Self { used_with: Some(UsedWith { name, words }), ..self }
    }

    /// A queue or wait above which a discipline marks packets.
    pub const fn marks(self, when: Marks) -> Self {
        Self { marks: Some(when), ..self }
    }

    /// Whether a value means that the parameter is derived from others.
    pub fn is_automatic(&self, value: f64) -> bool {
        value == 0.0 && self.default == 0.0
    }

    /// Whether users must give a value.
    pub fn is_required(&self) -> bool {
        !(self.low..=self.high).contains(&self.default)
    }

    /// A choice of words. The first word is the default.
    pub const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        source: &'static str,
        about: &'static str,
    ) -> Self {
        let high = (choices.len() - 1) as f64;
        Self { choices, ..Self::number(name, 0.0, (0.0, high), "", source, about) }
    }

    /// The unit that follows a number in messages; empty for ratios and counts.
    pub const fn shown_unit(&self) -> &'static str {
        match self.unit.as_bytes() {
            b"1" => "",
            _ => self.unit,
        }
    }
}

/// The description of an algorithm or a device.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// The name that users write: the file's stem, with `-` for `_`.
    pub name: &'static str,
    /// The title.
    pub title: &'static str,
    /// Other names that users may write.
    pub aliases: &'static [&'static str],
    /// The signal that drives an algorithm: "loss", "delay", "hybrid" of both, a "model" of the path, "explicit" rates,
    /// or "none".
    pub family: &'static str,
    /// The algorithm in one line of mathematics.
    pub rule: &'static str,
    /// Mean window against loss rate, or the equilibrium, in one line.
    pub response: &'static str,
    /// Papers by authors and year, and RFCs by number.
    pub references: &'static [&'static str],
    /// The parameters.
    pub params: &'static [Param],
}

/// An enum of named choices. [`choices!`](crate::choices) implements it.
pub trait NamedChoice: Copy + 'static {
    /// All choices. The plan's value of such a parameter is an index into this list. The first choice is the
    /// default.
    const ALL: &'static [Self];
    /// The words that users write, in the order of [`Self::ALL`].
    const WORDS: &'static [&'static str];
}

/// Declares an enum whose variants users choose by a word.
///
/// ```
/// use headgate_model::params::NamedChoice;
///
/// headgate_model::choices! {
///     /// The unit of a queue.
///     pub enum Mode {
///         /// Packets.
///         Packets = "packets",
///         /// Bytes.
///         Bytes = "bytes",
///     }
/// }
/// assert_eq!(Mode::WORDS, ["packets", "bytes"]);
/// assert_eq!(Mode::ALL[1], Mode::Bytes);
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $about:literal])+
        pub enum $Name:ident { $($(#[doc = $one:literal])+ $Choice:ident = $word:literal),+ $(,)? }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $Name {
            $($(#[doc = $one])+ $Choice,)+
        }

        impl $crate::params::NamedChoice for $Name {
            const ALL: &'static [Self] = &[$(Self::$Choice,)+];
            const WORDS: &'static [&'static str] = &[$($word,)+];
        }
    };
}

/// Declares the parameters of an algorithm or a device once: a struct for its code, and a table for
/// everything else.
///
/// A `number` becomes an `f64`, and so does a `required` one, for which users must give a value. A `choice`
/// becomes the enum that [`choices!`](crate::choices) declares, and a `switch` of "on" and "off" (or "yes" and
/// "no") a `bool`. The first word of a choice or a switch is the default. `used_with` names the parameter
/// without which one changes nothing, and its words. `marks` is [when](crate::params::Marks) a discipline marks
/// packets above a parameter's queue or wait.
///
/// ```
/// headgate_model::choices! {
///     /// The texts that can be followed.
///     pub enum Variant {
///         /// Kelly 2003.
///         Paper = "paper",
///         /// Linux `tcp_scalable.c`.
///         Linux = "linux",
///     }
/// }
///
/// headgate_model::params! {
///     /// Gain of the increase.
///     gain: number(0.01, (0.0, 1.0), "segments per ACK", "Kelly 2003"),
///     /// Which text is followed.
///     variant: choice(Variant, "Kelly 2003; Linux tcp_scalable.c"),
///     /// Whether delayed ACKs count twice.
///     delayed: switch(["off", "on"], "free") used_with variant ["linux"],
/// }
/// assert_eq!(Params::TABLE[0].name, "gain");
/// assert_eq!(Params::TABLE[2].used_with.unwrap().words, ["linux"]);
/// assert_eq!(Params::from_values(&[0.02, 1.0, 1.0]).variant, Variant::Linux);
/// assert_eq!(Params::default(), Params { gain: 0.01, variant: Variant::Paper, delayed: false });
/// ```
#[macro_export]
macro_rules! params {
    (
        $(
            $(#[doc = $about:literal])+ $name:ident : $kind:ident ( $($arg:tt)* )
            $(used_with $other:ident $([$($word:literal),+])?)?
            $(marks $when:ident)?
        ),* $(,)?
    ) => {
        /// The parameters, as the run sets them.
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct Params {
            $(
                $(#[doc = $about])+
                #[doc = $crate::params!(@range $kind $($arg)*)]
                $(#[doc = concat!("Used with `", stringify!($other), "` only.")])?
                pub $name: $crate::params!(@type $kind $($arg)*),
            )*
        }

        impl Params {
            /// The descriptions of the parameters, in the order of the fields.
            pub const TABLE: &'static [$crate::params::Param] = &[
                $(
                    $crate::params!(@$kind stringify!($name), concat!($($about),+), $($arg)*)
                        $(.used_with(stringify!($other), &[$($($word),+)?]))?
                        $(.marks($crate::params::Marks::$when))?,
                )*
            ];

            /// Creates the parameters from values in the order of [`Self::TABLE`].
            #[allow(unused_variables, unused_mut)]
            pub fn from_values(values: &[f64]) -> Self {
                let mut values = values.iter().copied();
                Self {
                    $($name: {
                        let value = values.next().expect("one value per parameter");
                        $crate::params!(@value value $kind $($arg)*)
                    },)*
                }
            }
        }

        impl Default for Params {
            /// The defaults of the sources.
            fn default() -> Self {
                let values: Vec<f64> = Self::TABLE.iter().map(|param| param.default).collect();
                Self::from_values(&values)
            }
        }
    };
    (@number $name:expr, $about:expr, $default:expr, $range:expr, $unit:literal, $source:literal) => {
        $crate::params::Param::number($name, $default, $range, $unit, $source, $about.trim_ascii())
    };
    (
        @number $name:expr, $about:expr, $default:expr, $range:expr, $unit:literal, $source:literal,
        at_least [$($other:literal),+]
    ) => {
        $crate::params!(@number $name, $about, $default, $range, $unit, $source).at_least(&[$($other),+])
    };
    (@required $name:expr, $about:expr, $range:expr, $unit:literal, $source:literal) => {
        $crate::params::Param::number($name, 0.0, $range, $unit, $source, $about.trim_ascii())
    };
    (@range required ($low:expr, $high:expr), $unit:literal, $source:literal) => {
        concat!(
            "\n\nRequired, from ", stringify!($low), " to ", stringify!($high), "; unit: ", $unit, ". Source: ",
            $source, "."
        )
    };
    (
        @range number $default:expr, ($low:expr, $high:expr), $unit:literal, $source:literal,
        at_least [$($other:literal),+]
    ) => {
        concat!(
            $crate::params!(@range number $default, ($low, $high), $unit, $source),
            " Not below: " $(, "`", $other, "` ")+
        )
    };
    (@range number $default:expr, ($low:expr, $high:expr), $unit:literal, $source:literal) => {
        concat!(
            "\n\n", stringify!($default), " by default, from ", stringify!($low), " to ", stringify!($high),
            "; unit: ", $unit, ". Source: ", $source, "."
        )
    };
    (@range choice $Choice:ty, $source:literal) => {
        concat!("\n\nThe first variant of [`", stringify!($Choice), "`] by default. Source: ", $source, ".")
    };
    (@choice $name:expr, $about:expr, $Choice:ty, $source:literal) => {
        $crate::params::Param::choice(
            $name,
            <$Choice as $crate::params::NamedChoice>::WORDS,
            $source,
            $about.trim_ascii(),
        )
    };
    (@range switch [$default:literal, $other:literal], $source:literal) => {
        concat!("\n\n`", $default, "` by default, or `", $other, "`. Source: ", $source, ".")
    };
    (@switch $name:expr, $about:expr, [$default:literal, $other:literal], $source:literal) => {
        $crate::params::Param::choice($name, &[$default, $other], $source, $about.trim_ascii())
    };
    (@type number $($arg:tt)*) => { f64 };
    (@type required $($arg:tt)*) => { f64 };
    (@type switch $($arg:tt)*) => { bool };
    (@type choice $Choice:ty, $source:literal) => { $Choice };
    (@value $value:ident number $($arg:tt)*) => { $value };
    (@value $value:ident required $($arg:tt)*) => { $value };
    (@value $value:ident choice $Choice:ty, $source:literal) => {
        <$Choice as $crate::params::NamedChoice>::ALL[$value as usize]
    };
    (@value $value:ident switch [$default:literal, $other:literal], $source:literal) => {
        matches!([$default, $other][$value as usize], "on" | "yes")
    };
}
