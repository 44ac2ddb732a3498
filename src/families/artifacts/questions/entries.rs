//! The entries of a section: each a question or a decision with what is said about it.
//!
//! Read by lines, not by the parser's lists: real documents indent details by too little, so that
//! to the parser they are neighbours of their question.

use super::super::document::{Document, Heading};
use super::denials::is_finished;
use super::markers::{add, asked, closing, leading_marker, markers_in, unstruck, used};

/// An entry as it was found.
#[derive(Debug)]
pub(super) struct Entry {
    pub at: usize,
    pub text: String,
    pub fields: Vec<(String, String)>,
    /// Lines of an entry that are no fields.
    loose: Vec<String>,
    form: Form,
    indent: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Heading,
    Paragraph,
    Bullet,
    Number,
    Row,
}

/// Labels of what is said about a question or a decision, in small letters.
const LABELS: [&str; 50] = [
    "alignment topic",
    "alternatives",
    "alternatives considered",
    "blocking",
    "business impact",
    "clarification needed",
    "complexity area",
    "context",
    "date",
    "decided by",
    "decision",
    "decision deadline",
    "decision needed",
    "decision needed by",
    "decision topic",
    "dependency",
    "design deliverables",
    "design scope",
    "duration",
    "expected resolution",
    "future resolution",
    "impact",
    "impact scope",
    "impact without alignment",
    "investigation needed",
    "marker",
    "markers",
    "options considered",
    "owner",
    "pm perspective",
    "quantity needed",
    "rationale",
    "recommendation",
    "research method",
    "research question",
    "resource impact",
    "resource type",
    "skills needed",
    "spike scope",
    "stakeholder",
    "stakeholders",
    "tech debt description",
    "tech perspective",
    "technical question",
    "time box",
    "timeline",
    "timeline dependencies",
    "trade-off",
    "workaround",
    "workaround available",
];

/// Subsections whose entries are settled and stand only near the open ones.
const SETTLED: [&str; 3] = ["decisions made", "resolved questions", "assumptions"];

/// What a line that speaks about questions begins with.
const NOTES: [&str; 8] =
    ["note:", "note ", "notes:", "legend", "marker", "questions marked", "questions with", "items marked"];

/// What a line that says there are no questions begins with.
const NONE: [&str; 4] = ["no open", "no questions", "no unresolved", "none"];

impl Entry {
    /// `- [REQUIRES SPIKE] - what the marker is for`: explains the marker and asks nothing. A colon
    /// right behind the marker says what waits for it, unless the marker is quoted or that is nothing.
    pub fn is_legend(&self) -> bool {
        let Some(rest) = leading_marker(&self.text) else { return false };
        let opening = self.text.trim_start_matches(['|', ' ']);
        let behind = rest.trim_start_matches(['*', '`', '_', ' ']);
        let explains = match behind.chars().next() {
            Some('-' | '–' | '—' | '|' | '=') => true,
            Some(':') => opening.trim_start_matches(['*', '_']).starts_with('`') || is_none(behind),
            // `**[REQUIRES SPIKE] Topic:**` is a question with its marker first.
            Some(_) => self.form == Form::Bullet && (!opening.starts_with("**") || rest.starts_with("**")),
            None => false,
        };
        let could = matches!(self.form, Form::Bullet | Form::Row | Form::Paragraph);
        let asks = self.text.contains('?') || self.loose.iter().any(|line| line.contains('?'));
        could && explains && self.fields.is_empty() && !asks
    }

    /// `~~Which cache?~~ Redis`: it was a question once.
    pub fn is_struck(&self) -> bool {
        let opening = self.text.trim_start_matches("[x] ");
        let opening = opening.trim_start_matches(|c: char| !c.is_alphabetic() && !matches!(c, '~' | '['));
        let Some(rest) = opening.strip_prefix("~~") else { return false };
        let later = || self.fields.iter().map(|(_, value)| value).chain(&self.loose);
        match rest.contains("~~") {
            true => !unstruck(&self.text).contains('?'),
            false => later().any(|line| line.contains("~~")),
        }
    }

    /// The markers of the question itself; what its details mention is not its own.
    pub fn markers(&self) -> Vec<String> {
        let text = unstruck(&self.text);
        let mut found = asked(&text);
        if text.contains('?') || self.form == Form::Number {
            let cells: Vec<&str> =
                if self.form == Form::Row { text.split('|').collect() } else { vec![text.as_ref()] };
            for (names, before) in cells.into_iter().map(closing) {
                if self.form == Form::Row || !before.trim().is_empty() {
                    add(&mut found, names);
                }
            }
        }
        let named = self.fields.iter().filter(|(label, _)| label.to_lowercase().starts_with("marker"));
        for value in named.map(|(_, value)| value) {
            add(&mut found, asked(&value.replace('`', "")));
        }
        for line in self.loose.iter().filter(|line| leading_marker(line).is_some()) {
            add(&mut found, asked(line));
            let (names, before) = closing(line);
            if before.trim().is_empty() {
                add(&mut found, names);
            }
        }
        found
    }
}

