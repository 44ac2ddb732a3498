//! More people than anybody writes by hand: a tree of managers below those of the company.

use chrono::NaiveDate;

use super::Table;
use super::dice::Dice;
use super::employees;
use super::staff::{self, DEPARTMENTS, Person, STAFF};
use super::words::WORDS;

/// Five managers share fifty reports, none the same number: these are the first reports of each.
const SHARES: [usize; 5] = [0, 8, 17, 27, 38];
const BLOCK: usize = 50;

/// Where each of so many people stands; worked out from the place alone.
#[derive(Debug)]
pub struct Tree {
    count: usize,
    /// Those of the company whose reports come first, each with ten or so of them.
    heads: Vec<&'static Person>,
}

impl Tree {
    pub fn new(count: usize) -> Self {
        let heads = DEPARTMENTS.iter().filter(|(code, ..)| *code != "EXEC");
        Tree { count, heads: heads.filter_map(|(_, _, head, _)| staff::numbered(head)).collect() }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Numbers go on from 1000, beyond those written by hand.
    pub fn number(place: usize) -> String {
        format!("EMP{}", 1000 + place)
    }

    fn direct(&self) -> usize {
        self.heads.len() * BLOCK / SHARES.len()
    }

    /// The manager's place, or none for those directly below the company's own.
    fn manager(&self, place: usize) -> Option<usize> {
        let below = place.checked_sub(self.direct())?;
        let share = SHARES.iter().rposition(|first| *first <= below % BLOCK).unwrap_or(0);
        Some(below / BLOCK * SHARES.len() + share)
    }

    fn head(&self, place: usize) -> &'static Person {
        let mut root = place;
        while let Some(manager) = self.manager(root) {
            root = manager;
        }
        self.heads[root % self.heads.len()]
    }

    pub fn department(&self, place: usize) -> &'static str {
        self.head(place).department
    }

    fn leads(&self, place: usize) -> bool {
        let first = place / SHARES.len() * BLOCK + SHARES[place % SHARES.len()];
        first + self.direct() < self.count
    }

    fn person(&self, place: usize) -> Person {
        let mut dice = Dice::new("person", place);
        let first_name = dice.pick(&WORDS.first_names).clone();
        let last_name = dice.pick(&WORDS.last_names).clone();
        let head = self.head(place);
        let manager = self.manager(place).map_or_else(|| head.number.clone(), Self::number);
        let (title, grade, low) = match (self.leads(place), place % 3) {
            (true, _) => ("Team Manager", "L5", 120_000),
            (false, 0) => ("Specialist", "L2", 55_000),
            (false, 1) => ("Senior Specialist", "L3", 70_000),
            _ => ("Expert", "L4", 90_000),
        };
        Person {
            number: Self::number(place),
            login: format!("{first_name}.{last_name}.{}", 1000 + place).to_lowercase(),
            first_name,
            last_name,
            title,
            department: head.department,
            manager: Some(manager),
            grade,
            salary: low + 500 * dice.between(0, 40),
            months: dice.between(2, 110) as i32,
            left: None,
            location: dice.pick(&STAFF).location,
            due: None,
            roles: Vec::new(),
        }
    }
}

pub fn more(today: NaiveDate, count: usize) -> Table {
    let tree = Tree::new(count);
    Table::each("hr.employees", count, move |place| employees::employee(today, &tree.person(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managers_have_eight_to_twelve_reports_and_a_handful_of_levels() {
        let tree = Tree::new(20_000);
        let mut reports = vec![0; 20_000];
        for place in 0..20_000 {
            if let Some(manager) = tree.manager(place) {
                assert!(manager < place, "{place}");
                reports[manager] += 1;
            }
        }
        let full = reports.iter().take(1000);
        assert!(full.clone().all(|count| (8..=12).contains(count)), "{:?}", full.collect::<Vec<_>>());
        assert!((0..20_000).all(|place| tree.leads(place) == (reports[place] > 0)));
        let depth = std::iter::successors(Some(19_999), |place| tree.manager(*place)).count();
        assert!((3..=5).contains(&depth), "{depth}");
    }

    #[test]
    fn people_are_spread_over_the_departments() {
        let tree = Tree::new(2_000);
        for (code, ..) in DEPARTMENTS.iter().filter(|(code, ..)| *code != "EXEC") {
            let count = (0..2_000).filter(|place| tree.department(*place) == *code).count();
            assert!(count > 150, "{code}: {count}");
        }
    }
}
