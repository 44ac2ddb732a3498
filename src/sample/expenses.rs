//! What people paid for the company and want back.

use std::sync::Arc;

use chrono::{Datelike, NaiveDate};
use serde_json::Value;

use super::dice::Dice;
use super::staff::{self, Person};
use super::tree::Tree;
use super::words::WORDS;
use super::{Row, Table, Volume, days, money, row};

/// People the demonstration asks about: they have one in each of the three latest months.
const ASKED_ABOUT: [&str; 3] = ["EMP052", "EMP051", "EMP061"];

/// Months the sample covers.
const MONTHS: usize = 4;

/// The number of the first report that comes on top of the sample.
const MORE: usize = 1000;

/// Who files a report for which month: at most one each.
#[derive(Clone)]
pub struct Plan {
    today: NaiveDate,
    count: usize,
    /// The place of the first report: what is drawn for it differs from the sample's.
    first: usize,
    filers: Filers,
}

#[derive(Clone)]
enum Filers {
    /// Person and months back, month by month.
    Company(Arc<Vec<(&'static Person, i32)>>),
    Tree(Arc<Tree>),
    /// When no more people are wanted: those there are, in months before the sample's.
    Staff,
}

struct Report {
    place: usize,
    number: String,
    employee: String,
    department: &'static str,
    months_back: i32,
}

impl Plan {
    pub fn company(today: NaiveDate, count: usize) -> Self {
        let is_asked_about = |person: &Person| ASKED_ABOUT.contains(&person.number.as_str());
        let mut others = staff::active().filter(|person| !is_asked_about(person)).cycle();
        let mut filed = Vec::new();
        for months_back in (0..MONTHS).rev() {
            let asked = ASKED_ABOUT.iter().filter(|_| months_back + 1 < MONTHS);
            let people = asked.filter_map(|number| staff::numbered(number));
            let people = people.chain(others.by_ref()).take(count / MONTHS);
            filed.extend(people.map(|person| (person, months_back as i32)));
        }
        Plan { today, count: filed.len(), first: 0, filers: Filers::Company(Arc::new(filed)) }
    }

    pub fn more(today: NaiveDate, volume: Volume) -> Self {
        let filers = match volume.employees {
            0 => Filers::Staff,
            people => Filers::Tree(Arc::new(Tree::new(people))),
        };
        Plan { today, count: volume.expense_reports, first: MORE, filers }
    }

    fn report(&self, index: usize) -> Report {
        let (employee, department, months_back) = match &self.filers {
            Filers::Company(filed) => {
                let (person, months_back) = filed[index];
                (person.number.clone(), person.department, months_back)
            }
            Filers::Tree(tree) => {
                let place = index % tree.count();
                (Tree::number(place), tree.department(place), self.months_back(index, tree.count()))
            }
            Filers::Staff => {
                let people = staff::STAFF.len();
                let person = &staff::STAFF[index % people];
                (person.number.clone(), person.department, self.months_back(index, people))
            }
        };
        let number = self.number(index, months_back);
        Report { place: self.first + index, number, employee, department, months_back }
    }

    /// The last come last.
    fn months_back(&self, index: usize, people: usize) -> i32 {
        (MONTHS + (self.count - 1) / people - index / people) as i32
    }

    fn number(&self, index: usize, months_back: i32) -> String {
        let year = days::month_before(self.today, months_back).year();
        let place = match &self.filers {
            Filers::Company(filed) => {
                let is_earlier = |back: i32| days::month_before(self.today, back).year() < year;
                index + 1 - filed.iter().filter(|(_, back)| is_earlier(*back)).count()
            }
            _ => self.first + index,
        };
        format!("EXP-{year}-{place:03}")
    }
}

pub fn reports(plan: &Plan) -> Table {
    let plan = plan.clone();
    Table::each("finance.expense_reports", plan.count, move |index| report(plan.today, &plan.report(index)))
}

pub fn items(plan: &Plan) -> Table {
    let plan = plan.clone();
    let count = (0..plan.count).map(|index| item_count(&mut dice(plan.first + index))).sum();
    let rows = (0..plan.count).flat_map(move |index| items_of(plan.today, &plan.report(index)));
    Table { name: "finance.expense_items", count, rows: Box::new(rows) }
}

fn dice(place: usize) -> Dice {
    Dice::new("expenses", place)
}

fn item_count(dice: &mut Dice) -> usize {
    1 + dice.below(4)
}

fn status(months_back: i32, place: usize) -> &'static str {
    let choices = match months_back {
        0 => ["submitted", "draft", "draft", "submitted", "draft"],
        1 => ["submitted", "under_review", "approved", "rejected", "submitted"],
        _ => ["reimbursed", "approved", "reimbursed", "under_review", "reimbursed"],
    };
    choices[place % choices.len()]
}

fn report(today: NaiveDate, report: &Report) -> Row {
    let mut dice = Dice::new("expense report", report.place);
    let id = dice.uuid();
    let month = days::month_before(today, report.months_back);
    let status = status(report.months_back, report.place);
    let submitted =
        days::plus(days::last_of_month(month), dice.between(1, 3)).min(days::plus(today, -1)).max(month);
    let approved = days::plus(submitted, dice.between(1, 9)).min(today);
    let approver = if report.employee == "EMP020" { "EMP003" } else { "EMP020" };
    let is_approved = matches!(status, "approved" | "reimbursed");
    let when = |holds: bool, value: Value| if holds { value } else { Value::Null };
    row([
        ("report_id", id.into()),
        ("number", report.number.as_str().into()),
        ("employee", report.employee.as_str().into()),
        ("department", report.department.into()),
        ("title", dice.pick(&WORDS.report_titles).as_str().into()),
        ("month", days::month(month).into()),
        ("status", status.into()),
        ("submitted_at", when(status != "draft", days::at_work(submitted, dice.below(540)).into())),
        ("approved_by", when(is_approved, staff::uuid_of(approver).into())),
        ("approved_at", when(is_approved, days::at_work(approved, dice.below(540)).into())),
        ("notes", when(status == "rejected", "The receipts are missing; please add them.".into())),
    ])
}

fn items_of(today: NaiveDate, report: &Report) -> Vec<Row> {
    let mut dice = dice(report.place);
    let month = days::month_before(today, report.months_back);
    let last = days::last_of_month(month).min(today);
    let count = item_count(&mut dice);
    let item = |dice: &mut Dice| {
        let (category, description, vendor, low, high) = dice.pick(&WORDS.expenses);
        let date = days::plus(month, dice.between(0, (last - month).num_days()));
        row([
            ("report", report.number.as_str().into()),
            ("expense_date", date.to_string().into()),
            ("category", category.as_str().into()),
            ("description", description.as_str().into()),
            ("vendor", vendor.as_str().into()),
            ("amount", money(dice.between(low * 100, high * 100))),
        ])
    };
    (0..count).map(|_| item(&mut dice)).collect()
}
