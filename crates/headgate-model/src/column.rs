//! Columns that describe themselves: from one line come the field that holds a fact, how it is added up, what
//! it means, and how results show it.

use crate::units::{Span, Time, seconds};

/// A column that users do not read: an index, or what only goes into others.
pub const HIDDEN: u8 = 1;

/// A column whose value is part of a run's digest, in the order of the table.
pub const DIGEST: u8 = 2;

/// One column of a table whose rows are `R`.
pub struct Column<R> {
    /// The column's name in tables.
    pub name: &'static str,
    /// "1" for counts and ratios.
    pub unit: &'static str,
    /// One sentence.
    pub definition: String,
    /// Users do not read it ([`HIDDEN`]).
    pub hidden: bool,
    /// What it shows of a row.
    pub show: Show<R>,
}

/// What a column shows of a row; a figure that does not exist is NaN.
pub enum Show<R> {
    /// A whole number.
    Count(Box<dyn Fn(&R) -> u64>),
    /// Any number, in the column's unit.
    Figure(Box<dyn Fn(&R) -> f64>),
}

impl<R: 'static> Column<R> {
    /// A column from its words, [`HIDDEN`] and [`DIGEST`], and how a row is read.
    pub fn new<N: Number>(
        name: &'static str,
        unit: &'static str,
        definition: &str,
        flags: u8,
        read: impl Fn(&R) -> N + 'static,
    ) -> Self {
        let hidden = flags & HIDDEN != 0;
        Self { name, unit, definition: definition.to_owned(), hidden, show: N::show(read) }
    }

    /// The same column of rows that have such rows as a part.
    pub fn within<Q: 'static>(self, part: fn(&Q) -> &R) -> Column<Q> {
        let Self { name, unit, definition, hidden, show } = self;
        let show = match show {
            Show::Count(show) => Show::Count(Box::new(move |row: &Q| show(part(row)))),
            Show::Figure(show) => Show::Figure(Box::new(move |row: &Q| show(part(row)))),
        };
        Column { name, unit, definition, hidden, show }
    }

    /// The same column with more words at the end of its definition.
    #[must_use]
    pub fn defined(mut self, more: &str) -> Self {
        self.definition = format!("{}{more}.", self.definition.trim_end_matches('.'));
        self
    }
}

/// What a cell may be.
pub trait Number: Sized {
    /// A column that shows such a number.
    fn show<R: 'static>(read: impl Fn(&R) -> Self + 'static) -> Show<R>;
}

impl Number for u64 {
    fn show<R: 'static>(read: impl Fn(&R) -> Self + 'static) -> Show<R> {
        Show::Count(Box::new(read))
    }
}

impl Number for f64 {
    fn show<R: 'static>(read: impl Fn(&R) -> Self + 'static) -> Show<R> {
        Show::Figure(Box::new(read))
    }
}

/// How a field is held, and what its column shows.
pub trait Kind {
    /// What a row holds.
    type Held;
    /// What the column shows.
    type Shown: Number;
    /// Turns the one into the other.
    fn shown(held: &Self::Held) -> Self::Shown;
}

/// What is counted in several places, and between two moments.
pub trait Counted: Kind {
    /// Adds what was counted elsewhere.
    fn merge(held: &mut Self::Held, other: &Self::Held);
    /// What was counted since `before`.
    fn since(held: &Self::Held, before: &Self::Held) -> Self::Held;
    /// For a digest.
    fn word(held: &Self::Held) -> u64;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $held:ty => $shown:ty = $show:expr;)*) => {
        $(
            $(#[$doc])*
            pub enum $name {}

            impl Kind for $name {
                type Held = $held;
                type Shown = $shown;

                fn shown(held: &$held) -> $shown {
                    let show: fn(&$held) -> $shown = $show;
                    show(held)
                }
            }
        )*
    };
}

kinds! {
    /// How often something happened, or how much of it.
    Count: u64 => u64 = |held| *held;
    /// A count of one flow.
    Small: u32 => u64 = |held| u64::from(*held);
    /// How many there are now; in one shard below zero where they began in another.
    Gauge: i64 => u64 = |held| *held as u64;
    /// The most there ever were.
    Peak: u64 => u64 = |held| *held;
    /// The number of something in a list of the plan.
    Index: u32 => u64 = |held| u64::from(*held);
    /// A number that may not exist, in whose place the largest stands.
    Maybe: u32 => f64 = |held| if *held == u32::MAX { f64::NAN } else { f64::from(*held) };
    /// A number that is above 0, or does not exist.
    NonZero: u32 => f64 = |held| if *held == 0 { f64::NAN } else { f64::from(*held) };
    /// Picoseconds, shown as seconds.
    Duration: Span => f64 = |held| seconds(*held);
    /// A sum of many durations, or of rates over time.
    Durations: u128 => f64 = |held| *held as f64 / 1e12;
    /// A duration that may not exist.
    Optional: Option<Span> => f64 = |held| held.map_or(f64::NAN, seconds);
    /// An instant, in seconds since the run began.
    Instant: Time => f64 = |held| seconds(*held);
    /// A figure that always exists.
    Figure: f64 => f64 = |held| *held;
    /// A number, infinite where nothing was seen.
    Finite: f64 => f64 = |held| if held.is_finite() { *held } else { f64::NAN };
}

macro_rules! sums {
    ($($name:ident)*) => {
        $(
            impl Counted for $name {
                fn merge(held: &mut Self::Held, other: &Self::Held) {
                    *held += *other;
                }

                fn since(held: &Self::Held, before: &Self::Held) -> Self::Held {
                    *held - *before
                }

                fn word(held: &Self::Held) -> u64 {
                    *held as u64
                }
            }
        )*
    };
}

sums!(Count Duration Durations);

