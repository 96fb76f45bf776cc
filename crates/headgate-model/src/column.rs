//! Self-describing columns. One line declares the field that stores a value, its aggregation, its definition,
//! and the column of the results.

use crate::units::{Span, Time, seconds};

/// Flag of a column that is not shown to users: an index, or an input of other columns.
pub const HIDDEN: u8 = 1;

/// Flag of a column whose value is part of a run's digest, in the order of the table.
pub const DIGEST: u8 = 2;

/// One column of a table with rows of type `R`.
pub struct Column<R> {
    /// The column's name in tables.
    pub name: &'static str,
    /// The unit; "1" for counts and ratios.
    pub unit: &'static str,
    /// The definition, in one sentence.
    pub definition: String,
    /// Whether the column is hidden from users ([`HIDDEN`]).
    pub hidden: bool,
    /// Reads a row's value.
    pub show: Show<R>,
}

/// Reads a row's value. A figure that does not exist is NaN.
pub enum Show<R> {
    /// An integer.
    Count(Box<dyn Fn(&R) -> u64>),
    /// A real number in the column's unit.
    Figure(Box<dyn Fn(&R) -> f64>),
}

impl<R: 'static> Column<R> {
    /// Creates a column from its name, unit, definition and flags ([`HIDDEN`], [`DIGEST`]), and a function
    /// that reads a row.
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

    /// Returns the same column for rows that contain such a row as a part.
    pub fn within<Q: 'static>(self, part: fn(&Q) -> &R) -> Column<Q> {
        let Self { name, unit, definition, hidden, show } = self;
        let show = match show {
            Show::Count(show) => Show::Count(Box::new(move |row: &Q| show(part(row)))),
            Show::Figure(show) => Show::Figure(Box::new(move |row: &Q| show(part(row)))),
        };
        Column { name, unit, definition, hidden, show }
    }

    /// Returns the same column with `more` appended to its definition.
    #[must_use]
    pub fn defined(mut self, more: &str) -> Self {
        self.definition = format!("{}{more}.", self.definition.trim_end_matches('.'));
        self
    }
}

/// The type of a cell.
pub trait Number: Sized {
    /// Creates the reader of such a column.
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

/// The storage type of a field and the type of its column.
pub trait Kind {
    /// The storage type.
    type Field;
    /// The type of the column's cells.
    type Cell: Number;
    /// Converts a stored value to a cell.
    fn cell(field: &Self::Field) -> Self::Cell;
}

/// A kind of field that is counted in several shards and between two points in time.
pub trait Counter: Kind {
    /// Adds the value of another shard.
    fn merge(held: &mut Self::Field, other: &Self::Field);
    /// Returns the value since `before`.
    fn since(held: &Self::Field, before: &Self::Field) -> Self::Field;
    /// Returns the value as a word of the digest.
    fn word(held: &Self::Field) -> u64;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $held:ty => $shown:ty = $show:expr;)*) => {
        $(
            $(#[$doc])*
            pub enum $name {}

            impl Kind for $name {
                type Field = $held;
                type Cell = $shown;

                fn cell(field: &$held) -> $shown {
                    let show: fn(&$held) -> $shown = $show;
                    show(field)
                }
            }
        )*
    };
}

kinds! {
    /// A number of events, or an amount.
    Count: u64 => u64 = |held| *held;
    /// A count that belongs to one flow.
    Small: u32 => u64 = |held| u64::from(*held);
    /// A current number. In one shard it is negative if its items started in another.
    Gauge: i64 => u64 = |held| *held as u64;
    /// The largest number so far.
    Peak: u64 => u64 = |held| *held;
    /// An index into a list of the plan.
    Index: u32 => u64 = |held| u64::from(*held);
    /// A number that may not exist; the largest value then represents it.
    Maybe: u32 => f64 = |held| if *held == u32::MAX { f64::NAN } else { f64::from(*held) };
    /// A number above 0; 0 means that it does not exist.
    NonZero: u32 => f64 = |held| if *held == 0 { f64::NAN } else { f64::from(*held) };
    /// A duration: picoseconds, shown as seconds.
    Duration: Span => f64 = |held| seconds(*held);
    /// A sum of many durations, or of rates over time.
    Durations: u128 => f64 = |held| *held as f64 / 1e12;
    /// A duration that may not exist.
    Optional: Option<Span> => f64 = |held| held.map_or(f64::NAN, seconds);
    /// A point in time, shown as seconds since the start of the run.
    Instant: Time => f64 = |held| seconds(*held);
    /// A real number that always exists.
    Figure: f64 => f64 = |held| *held;
    /// A real number that is infinite if nothing was observed.
    Finite: f64 => f64 = |held| if held.is_finite() { *held } else { f64::NAN };
}

