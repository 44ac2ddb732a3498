//! What Sales is selling, and what it is meant to sell.

use chrono::{Datelike, NaiveDate};

use super::customers::Customer;
use super::days::{self, Course};
use super::dice::{self, Dice};
use super::staff;
use super::words::WORDS;
use super::{Row, Table, Volume, row};

/// A stage a deal can be open in, and how likely it is to be won from there.
const OPEN: [(&str, i64); 5] =
    [("PROSPECTING", 10), ("DISCOVERY", 20), ("QUALIFICATION", 35), ("PROPOSAL", 55), ("NEGOTIATION", 75)];

/// Deals of the sample that people outside of Sales brought; they see these and no others.
const BROUGHT: [(usize, &str); 2] = [(61, "nina.patel"), (187, "marcus.johnson")];

/// What a deal needs to know of all the others.
struct Pipeline {
    today: NaiveDate,
    course: Course,
    owners: Vec<String>,
    /// How many customers there are to sell to.
    customers: usize,
    /// The place of the first deal: ids go on after the sample's.
    first: usize,
}

enum Outcome {
    Open { stage: usize, closes: NaiveDate },
    Won(NaiveDate),
    Lost(NaiveDate),
}

pub fn company(today: NaiveDate, count: usize) -> Table {
    table(today, 0, count, 400, Volume::SAMPLE.customers)
}

pub fn more(today: NaiveDate, volume: Volume) -> Table {
    table(today, Volume::SAMPLE.deals, volume.deals, 1095, Volume::SAMPLE.customers + volume.customers)
}

fn table(today: NaiveDate, first: usize, count: usize, span: i64, customers: usize) -> Table {
    let pipeline = Pipeline {
        today,
        course: Course::new(days::plus(today, -2), span, count),
        owners: staff::active_in("SALES").iter().map(|person| person.email()).collect(),
        customers,
        first,
    };
    Table::each("sales.deals", count, move |index| pipeline.deal(index))
}

impl Pipeline {
    /// After four months most are decided; a quarter of the open ones is to close this month.
    fn outcome(&self, created: NaiveDate, index: usize, dice: &mut Dice) -> Outcome {
        let age = (self.today - created).num_days();
        let is_open = if age > 120 { index % 9 == 4 } else { index % 8 != 3 };
        if !is_open {
            let closed = days::plus(created, dice.between(20, 90)).min(days::plus(self.today, -1));
            return if dice.chance(60) { Outcome::Won(closed) } else { Outcome::Lost(closed) };
        }
        let month = days::month_before(self.today, 0);
        let closes = match index % 4 {
            0 => days::plus(month, dice.between(0, i64::from(days::last_of_month(month).day()) - 1)),
            // Some have been forgotten.
            _ if age > 120 => days::plus(created, dice.between(60, 100)),
            _ => days::plus(self.today, dice.between(8, 150)),
        };
        Outcome::Open { stage: (index / 2 + index) % OPEN.len(), closes }
    }

    fn owner(&self, place: usize, dice: &mut Dice) -> String {
        match BROUGHT.iter().find(|(brought, _)| *brought == place) {
            Some((_, login)) => format!("{login}@{}", staff::DOMAIN),
            None => dice.pick(&self.owners).clone(),
        }
    }

    fn deal(&self, index: usize) -> Row {
        let place = self.first + index;
        let mut dice = Dice::new("deal", place);
        let created = self.course.at(index, dice.below(1 << 20));
        let created_on = days::plus(self.today, -3 - self.course.days_before_the_end(created));
        let customer = Customer::at(dice.below(self.customers));
        let kind = dice.pick(&WORDS.deal_kinds);
        let (stage, probability, expected, closed) = match self.outcome(created_on, index, &mut dice) {
            Outcome::Open { stage, closes } => (OPEN[stage].0, OPEN[stage].1, closes, None),
            Outcome::Won(closed) => {
                ("CLOSED_WON", 100, days::plus(closed, dice.between(-9, 9)), Some(closed))
            }
            Outcome::Lost(closed) => {
                ("CLOSED_LOST", 0, days::plus(closed, dice.between(-5, 30)), Some(closed))
            }
        };
        let is_noted = dice.chance(45);
        let is_lost = stage == "CLOSED_LOST";
        row([
            ("deal_id", dice::object_id("deal id", 0x6700_0000, place).into()),
            ("customer_id", customer.id.into()),
            ("deal_name", format!("{}: {kind}", customer.company).into()),
            ("value", (dice.between(8, 240) * 500).into()),
            ("currency", "USD".into()),
            ("stage", stage.into()),
            ("probability", probability.into()),
            ("expected_close_date", expected.to_string().into()),
            ("actual_close_date", closed.map(|day| day.to_string()).into()),
            ("owner", self.owner(place, &mut dice).into()),
            ("notes", is_noted.then(|| dice.pick(&WORDS.deal_notes).as_str()).into()),
            ("loss_reason", is_lost.then(|| dice.pick(&WORDS.loss_reasons).as_str()).into()),
            ("created_at", days::instant(created).into()),
        ])
    }
}

/// The last four quarters, this one and the next.
pub fn targets(today: NaiveDate) -> Table {
    let target = |index: i32| {
        let quarter = days::month_before(today, 3 * (4 - index));
        row([("quarter", days::quarter(quarter).into()), ("target", (900_000 + 40_000 * index).into())])
    };
    Table::of("sales.targets", (0..6).map(target).collect())
}
