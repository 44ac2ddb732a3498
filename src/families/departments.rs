//! Departments, for every family that has rows of them.

use crate::db::departments::{self, Department};
use crate::db::{Field, ReadTx};
use crate::error::{Error, Result, nearest};
use crate::tool::ReadCx;
use crate::tool::table::{Entry, Kind, Table, required};

/// A department by name or code.
pub fn known(tx: &ReadTx<'_>, text: &str) -> Result<Department> {
    if let Some(found) = departments::find(tx, text)? {
        return Ok(found);
    }
    let all = departments::all(tx)?;
    let names = || all.iter().map(|department| department.name.as_str());
    let hint = match nearest(text, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the departments are {}", names().collect::<Vec<_>>().join(", ")),
    };
    let shown: String = text.chars().filter(|c| !c.is_control()).take(64).collect();
    Err(Error::not_found(format!("there is no department `{shown}`"))
        .hint(hint)
        .detail("field", "department")
        .detail("code", "DEPARTMENT_NOT_FOUND"))
}

/// The department a caller belongs to, if it is one that exists.
pub fn of_caller(cx: &ReadCx<'_>) -> Result<Option<Department>> {
    cx.caller().department.as_deref().map_or(Ok(None), |text| departments::find(cx.tx, text))
}

/// The department that a row's column names.
pub fn of(tx: &ReadTx<'_>, entry: &Entry, column: &str) -> Result<Department> {
    known(tx, entry[column].text().unwrap_or_default())
}

pub const TABLE: Table = Table {
    name: "departments",
    columns: &[required("code", Kind::Text(20)), required("name", Kind::Text(100))],
    put: |tx, entry, _| {
        let text = |name: &str| entry[name].text().unwrap_or_default().to_owned();
        departments::put(tx, &Department { code: text("code").to_uppercase(), name: text("name") })
    },
    by_date: None,
    link: None,
    finish: None,
    pages: |tx, after, limit| {
        let all = (1..).zip(departments::all(tx)?);
        let page = all.filter(|(place, _)| *place > after).take(limit.max(0) as usize);
        Ok(page.map(|(place, row)| (place, vec![Field::Text(row.code), Field::Text(row.name)])).collect())
    },
    clear: departments::clear,
    count: |tx| Ok(departments::all(tx)?.len() as i64),
};
