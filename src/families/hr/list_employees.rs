use schemars::JsonSchema;
use serde::Deserialize;

use super::rows::{self, ALL_EMPLOYEES};
use super::store::employees::{self, After};
use super::view::EmployeeView;
use crate::db::departments;
use crate::error::Result;
use crate::families::departments::known;
use crate::identity::Role;
use crate::tool::envelope::Listed;
use crate::tool::page::{Listing, Page, misfit};
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// A row is some 500 bytes of JSON.
const ROW: usize = 500;

/// Lists active employees by name.
pub struct ListEmployees;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Name or code
    #[schemars(length(min = 1, max = 100))]
    department: Option<String>,
    #[schemars(range(min = 1, max = 50))]
    limit: Option<i64>,
    cursor: Option<String>,
}

impl Tool for ListEmployees {
    type Args = Args;
    type Output = Listed<EmployeeView>;

    const NAME: &'static str = "list_employees";
    const TITLE: &'static str = "List employees";
    const DESCRIPTION: &'static str =
        "Lists active employees by name: HR and executives all, managers the people below them.";
    const ACCESS: Access = Access::AnyOf(&[Role::HrRead, Role::HrWrite, Role::Manager, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for ListEmployees {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let rows = rows::of(cx, ALL_EMPLOYEES)?;
        let department: Option<departments::Department> =
            args.department.as_deref().map(|text| known(cx.tx, text)).transpose()?;
        let department = department.map(|department| department.code);
        let limit = args.limit.unwrap_or(50);
        let listing = Listing::new(cx, &department)?;
        let after = match listing.key(args.cursor.as_deref())? {
            Some(seq) => employees::place(cx.tx, seq)?.ok_or_else(misfit)?,
            None => After::default(),
        };
        let found = employees::page(cx.tx, rows, department.as_deref(), &after, limit + 1)?;
        let page = listing.page(found, limit as usize, |row| row.seq, |_| ROW);
        let shown = page.rows.into_iter().map(|row| EmployeeView::of(row, cx.caller(), rows));
        let page = Page { rows: shown.collect(), next_cursor: page.next_cursor };
        Ok(Listed::page(page, args.cursor.is_none(), "department"))
    }
}
