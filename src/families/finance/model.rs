//! Rules of finance that need no data.

use crate::money::Cents;

/// An invoice's status as it is told: pending past its date is overdue.
pub fn invoice_status<'a>(stored: &'a str, due_date: &str, today: &str) -> &'a str {
    if stored == "pending" && due_date < today { "overdue" } else { stored }
}

/// Shares of a sum in the proportion of a plan, to the cent; equal ones where nothing was planned.
pub fn shared_as(plan: [Cents; 4], sum: Cents) -> [Cents; 4] {
    let planned: Cents = plan.into_iter().sum();
    let share = |quarter: Cents| match planned.0 {
        ..=0 => Cents(sum.0 / 4),
        planned => Cents((i128::from(sum.0) * i128::from(quarter.0) / i128::from(planned)) as i64),
    };
    let mut shares = plan.map(share);
    let rest = sum - shares.into_iter().sum();
    shares[3] = shares[3] + rest;
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pending_past_its_date_is_overdue() {
        let today = "2026-11-18";
        for (stored, due, told) in [
            ("pending", "2026-11-17", "overdue"),
            ("pending", "2026-11-18", "pending"),
            ("paid", "2026-01-01", "paid"),
        ] {
            assert_eq!(invoice_status(stored, due, today), told);
        }
    }

    #[test]
    fn no_cent_is_lost_when_a_sum_is_shared() {
        let plan = [1, 1, 1, 0].map(Cents);
        assert_eq!(shared_as(plan, Cents(100)), [33, 33, 33, 1].map(Cents));
        assert_eq!(shared_as([Cents(0); 4], Cents(7)), [1, 1, 1, 4].map(Cents));
        assert_eq!(shared_as([10, 20, 30, 40].map(Cents), Cents(1_000)), [100, 200, 300, 400].map(Cents));
    }
}
