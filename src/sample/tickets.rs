//! What customers and colleagues ask for help with.

use chrono::NaiveDate;
use serde_json::Value;

use super::customers::Customer;
use super::days::{self, Course};
use super::dice::Dice;
use super::staff;
use super::vocabulary;
use super::words::{TOPICS, Topic, WORDS};
use super::{Row, Table, Volume, row};

/// Everything a ticket is chosen from.
struct Desk {
    course: Course,
    agents: Vec<&'static str>,
    /// Colleagues who ask for help themselves; the people the demonstration asks about come first.
    colleagues: Vec<&'static str>,
    customers: usize,
    first: usize,
    /// Whether texts are told from topics, or from a vocabulary that can be measured with.
    told: bool,
}

pub fn company(today: NaiveDate, count: usize) -> Table {
    let desk = Desk::new(Course::new(today, 200, count), 0, Volume::SAMPLE.customers, true);
    Table::each("support.tickets", count, move |index| desk.ticket(index))
}

pub fn more(today: NaiveDate, volume: Volume) -> Table {
    let sample = Volume::SAMPLE;
    let course = Course::new(today, 1095, volume.tickets);
    let desk = Desk::new(course, sample.tickets, sample.customers + volume.customers, false);
    Table::each("support.tickets", volume.tickets, move |index| desk.ticket(index))
}

fn status(age: i64, index: usize) -> &'static str {
    match (age, index % 29, index % 7) {
        (31.., 7, _) => "in_progress",
        (31.., 13, _) => "pending",
        (31.., _, 0 | 3 | 5) => "resolved",
        (31.., ..) => "closed",
        (_, _, 1) => "in_progress",
        (_, _, 3) => "resolved",
        (_, _, 4) => "pending",
        (_, _, 5) => "closed",
        _ => "open",
    }
}

impl Desk {
    fn new(course: Course, first: usize, customers: usize, told: bool) -> Self {
        let login = |person: &'static staff::Person| person.login.as_str();
        let agents: Vec<&str> = staff::active_in("SUPPORT").into_iter().map(login).collect();
        let others = staff::active().map(login).filter(|login| !agents.contains(login));
        let colleagues = ["marcus.johnson", "frank.davis"].into_iter().chain(others).collect();
        Desk { course, agents, colleagues, customers, first, told }
    }

    /// One in six comes from a colleague, and half of those from the first two of them.
    fn colleague(&self, index: usize, dice: &mut Dice) -> Option<&'static str> {
        match index % 24 {
            3 => Some(self.colleagues[0]),
            11 => Some(self.colleagues[1]),
            7 | 19 => Some(*dice.pick(&self.colleagues)),
            _ => None,
        }
    }

    fn ticket(&self, index: usize) -> Row {
        let place = self.first + index;
        let mut dice = Dice::new("ticket", place);
        let created = self.course.at(index, dice.below(1 << 20));
        let status = status(self.course.days_before_the_end(created), index);
        let is_done = matches!(status, "resolved" | "closed");
        let updated = self.course.later(created, dice.between(20, if is_done { 7_000 } else { 2_500 }));
        let colleague = self.colleague(index, &mut dice);
        let customer = colleague.is_none().then(|| Customer::at(dice.below(self.customers)));
        let topic = dice.pick(&TOPICS);
        let (subject, description) = match self.told {
            true => told(topic, colleague.is_some(), &mut dice),
            false => (vocabulary::sentence(5, &mut dice), vocabulary::description(index, &mut dice)),
        };
        let (resolution, kind) = resolution(topic, &mut dice);
        let assigned = (status != "open" || dice.chance(50)).then(|| *dice.pick(&self.agents));
        let when_done = |value: Value| if is_done { value } else { Value::Null };
        let priority = match dice.below(100) {
            0..8 => "critical",
            8..30 => "high",
            30..75 => "medium",
            _ => "low",
        };
        row([
            ("ticket_id", format!("TICK-{:04}", place + 1).into()),
            ("subject", subject.into()),
            ("description", description.into()),
            ("status", status.into()),
            ("priority", priority.into()),
            ("customer_id", customer.as_ref().map(|customer| customer.id.as_str()).into()),
            ("customer_name", customer.as_ref().map(|customer| customer.name.as_str()).into()),
            ("customer_email", customer.as_ref().map(|customer| customer.email.as_str()).into()),
            ("assigned_to", assigned.into()),
            ("category", topic.category.as_str().into()),
            ("tags", topic.tags.clone().into()),
            ("created_by", colleague.unwrap_or_else(|| *dice.pick(&self.agents)).into()),
            ("resolution", when_done(resolution.into())),
            ("resolution_type", when_done(kind.into())),
            ("created_at", days::instant(created).into()),
            ("updated_at", days::instant(updated).into()),
            ("resolved_at", when_done(days::instant(updated).into())),
        ])
    }
}

/// Subject and description; the problem is the subject's.
fn told(topic: &'static Topic, internal: bool, dice: &mut Dice) -> (String, String) {
    let which = dice.below(topic.subjects.len());
    let opening =
        if internal { "Seen by a colleague in our own account:" } else { dice.pick(&WORDS.openings) };
    let (problem, context) = (&topic.problems[which], dice.pick(&WORDS.contexts));
    let description = format!("{opening} {problem} {context} {}", dice.pick(&WORDS.requests));
    (topic.subjects[which].clone(), description)
}

fn resolution(topic: &'static Topic, dice: &mut Dice) -> (&'static str, &'static str) {
    match dice.below(20) {
        0..13 => (dice.pick(&topic.resolutions).as_str(), "solved"),
        13..16 => (topic.steps[0].as_str(), "workaround"),
        16 | 17 => ("Continued in an earlier ticket about the same.", "duplicate"),
        18 => ("Could not be seen again with the same account.", "cannot_reproduce"),
        _ => ("Works as intended; explained why.", "wont_fix"),
    }
}
