//! Lines that are judged, printed as they are found.

/// What came of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Met,
    Missed,
    /// No two slices were measured on a disk of the same kind.
    Unclear,
    /// There is no budget: a figure to read the others by.
    Told,
}

#[derive(Debug)]
pub struct Line {
    pub what: String,
    pub budget: String,
    pub measured: String,
    pub figures: String,
    pub verdict: Verdict,
}

#[derive(Debug, Default)]
pub struct Report {
    pub lines: Vec<Line>,
}

/// A bound, and the unit it is written in.
#[derive(Clone, Copy, Debug)]
pub enum Budget {
    AtMost(f64, &'static str),
    AtLeast(f64, &'static str),
}

impl Report {
    /// Judges a figure as it is printed, to two decimals.
    pub fn judge(&mut self, what: impl Into<String>, budget: Budget, measured: f64, figures: String) {
        let measured = (measured * 100.0).round() / 100.0;
        let (sign, bound, unit, met) = match budget {
            Budget::AtMost(bound, unit) => ("≤", bound, unit, measured <= bound),
            Budget::AtLeast(bound, unit) => ("≥", bound, unit, measured >= bound),
        };
        let verdict = match (measured.is_nan(), met) {
            (true, _) => Verdict::Unclear,
            (false, true) => Verdict::Met,
            (false, false) => Verdict::Missed,
        };
        let figures = if measured.is_nan() { "no round could be compared".to_owned() } else { figures };
        let budget = format!("{sign} {bound}{unit}");
        let measured =
            if measured.is_nan() { "–".to_owned() } else { format!("{}{unit}", short(measured)) };
        self.push(Line { what: what.into(), budget, measured, figures, verdict });
    }

    pub fn tell(&mut self, what: impl Into<String>, measured: String, figures: String) {
        let budget = "–".to_owned();
        self.push(Line { what: what.into(), budget, measured, figures, verdict: Verdict::Told });
    }

    pub fn missed(&self) -> usize {
        self.lines.iter().filter(|line| line.verdict == Verdict::Missed).count()
    }

    fn push(&mut self, line: Line) {
        let Line { what, budget, measured, figures, verdict } = &line;
        say(&format!("{:<8}{what}: {measured} (budget {budget}); {figures}", verdict.word()));
        self.lines.push(line);
    }
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "MISSED",
            Verdict::Unclear => "unclear",
            Verdict::Told => "–",
        }
    }
}

fn short(number: f64) -> String {
    match number {
        large if large >= 1000.0 => format!("{large:.0}"),
        large if large >= 20.0 => format!("{large:.1}"),
        small => format!("{small:.2}"),
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark talks to the person who started it, and only here")]
pub fn say(text: &str) {
    println!("{text}");
}
