//! Who buys from the company.

use chrono::NaiveDate;

use super::days::{self, Course};
use super::dice::{self, Dice};
use super::staff;
use super::words::WORDS;
use super::{Row, Table, row};

const TIERS: [&str; 8] =
    ["business", "startup", "enterprise", "business", "free", "business", "startup", "enterprise"];

/// What deals and tickets tell about a customer; worked out from its place alone.
pub struct Customer {
    pub id: String,
    pub name: String,
    pub email: String,
    pub company: String,
    industry: &'static str,
}

impl Customer {
    pub fn at(index: usize) -> Self {
        let mut dice = Dice::new("customer", index);
        let (firsts, seconds) = (&WORDS.company_first, &WORDS.company_second);
        let first = &firsts[index % firsts.len()];
        let round = index / firsts.len();
        let (second, industry) = &seconds[(index + round) % seconds.len()];
        // Once every pair of words is taken, a number tells companies apart.
        let company = match round / seconds.len() {
            0 => format!("{first} {second}"),
            again => format!("{first} {second} {}", again + 1),
        };
        let (given, family) = (dice.pick(&WORDS.first_names), dice.pick(&WORDS.last_names));
        let host = company.replace(' ', "-").to_lowercase();
        Customer {
            id: dice::object_id("customer id", 0x6500_0000, index),
            name: format!("{given} {family}"),
            email: format!("{}.{}@{host}.example", given.to_lowercase(), family.to_lowercase()),
            company,
            industry,
        }
    }
}

pub fn company(today: NaiveDate, count: usize) -> Table {
    table(today, 0, count, 900)
}

pub fn more(today: NaiveDate, count: usize) -> Table {
    table(today, super::Volume::SAMPLE.customers, count, 1095)
}

fn table(today: NaiveDate, first: usize, count: usize, span: i64) -> Table {
    let course = Course::new(days::plus(today, -14), span, count);
    let owners: Vec<String> = staff::active_in("SALES").iter().map(|person| person.email()).collect();
    Table::each("sales.customers", count, move |index| customer(course, &owners, index, first + index))
}

fn customer(course: Course, owners: &[String], index: usize, place: usize) -> Row {
    let mut dice = Dice::new("customer facts", place);
    let customer = Customer::at(place);
    let (city, state, zip, country) = dice.pick(&WORDS.cities);
    let tier = TIERS[place % TIERS.len()];
    let revenue = match tier {
        "enterprise" => dice.between(400, 9_000) * 100_000,
        "business" => dice.between(60, 900) * 50_000,
        "startup" => dice.between(5, 120) * 25_000,
        _ => dice.between(1, 40) * 20_000,
    };
    row([
        ("customer_id", customer.id.into()),
        ("name", customer.name.into()),
        ("email", customer.email.into()),
        ("company", customer.company.into()),
        ("industry", customer.industry.into()),
        ("phone", format!("+1 {}-555-01{:02}", dice.between(201, 989), dice.below(100)).into()),
        ("street", format!("{} {}", dice.between(1, 980), dice.pick(&WORDS.streets)).into()),
        ("city", city.as_str().into()),
        ("state", state.as_str().into()),
        ("zip", format!("{zip}{:02}", dice.below(100)).into()),
        ("country", country.as_str().into()),
        ("account_owner", dice.pick(owners).as_str().into()),
        ("tier", tier.into()),
        ("annual_revenue", revenue.into()),
        ("created_at", days::instant(course.at(index, dice.below(1 << 20))).into()),
    ])
}
