//! What Support has written down so that nobody has to ask twice.

use chrono::NaiveDate;

use super::days::{self, Course};
use super::dice::Dice;
use super::staff;
use super::words::{TOPICS, Topic};
use super::{Row, Table, Volume, row};

pub fn company(today: NaiveDate, count: usize) -> Table {
    table(today, 0, count, 700)
}

pub fn more(today: NaiveDate, count: usize) -> Table {
    table(today, Volume::SAMPLE.articles, count, 1095)
}

fn table(today: NaiveDate, first: usize, count: usize, span: i64) -> Table {
    let course = Course::new(days::plus(today, -5), span, count);
    let authors: Vec<&str> = staff::active_in("SUPPORT").iter().map(|person| person.login.as_str()).collect();
    Table::each("support.articles", count, move |index| article(course, &authors, index, first + index))
}

fn article(course: Course, authors: &[&str], index: usize, place: usize) -> Row {
    let mut dice = Dice::new("article", place);
    let topic = &TOPICS[place % TOPICS.len()];
    let round = place / TOPICS.len();
    let (mut title, summary, content) = told(topic, round % 3);
    if round >= 3 {
        title = format!("{title} ({})", round / 3 + 1);
    }
    let created = course.at(index, dice.below(1 << 20));
    let views = dice.between(12, 4_800);
    let status = match place % 20 {
        7 | 12 => "draft",
        16 => "archived",
        _ => "published",
    };
    row([
        ("article_id", format!("KB-{:03}", place + 1).into()),
        ("title", title.into()),
        ("content", content.into()),
        ("summary", summary.into()),
        ("category", topic.category.as_str().into()),
        ("tags", topic.tags.clone().into()),
        ("author", (*dice.pick(authors)).into()),
        ("status", status.into()),
        ("view_count", views.into()),
        ("helpful_votes", (views * dice.between(2, 30) / 100).into()),
        ("created_at", days::instant(created).into()),
        ("updated_at", days::instant(course.later(created, dice.between(60, 90_000))).into()),
    ])
}

/// Title, summary and content: each topic is told in three ways.
fn told(topic: &Topic, way: usize) -> (String, String, String) {
    let Topic { name, about, prevent, .. } = topic;
    match way {
        0 => {
            let steps: Vec<String> = topic
                .steps
                .iter()
                .enumerate()
                .map(|(index, step)| format!("{}. {step}", index + 1))
                .collect();
            let content = format!("{about}\n\n## What to do\n\n{}\n\n{prevent}", steps.join("\n"));
            (format!("{name}: what to do"), about.clone(), content)
        }
        1 => {
            let cases: Vec<String> = topic.problems.iter().map(|problem| format!("* {problem}")).collect();
            let content = format!(
                "## Seen before\n\n{}\n\n## What helped\n\n* {}\n* {}",
                cases.join("\n"),
                topic.resolutions[0],
                topic.resolutions[1]
            );
            (format!("{name}: known cases"), topic.problems[0].clone(), content)
        }
        _ => {
            let content = format!(
                "{prevent}\n\n## Why\n\n{about}\n\n## If it happens all the same\n\n{}",
                topic.steps[0]
            );
            (format!("{name}: how to prevent trouble"), prevent.clone(), content)
        }
    }
}