impl Counted for Gauge {
    fn merge(held: &mut i64, other: &i64) {
        *held += other;
    }

    /// What there is now.
    fn since(held: &i64, _before: &i64) -> i64 {
        *held
    }

    fn word(held: &i64) -> u64 {
        *held as u64
    }
}

impl Counted for Peak {
    fn merge(held: &mut u64, other: &u64) {
        *held = (*held).max(*other);
    }

    /// The most there ever were: what they were between is not known.
    fn since(held: &u64, _before: &u64) -> u64 {
        *held
    }

    fn word(held: &u64) -> u64 {
        *held
    }
}

/// Declares rows of a table: a line has the name of a field (and of its column, where that is another), its
/// [`Kind`], flags, unit and definition.
///
/// Fields that no column shows stand in `beside`; those with columns of their own, whose definitions may be
/// given more words, in `parts`; columns that are no field in `derived`.
///
/// ```
/// use headgate_model::column::{Count, Duration, Show};
///
/// headgate_model::columns! {
///     /// What a door counts.
///     #[derive(Default)]
///     pub struct Door {
///         visitors: Count, "1", "People who came in.";
///         open as open_s: Duration [HIDDEN], "s", "Time that it was open.";
///     }
///     derived {
///         is_idle = |row| u64::from(row.visitors == 0), "1", "Nobody came: 1, else 0.";
///     }
/// }
/// let [visitors, open, _] = <[_; 3]>::try_from(Door::columns()).ok().unwrap();
/// assert_eq!((visitors.name, open.name, open.hidden), ("visitors", "open_s", true));
/// let Show::Count(show) = visitors.show else { panic!("a count") };
/// assert_eq!(show(&Door { visitors: 7, open: 0 }), 7);
/// ```
#[macro_export]
macro_rules! columns {
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:ident) => { stringify!($name) };
    (
        $(#[$meta:meta])*
        pub struct $Row:ident {
            $($field:ident $(as $name:ident)? : $kind:ty $([$($flag:ident),+])?, $unit:literal, $definition:literal;)*
        }
        $(parts { $($(#[$what:meta])* pub $part:ident : $Part:ty $(= $more:literal)?,)* })?
        $(beside { $($(#[$about:meta])* pub $plain:ident : $held:ty,)* })?
        $(derived { $($shown:ident $([$($mark:ident),+])? = $read:expr, $its:literal, $says:literal;)* })?
    ) => {
        $(#[$meta])*
        pub struct $Row {
            $(#[doc = $definition] pub $field: <$kind as $crate::column::Kind>::Held,)*
            $($($(#[$what])* pub $part: $Part,)*)?
            $($($(#[$about])* pub $plain: $held,)*)?
        }

        impl $Row {
            /// What a table shows of such rows.
            #[allow(unused_mut)]
            pub fn columns() -> Vec<$crate::column::Column<Self>> {
                let mut columns = vec![$($crate::column::Column::new(
                    $crate::columns!(@name $field $($name)?),
                    $unit,
                    $definition,
                    0 $($(| $crate::column::$flag)+)?,
                    |row: &Self| <$kind as $crate::column::Kind>::shown(&row.$field),
                ),)*];
                $($(columns.extend(<$Part>::columns().into_iter().map(|column| {
                    column.within(|row: &Self| &row.$part).defined(concat!("" $(, $more)?))
                }));)*)?
                $(columns.extend([$($crate::column::Column::new(
                    stringify!($shown),
                    $its,
                    $says,
                    0 $($(| $crate::column::$mark)+)?,
                    { let read: fn(&Self) -> _ = $read; read },
                ),)*]);)?
                columns
            }
        }
    };
}

/// Declares rows that are counted in several places and between two moments: a new counter is one line of
/// such a table.
///
/// ```
/// use headgate_model::column::{Count, Gauge};
///
/// headgate_model::counters! {
///     #[derive(Default)]
///     pub struct Shop {
///         sold: Count [DIGEST], "1", "Things sold.";
///         inside: Gauge, "1", "People who are in.";
///     }
/// }
/// let mut shop = Shop { sold: 5, inside: 2 };
/// shop.merge(&Shop { sold: 1, inside: -1 });
/// let later = shop.since(&Shop { sold: 2, inside: 7 });
/// assert_eq!((later.sold, later.inside), (4, 1));
/// assert_eq!(later.words().collect::<Vec<_>>(), [4]);
/// ```
#[macro_export]
macro_rules! counters {
    (
        $(#[$meta:meta])*
        pub struct $Row:ident {
            $($field:ident $(as $name:ident)? : $kind:ty $([$($flag:ident),+])?, $unit:literal, $definition:literal;)*
        }
    ) => {
        $crate::columns! {
            $(#[$meta])*
            pub struct $Row {
                $($field $(as $name)? : $kind $([$($flag),+])?, $unit, $definition;)*
            }
        }

        impl $Row {
            /// Adds what was counted elsewhere.
            pub fn merge(&mut self, other: &Self) {
                $(<$kind as $crate::column::Counted>::merge(&mut self.$field, &other.$field);)*
            }

            /// What was counted since `before`; what there is now, and the most there ever were, stay as they are.
            #[must_use]
            pub fn since(&self, before: &Self) -> Self {
                Self { $($field: <$kind as $crate::column::Counted>::since(&self.$field, &before.$field),)* }
            }

            /// What belongs to a digest.
            pub fn words(&self) -> impl Iterator<Item = u64> + use<> {
                let words = [$({
                    let flags = 0 $($(| $crate::column::$flag)+)?;
                    (flags & $crate::column::DIGEST != 0)
                        .then(|| <$kind as $crate::column::Counted>::word(&self.$field))
                },)*];
                words.into_iter().flatten()
            }
        }
    };
}
