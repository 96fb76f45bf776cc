//! Parameters that describe themselves, and the card that introduces a law.

/// One parameter of a law: everything a user, a schema or a factor needs to know about it.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The key that users write.
    pub name: &'static str,
    /// A number, or for a choice the index of a word in `choices`.
    pub default: f64,
    /// Least value that is allowed.
    pub low: f64,
    /// Largest value that is allowed.
    pub high: f64,
    /// "1" for ratios and counts, which [`Self::shown_unit`] leaves out; empty for choices.
    pub unit: &'static str,
    /// Where the default comes from.
    pub source: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Words to choose from; empty for a number.
    pub choices: &'static [&'static str],
    /// Parameters that this one may not be below. [`PACKET`] is the largest packet of the traffic.
    pub at_least: &'static [&'static str],
}

/// The name by which a parameter is compared with the bytes of a packet.
pub const PACKET: &str = "packet";

impl Param {
    /// A number: its default, and the range that includes it.
    pub const fn number(
        name: &'static str,
        default: f64,
        range: (f64, f64),
        unit: &'static str,
        source: &'static str,
        about: &'static str,
    ) -> Self {
        let (low, high) = range;
        Self { name, default, low, high, unit, source, about, choices: &[], at_least: &[] }
    }

    /// A number that may not be below those of other parameters.
    pub const fn at_least(self, others: &'static [&'static str]) -> Self {
        Self { at_least: others, ..self }
    }

    /// Whether a value of this parameter means that it is derived from others.
    pub fn is_automatic(&self, value: f64) -> bool {
        value == 0.0 && self.default == 0.0
    }

    /// The first word is the default.
    pub const fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        source: &'static str,
        about: &'static str,
    ) -> Self {
        let high = (choices.len() - 1) as f64;
        Self { name, default: 0.0, low: 0.0, high, unit: "", source, about, choices, at_least: &[] }
    }

    /// The unit as people read it behind a number: nothing for ratios and counts.
    pub const fn shown_unit(&self) -> &'static str {
        match self.unit.as_bytes() {
            b"1" => "",
            _ => self.unit,
        }
    }
}

/// What a law says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// The name users write; the file's stem, with `-` for `_`.
    pub name: &'static str,
    /// The name people read.
    pub title: &'static str,
    /// Other names that users may write.
    pub aliases: &'static [&'static str],
    /// What drives it: "loss", "delay", "hybrid" of both, a "model" of the path,
    /// "explicit" rates, or "none".
    pub family: &'static str,
    /// The law in one line of mathematics.
    pub law: &'static str,
    /// Mean window against loss rate (or its equilibrium), in one line.
    pub response: &'static str,
    /// Papers and RFCs, by authors and year or by number.
    pub references: &'static [&'static str],
    /// What can be set.
    pub params: &'static [Param],
}

/// Declares a law's parameters once: the struct the law reads and the table everybody else reads.
///
/// ```
/// headgate_model::params! {
///     /// Gain of the increase.
///     gain: number(0.01, (0.0, 1.0), "segments per ACK", "Kelly 2003"),
///     /// Which text is followed.
///     variant: choice(["paper", "linux"], "Kelly 2003; Linux tcp_scalable.c"),
/// }
/// assert_eq!(Params::TABLE[0].name, "gain");
/// assert_eq!(Params::from_values(&[0.02, 1.0]).variant, 1.0);
/// assert_eq!(Params::default().gain, 0.01);
/// ```
#[macro_export]
macro_rules! params {
    ($($(#[doc = $about:literal])+ $name:ident : $kind:ident ( $($arg:tt)* )),* $(,)?) => {
        /// The law's parameters, as the run set them.
        #[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct Params {
            $($(#[doc = $about])+ #[doc = $crate::params!(@range $kind $($arg)*)] pub $name: f64,)*
        }

        impl Params {
            /// What users may set, in the order of the fields.
            pub const TABLE: &'static [$crate::params::Param] = &[
                $($crate::params!(@$kind stringify!($name), concat!($($about),+), $($arg)*),)*
            ];

            /// Values in the order of [`Self::TABLE`].
            #[allow(unused_variables, unused_mut)]
            pub fn from_values(values: &[f64]) -> Self {
                let mut values = values.iter().copied();
                Self { $($name: values.next().expect("one value per parameter"),)* }
            }
        }

        impl Default for Params {
            /// Every parameter as the sources have it.
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
    (@range choice [$($word:literal),+], $source:literal) => {
        concat!("\n\nIndex of one of: ", $("`", $word, "` ",)+ "(the first by default). Source: ", $source, ".")
    };
    (@choice $name:expr, $about:expr, [$($word:literal),+], $source:literal) => {
        $crate::params::Param::choice($name, &[$($word),+], $source, $about.trim_ascii())
    };
}
