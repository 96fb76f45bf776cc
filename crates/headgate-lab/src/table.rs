//! Named columns, filled from rows, and their definitions.

use headgate_model::column::{self, Show};
use serde::Serialize;

/// Numbers of one kind. A figure that does not exist is NaN.
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

/// The definition of a visible column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Meaning {
    pub name: &'static str,
    pub unit: &'static str,
    pub definition: String,
}

/// A table, and the definitions of its columns.
pub struct Sheet {
    pub table: Table,
    pub meanings: Vec<Meaning>,
}

impl Sheet {
    /// Fills the columns that the rows declare.
    pub fn fill<R>(name: &'static str, columns: Vec<column::Column<R>>, rows: &[R]) -> Self {
        let meanings = columns.iter().filter(|column| !column.hidden).map(Meaning::of).collect();
        let columns = columns.iter().map(|of| (of.name.to_owned(), Column::fill(&of.show, rows))).collect();
        Self { table: Table { name, columns }, meanings }
    }
}

impl Column {
    fn fill<R>(show: &Show<R>, rows: &[R]) -> Self {
        match show {
            Show::Count(show) => Self::U64(rows.iter().map(show).collect()),
            Show::Figure(show) => Self::F64(rows.iter().map(show).collect()),
        }
    }
}

impl Meaning {
    fn of<R>(column: &column::Column<R>) -> Self {
        Self { name: column.name, unit: column.unit, definition: column.definition.clone() }
    }
}
