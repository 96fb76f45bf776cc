//! Named columns, and how they are built from rows.

/// Numbers of one kind; a figure that does not exist is NaN.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    U64(Vec<u64>),
    F64(Vec<f64>),
}

/// Columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub name: &'static str,
    pub columns: Vec<(String, Column)>,
}

/// Builds a table from its rows, one column after the other.
pub struct Builder<'a, R> {
    rows: &'a [R],
    table: Table,
}

impl<'a, R> Builder<'a, R> {
    pub fn new(name: &'static str, rows: &'a [R]) -> Self {
        Self { rows, table: Table { name, columns: Vec::new() } }
    }

    pub fn count(mut self, name: impl Into<String>, value: impl Fn(&R) -> u64) -> Self {
        let column = self.rows.iter().map(value).collect();
        self.table.columns.push((name.into(), Column::U64(column)));
        self
    }

    pub fn figure(mut self, name: impl Into<String>, value: impl Fn(&R) -> f64) -> Self {
        let column = self.rows.iter().map(value).collect();
        self.table.columns.push((name.into(), Column::F64(column)));
        self
    }

    pub fn build(self) -> Table {
        self.table
    }
}

/// A flow without samples has no least or mean of them.
pub fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::NAN }
}

pub fn seconds_of(ps: u128) -> f64 {
    ps as f64 / 1e12
}