/// The entries of a section in their order.
pub(super) fn of(document: &Document<'_>, section: &Heading) -> Vec<Entry> {
    let mut scan =
        Scan { entries: Vec::new(), open: false, fresh: true, ignoring: None, prose: String::new() };
    let mut settled: Option<u8> = None;
    let mut headings = document.headings_in(&section.body).iter().peekable();
    let mut at = section.body.start;
    for line in document.body(section).split_inclusive('\n') {
        let start = at;
        at += line.len();
        if let Some(heading) = headings.next_if(|heading| heading.start < at) {
            if settled.is_none_or(|level| heading.level <= level) {
                settled = SETTLED.contains(&heading.name.as_str()).then_some(heading.level);
            }
            scan.heading(heading, settled.is_some());
            continue;
        }
        let shown = start + line.len() - line.trim_start().len();
        // A marker in code may begin a line of a text.
        let span = document.text[shown..].starts_with("`[") && !document.is_code(shown.saturating_sub(1));
        if settled.is_none() && (span || !document.is_code(shown)) {
            scan.line(line, shown);
        }
    }
    scan.entries
}

struct Scan {
    entries: Vec<Entry>,
    /// Whether the last entry may still grow.
    open: bool,
    /// Whether an empty line came before.
    fresh: bool,
    /// A note, whose details are passed over with it.
    ignoring: Option<Note>,
    /// The sentence that the lines so far have left unfinished.
    prose: String,
}

struct Note {
    indent: usize,
    /// It says that there are no questions, which lifts none that follows.
    denies: bool,
}

/// Sentences are not longer than this.
const LONGEST: usize = 400;

impl Scan {
    fn heading(&mut self, heading: &Heading, settled: bool) {
        self.open = false;
        self.fresh = true;
        self.ignoring = None;
        self.prose.clear();
        if !settled && (is_numbered(&heading.text) || !markers_in(&heading.text).is_empty()) {
            self.begin(Form::Heading, 0, heading.start, &heading.text);
        }
    }

    fn line(&mut self, line: &str, at: usize) {
        let bare = line.trim_start_matches(['>', ' ', '\t']);
        let content = bare.trim_end();
        if content.is_empty() {
            self.fresh = true;
            return;
        }
        let indent = line[..line.len() - bare.len()].chars().map(|c| if c == '\t' { 4 } else { 1 }).sum();
        let fresh = std::mem::take(&mut self.fresh);
        if content.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | '|' | ':' | ' ')) {
            return;
        }
        let item = item(content);
        let struck = self.prose.matches("~~").count() % 2 == 1;
        let finished = is_finished(&self.prose) && !struck;
        if fresh || item.is_some() || finished || self.prose.len() > LONGEST {
            self.prose.clear();
        }
        self.prose.push(' ');
        self.prose.push_str(item.map_or(content, |(_, text)| text));
        if let Some(note) = &self.ignoring {
            let belongs = indent > note.indent || (!fresh && item.is_none());
            let asks = (note.denies || content.contains('?')) && !used(&self.prose).is_empty();
            if belongs && !asks {
                return;
            }
        }
        self.ignoring = None;
        match item {
            Some((form, text)) => self.item(form, indent, at, text),
            None if content.starts_with('|') => self.row(at, content),
            None => self.text(indent, at, content, fresh),
        }
    }

    fn item(&mut self, form: Form, indent: usize, at: usize, text: &str) {
        let label = label(text).map(|(label, _)| label.to_lowercase());
        let known = label.as_deref().is_some_and(|label| LABELS.contains(&label));
        let marked = !used(text).is_empty() && leading_marker(text).is_none();
        let asks = !known && (marked || is_numbered(text) || text.trim_end_matches('*').ends_with('?'));
        let detail = self.last().is_some_and(|entry| match entry.form {
            Form::Heading | Form::Paragraph => known || !asks,
            Form::Row => false,
            _ => indent > entry.indent || known || (form != entry.form && label.is_some() && !asks),
        });
        if detail {
            self.add_detail(text);
        } else if let Some(denies) = note(text) {
            self.ignore(indent, denies);
        } else {
            self.begin(form, indent, at, text);
        }
    }

    fn row(&mut self, at: usize, content: &str) {
        let asks = content.contains('?') || is_numbered(content.trim_start_matches(['|', ' ']));
        if (asks || !asked(content).is_empty()) && note(content).is_none() {
            self.begin(Form::Row, 0, at, content);
        }
        self.open = false;
    }

    fn text(&mut self, indent: usize, at: usize, content: &str, fresh: bool) {
        let known = label(content).is_some_and(|(label, _)| LABELS.contains(&label.to_lowercase().as_str()));
        let numbered = content.starts_with("**") && is_numbered(content);
        let continues = self.last().is_some_and(|entry| !fresh || indent > entry.indent);
        let belongs = continues || (self.open && known);
        if belongs && !numbered {
            if known
                || fresh
                || self.last().is_some_and(|entry| !entry.fields.is_empty() || !entry.loose.is_empty())
            {
                self.add_detail(content);
            } else if let Some(entry) = self.entries.last_mut() {
                entry.text.push(' ');
                entry.text.push_str(content);
            }
        } else if let Some(denies) = note(content) {
            self.ignore(indent, denies);
        } else if numbered || !used(&self.prose).is_empty() {
            self.begin(Form::Paragraph, indent, at, content);
        } else if !self.last().is_some_and(|entry| matches!(entry.form, Form::Heading | Form::Paragraph)) {
            self.open = false;
        }
    }

    fn last(&self) -> Option<&Entry> {
        self.entries.last().filter(|_| self.open)
    }

    fn ignore(&mut self, indent: usize, denies: bool) {
        self.open = false;
        self.ignoring = Some(Note { indent, denies });
    }

    fn begin(&mut self, form: Form, indent: usize, at: usize, text: &str) {
        let (fields, loose) = (Vec::new(), Vec::new());
        self.entries.push(Entry { at, text: text.to_owned(), fields, loose, form, indent });
        self.open = true;
    }

    /// A line below an entry: a field, the rest of a field that is still empty, or just a line.
    fn add_detail(&mut self, text: &str) {
        let Some(entry) = self.entries.last_mut() else { return };
        match label(text) {
            Some((label, value)) => entry.fields.push((label.to_owned(), value.to_owned())),
            None => match entry.fields.last_mut().filter(|(_, value)| value.is_empty()) {
                Some((_, value)) => text.clone_into(value),
                None => entry.loose.push(text.to_owned()),
            },
        }
    }
}

