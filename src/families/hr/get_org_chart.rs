use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rows::{self, ALL_EMPLOYEES, Rows};
use super::store::employees::{self, Employee};
use crate::error::{Error, Result};
use crate::identity::Role;
use crate::tool::envelope::Success;
use crate::tool::{Access, ErrorForm, JsonObject, ReadCx, ReadTool, Tool};

/// A chart has at most so many people; the others are counted.
const MOST_PEOPLE: usize = 250;
const DEPTH: i64 = 3;

/// Draws who reports to whom.
pub struct GetOrgChart;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Whom to begin with; default: the top, for managers yourself
    #[schemars(length(min = 1, max = 100))]
    root_employee_id: Option<String>,
    /// Levels below, default 3
    #[schemars(range(min = 1, max = 10))]
    max_depth: Option<i64>,
}

/// A person and who reports to them. The nodes below have the same form.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OrgNode {
    employee_id: Option<String>,
    name: String,
    job_title: Option<String>,
    department: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reports: Vec<Value>,
    /// People who report here and are not shown
    #[serde(skip_serializing_if = "is_zero")]
    more_reports: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(count: &i64) -> bool {
    *count == 0
}

impl Tool for GetOrgChart {
    type Args = Args;
    type Output = Success<OrgNode>;

    const NAME: &'static str = "get_org_chart";
    const TITLE: &'static str = "Get the org chart";
    const DESCRIPTION: &'static str = "Draws who reports to whom, a few levels at a time. more_reports counts people \
        not shown: call again with that person as root_employee_id.";
    const ACCESS: Access = Access::AnyOf(&[Role::HrRead, Role::HrWrite, Role::Manager, Role::Executive]);

    fn errors(_: &JsonObject) -> ErrorForm {
        ErrorForm::Envelope
    }
}

impl ReadTool for GetOrgChart {
    fn run(cx: &ReadCx<'_>, args: Args) -> Result<Self::Output> {
        let rows = rows::of(cx, ALL_EMPLOYEES)?;
        let depth = args.max_depth.unwrap_or(DEPTH);
        let root = match (&args.root_employee_id, rows) {
            (Some(reference), _) => Some(rows::find(cx, rows, reference)?),
            (None, Rows::All) => None,
            (None, _) => Some(rows::myself(cx)?),
        };
        let mut chart = Chart { people: Vec::new(), more_tops: 0 };
        match root {
            Some(root) => chart.add(None, root),
            None => {
                for top in employees::reports(cx.tx, None, MOST_PEOPLE as i64)? {
                    chart.add(None, top);
                }
                chart.more_tops = employees::count_tops(cx.tx)? - chart.people.len() as i64;
            }
        }
        chart.grow(cx, depth)?;
        chart.drawn(cx)
    }
}

/// People in the order they were found: level by level, each after whom they report to.
struct Chart {
    people: Vec<Person>,
    /// People at the top for whom there was no room.
    more_tops: i64,
}

struct Person {
    above: Option<usize>,
    seq: i64,
    /// Reports who are drawn in another place, as only a cycle has them.
    elsewhere: i64,
    node: OrgNode,
}

impl Chart {
    fn add(&mut self, above: Option<usize>, employee: Employee) {
        let node = OrgNode {
            name: employee.name(),
            employee_id: Some(employee.employee_id),
            job_title: employee.title,
            department: Some(employee.department),
            reports: Vec::new(),
            more_reports: 0,
        };
        self.people.push(Person { above, seq: employee.seq, elsewhere: 0, node });
    }

    fn grow(&mut self, cx: &ReadCx<'_>, depth: i64) -> Result<()> {
        let mut level = 0..self.people.len();
        for _ in 0..depth {
            let next = level.end;
            for at in level {
                let room = MOST_PEOPLE.saturating_sub(self.people.len());
                let seq = self.people[at].seq;
                for report in employees::reports(cx.tx, Some(seq), room as i64)? {
                    // In a cycle, somebody stands above themselves.
                    match self.people.iter().any(|known| known.seq == report.seq) {
                        false => self.add(Some(at), report),
                        true if report.seq != seq => self.people[at].elsewhere += 1,
                        true => {}
                    }
                }
            }
            level = next..self.people.len();
        }
        Ok(())
    }

    /// Hangs everybody below whom they report to, from the last one on.
    fn drawn(mut self, cx: &ReadCx<'_>) -> Result<Success<OrgNode>> {
        let mut shown = vec![0_i64; self.people.len()];
        for person in &self.people {
            if let Some(above) = person.above {
                shown[above] += 1;
            }
        }
        let mut tops = Vec::new();
        while let Some(mut person) = self.people.pop() {
            let count = employees::count_reports(cx.tx, person.seq)?;
            person.node.more_reports = (count - shown[self.people.len()] - person.elsewhere).max(0);
            person.node.reports.reverse();
            match person.above {
                Some(above) => self.people[above].node.reports.push(written(&person.node)?),
                None => tops.push(person.node),
            }
        }
        tops.reverse();
        Ok(Success::of(match tops.len() {
            1 => tops.remove(0),
            _ => OrgNode {
                employee_id: None,
                name: "Everybody who reports to nobody".to_owned(),
                job_title: None,
                department: None,
                reports: tops.iter().map(written).collect::<Result<_>>()?,
                more_reports: self.more_tops.max(0),
            },
        }))
    }
}

fn written(node: &OrgNode) -> Result<Value> {
    serde_json::to_value(node).map_err(|error| Error::internal("a node cannot be written").because(error))
}