macro_rules! sums {
    ($($name:ident)*) => {
        $(
            impl Counter for $name {
                fn merge(held: &mut Self::Field, other: &Self::Field) {
                    *held += *other;
                }

                fn since(held: &Self::Field, before: &Self::Field) -> Self::Field {
                    *held - *before
                }

                fn word(held: &Self::Field) -> u64 {
                    *held as u64
                }
            }
        )*
    };
}

sums!(Count Duration Durations);

impl Counter for Gauge {
    fn merge(held: &mut i64, other: &i64) {
        *held += other;
    }

    /// Returns the current number.
    fn since(held: &i64, _before: &i64) -> i64 {
        *held
    }

    fn word(held: &i64) -> u64 {
        *held as u64
    }
}

impl Counter for Peak {
    fn merge(held: &mut u64, other: &u64) {
        *held = (*held).max(*other);
    }

    /// Returns the largest number so far. The largest number since `before` is not recorded.
    fn since(held: &u64, _before: &u64) -> u64 {
        *held
    }

    fn word(held: &u64) -> u64 {
        *held
    }
}

/// Declares the rows of a table. A line contains the name of a field (and of its column, if it differs), its
/// [`Kind`], flags, unit and definition.
///
/// Fields without a column are listed in `beside`. Fields whose columns are a separate type are listed in
/// `parts`; their definitions may be extended. Columns without a field are listed in `derived`.
///
/// ```
/// use headgate_model::column::{Count, Duration, Show};
///
/// headgate_model::columns! {
///     /// The counters of a door.
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
            $(#[doc = $definition] pub $field: <$kind as $crate::column::Kind>::Field,)*
            $($($(#[$what])* pub $part: $Part,)*)?
            $($($(#[$about])* pub $plain: $held,)*)?
        }

        impl $Row {
            /// Returns the columns of a table of such rows.
            #[allow(unused_mut)]
            pub fn columns() -> Vec<$crate::column::Column<Self>> {
                let mut columns = vec![$($crate::column::Column::new(
                    $crate::columns!(@name $field $($name)?),
                    $unit,
                    $definition,
                    0 $($(| $crate::column::$flag)+)?,
                    |row: &Self| <$kind as $crate::column::Kind>::cell(&row.$field),
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

/// Declares rows that are counted in several shards and between two points in time. A new counter is one line
/// of such a table.
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
            /// Adds the counts of another shard.
            pub fn merge(&mut self, other: &Self) {
                $(<$kind as $crate::column::Counter>::merge(&mut self.$field, &other.$field);)*
            }

            /// Returns the counts since `before`. Current numbers and largest numbers stay unchanged.
            #[must_use]
            pub fn since(&self, before: &Self) -> Self {
                Self { $($field: <$kind as $crate::column::Counter>::since(&self.$field, &before.$field),)* }
            }

            /// Returns the words of the digest.
            pub fn words(&self) -> impl Iterator<Item = u64> + use<> {
                let words = [$({
                    let flags = 0 $($(| $crate::column::$flag)+)?;
                    (flags & $crate::column::DIGEST != 0)
                        .then(|| <$kind as $crate::column::Counter>::word(&self.$field))
                },)*];
                words.into_iter().flatten()
            }
        }
    };
}