/// An item of a list, without its mark.
fn item(content: &str) -> Option<(Form, &str)> {
    if let Some(text) = content.strip_prefix(['-', '*', '+']).filter(|text| text.starts_with(' ')) {
        return Some((Form::Bullet, text.trim_start()));
    }
    let digits = content.len() - content.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let text = content[digits..].strip_prefix(['.', ')']).filter(|text| text.starts_with(' '))?;
    (digits > 0).then(|| (Form::Number, text.trim_start()))
}

/// `**Label:** value`, or a known label without emphasis.
fn label(content: &str) -> Option<(&str, &str)> {
    let (label, value) = match content.strip_prefix("**") {
        Some(bold) => {
            let (label, rest) = bold.split_once("**")?;
            match label.strip_suffix(':') {
                Some(label) => (label, rest),
                None => (label, rest.trim_start().strip_prefix(':')?),
            }
        }
        None => {
            let (label, value) = content.split_once(':')?;
            (LABELS.contains(&label.trim().to_lowercase().as_str())).then_some((label, value))?
        }
    };
    (!label.contains('[')).then(|| (label.trim(), value.trim()))
}

/// `Q1: …`, `Question 2 …`, in bold or not.
fn is_numbered(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '~', ' ']);
    let rest = text.strip_prefix("Question").or_else(|| text.strip_prefix('Q'));
    rest.is_some_and(|rest| {
        rest.trim_start_matches([' ', '-', '#']).starts_with(|c: char| c.is_ascii_digit())
    })
}

/// `: None`, `:** N/A.`
fn is_none(text: &str) -> bool {
    let plain = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(plain.as_str(), "none" | "n/a" | "no" | "0" | "nothing")
}

/// Whether a line speaks about questions rather than asking one, and says that there are none.
fn note(text: &str) -> Option<bool> {
    let plain: String = text.chars().filter(|c| !matches!(c, '*' | '_')).take(40).collect();
    let plain = plain.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[').to_lowercase();
    let begins = |list: &[&str]| list.iter().any(|beginning| plain.starts_with(beginning));
    if text.contains("_markers") {
        return Some(false);
    }
    if text.contains('?') {
        return None;
    }
    if begins(&NOTES) {
        return Some(false);
    }
    let marked = markers_in(text);
    let left = asked(text);
    if left.is_empty() && (begins(&NONE) || !marked.is_empty()) {
        return Some(true);
    }
    (left.len() >= 3).then_some(false)
}
