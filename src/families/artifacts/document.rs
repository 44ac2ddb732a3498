//! A Markdown document as the workflow sees it: title, Metadata block, sections, lists, tables,
//! and what is code or a link.
//!
//! One pass of the parser; everything else is looked up in what it found. Positions are byte
//! offsets into the text as it was given, so that a rewrite changes nothing else.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A document that has been read.
#[derive(Debug)]
pub struct Document<'t> {
    pub text: &'t str,
    pub headings: Vec<Heading>,
    /// The rows of the Metadata block, and only of it: later sections repeat the labels.
    pub metadata: Vec<Row>,
    /// In the order of the text, an item before the items within it.
    pub items: Vec<Item>,
    /// Where the rows of tables begin, without their heads.
    pub table_rows: Vec<usize>,
    /// Links, images and the definitions they refer to, in the order of the text.
    links: Vec<Range<usize>>,
    /// Fenced and indented code, and code in a line, in the order of the text.
    code: Vec<Range<usize>>,
    line_starts: Vec<usize>,
}

/// A heading with the text below it, up to the next one of its level or above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    pub level: u8,
    pub text: String,
    /// As it is compared: without numbers before it and a parenthesis after it, in small letters.
    pub name: String,
    pub start: usize,
    pub body: Range<usize>,
}

/// An entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    pub start: usize,
    pub end: usize,
    /// How many lists it lies within; 0 for an item of an outermost list.
    pub depth: usize,
    pub ordered: bool,
}

/// `- **Label:** value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub label: String,
    pub value: String,
    /// Where the value stands, for a rewrite.
    pub at: Range<usize>,
}

impl<'t> Document<'t> {
    pub fn read(text: &'t str) -> Self {
        let mut document = Document {
            text,
            headings: Vec::new(),
            metadata: Vec::new(),
            items: Vec::new(),
            table_rows: Vec::new(),
            links: Vec::new(),
            code: Vec::new(),
            line_starts: std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect(),
        };
        document.parse();
        document.close_headings();
        document.metadata = document.read_metadata();
        document
    }

    fn parse(&mut self) {
        // A byte order mark is no part of the first heading.
        let skipped = if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut open: Option<(u8, usize, String)> = None;
        let mut lists: Vec<bool> = Vec::new();
        let events = Parser::new_ext(&self.text[skipped..], Options::ENABLE_TABLES).into_offset_iter();
        self.links.extend(
            events.reference_definitions().iter().map(|(_, definition)| shifted(&definition.span, skipped)),
        );
        for (event, range) in events {
            let range = shifted(&range, skipped);
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    open = Some((number_of(level), range.start, String::new()));
                }
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((level, start, text)) = open.take() {
                        let text = text.trim().to_owned();
                        let name = normalised(&text);
                        self.headings.push(Heading { level, text, name, start, body: range.end..range.end });
                    }
                }
                Event::Text(text) => {
                    if let Some((_, _, so_far)) = &mut open {
                        so_far.push_str(&text);
                    }
                }
                Event::Code(text) => {
                    if let Some((_, _, so_far)) = &mut open {
                        so_far.push_str(&text);
                    }
                    self.code.push(range);
                }
                Event::Start(Tag::CodeBlock(_)) => self.code.push(range),
                // What is commented out means nothing either.
                Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_)
                    if self.text[range.clone()].starts_with("<!--") =>
                {
                    self.code.push(range);
                }
                Event::Start(Tag::Link { .. } | Tag::Image { .. }) => self.links.push(range),
                Event::Start(Tag::List(first)) => lists.push(first.is_some()),
                Event::End(TagEnd::List(_)) => {
                    lists.pop();
                }
                Event::Start(Tag::Item) => self.items.push(Item {
                    start: range.start,
                    end: range.end,
                    depth: lists.len().saturating_sub(1),
                    ordered: lists.last().copied().unwrap_or_default(),
                }),
                Event::Start(Tag::TableRow) => self.table_rows.push(range.start),
                _ => {}
            }
        }
        self.links.sort_unstable_by_key(|range| range.start);
    }

    fn close_headings(&mut self) {
        for index in 0..self.headings.len() {
            let level = self.headings[index].level;
            let next = self.headings[index + 1..].iter().find(|heading| heading.level <= level);
            let end = next.map_or(self.text.len(), |heading| heading.start);
            self.headings[index].body.end = end;
        }
    }

    fn read_metadata(&self) -> Vec<Row> {
        let block = self.headings.iter().position(|heading| {
            matches!(heading.name.as_str(), "metadata" | "document metadata") && heading.level <= 3
        });
        let Some(index) = block else { return Vec::new() };
        let body = self.headings[index].body.clone();
        // A deeper heading ends the rows, too.
        let end = self.headings.get(index + 1).map_or(body.end, |next| next.start.min(body.end));
        let mut rows = Vec::new();
        let mut at = body.start;
        for line in self.text[body.start..end].split_inclusive('\n') {
            let begins = at + line.len() - line.trim_start().len();
            rows.extend(row(line, at).filter(|_| !self.is_code(begins)));
            at += line.len();
        }
        rows
    }

    /// The first heading of the first level.
    pub fn title(&self) -> Option<&Heading> {
        self.headings.iter().find(|heading| heading.level == 1)
    }

    /// The first section of a name, which is given as it is compared.
    pub fn section(&self, name: &str) -> Option<&Heading> {
        self.headings.iter().find(|heading| heading.level >= 2 && heading.name == name)
    }

    pub fn body(&self, heading: &Heading) -> &'t str {
        &self.text[heading.body.clone()]
    }

    /// The value of the first row with a label.
    pub fn row(&self, label: &str) -> Option<&Row> {
        self.metadata.iter().find(|row| row.label == label)
    }

    /// Whether a position lies in code, where nothing means what it says.
    pub fn is_code(&self, at: usize) -> bool {
        let next = self.code.partition_point(|range| range.start <= at);
        next > 0 && self.code[next - 1].contains(&at)
    }

    /// Whether a position lies in a link, an image or a definition of one.
    pub fn is_link(&self, at: usize) -> bool {
        // Links hold no links, but may hold images, so the range before may have ended already.
        let next = self.links.partition_point(|range| range.start <= at);
        self.links[..next].iter().rev().take(2).any(|range| range.contains(&at))
    }

    /// The headings within a range, which is a section's body or the whole text.
    pub fn headings_in(&self, range: &Range<usize>) -> &[Heading] {
        let first = self.headings.partition_point(|heading| heading.start < range.start);
        let last = self.headings.partition_point(|heading| heading.start < range.end);
        &self.headings[first..last.max(first)]
    }

    /// Where the line of a position begins.
    pub fn line_start(&self, at: usize) -> usize {
        self.line_starts[self.line(at).saturating_sub(1)]
    }

    /// The line of a position, counted from one.
    pub fn line(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at)
    }
}

/// Reads a row: bold label, colon inside or after the bold, value to the end of the line.
fn row(line: &str, at: usize) -> Option<Row> {
    let rest = line.trim_start().trim_start_matches(['-', '+']).trim_start();
    let bold = rest.strip_prefix("* ").map_or(rest, str::trim_start).strip_prefix("**")?;
    let (label, rest) = bold.split_once("**")?;
    let (label, rest) = match label.strip_suffix(':') {
        Some(label) => (label, rest),
        None => (label, rest.trim_start().strip_prefix(':')?),
    };
    let value = rest.trim();
    // An empty value stands behind its label, not on the next line.
    let indent = if value.is_empty() { 0 } else { rest.len() - rest.trim_start().len() };
    let start = at + line.len() - rest.len() + indent;
    Some(Row { label: label.trim().to_owned(), value: value.to_owned(), at: start..start + value.len() })
}

/// A heading as it is compared: `§3. Scope (draft)` and `Scope` are the same.
pub fn normalised(heading: &str) -> String {
    let mut text = heading.trim().trim_start_matches('§').trim_start();
    let numbered = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if numbered.len() < text.len() && numbered.starts_with(char::is_whitespace) {
        text = numbered.trim_start();
    }
    if text.ends_with(')')
        && let Some(open) = text.rfind('(')
        && open > 0
    {
        text = text[..open].trim_end();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn shifted(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn number_of(level: HeadingLevel) -> u8 {
    level as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(String, String)> {
        Document::read(text).metadata.into_iter().map(|row| (row.label, row.value)).collect()
    }

    fn pair(label: &str, value: &str) -> (String, String) {
        (label.to_owned(), value.to_owned())
    }

    #[test]
    fn headings_are_compared_without_their_dress() {
        for (given, expected) in [
            ("§3. Scope & Boundaries (draft)", "scope & boundaries"),
            ("2.1 Goals", "goals"),
            ("10. Risks", "risks"),
            ("3D Printing", "3d printing"),
            ("Decisions Made (v2)", "decisions made"),
            ("(optional)", "(optional)"),
            ("  Open   Questions ", "open questions"),
        ] {
            assert_eq!(normalised(given), expected, "{given}");
        }
    }

    #[test]
    fn only_the_metadata_block_counts() {
        let text = "> notice\n\n# PRD: T\n\n## Metadata\n- **PRD ID:** PRD-006\n- **Status**: Draft (v2)\n**Owner:** Ann\n\
            - **Empty:**\n- not a row\n---\n## Parent Artifact Context\n- **Parent PRD:** [PRD-001]\n";
        assert_eq!(
            rows(text),
            [
                pair("PRD ID", "PRD-006"),
                pair("Status", "Draft (v2)"),
                pair("Owner", "Ann"),
                pair("Empty", "")
            ]
        );
        assert!(rows("# T\n```\n## Metadata\n- **ID:** X\n```\n").is_empty(), "code is no block");
        assert!(rows("# T\n").is_empty());
    }

    #[test]
    fn every_kind_of_line_end_and_a_byte_order_mark_are_survived() {
        for text in [
            "\u{feff}# T\r\n\r\n## Metadata\r\n- **Status:** Draft\r\n",
            "# T\n## Metadata\n* **Status:** Draft",
            "# T\n## Document Metadata\n+ **Status:**   Draft  \n",
        ] {
            let document = Document::read(text);
            assert_eq!(document.title().unwrap().text, "T", "{text:?}");
            let row = document.row("Status").unwrap();
            assert_eq!((row.value.as_str(), &text[row.at.clone()]), ("Draft", "Draft"), "{text:?}");
        }
    }

    #[test]
    fn sections_end_at_the_next_heading_of_their_level() {
        let text = "# T\n## A\none\n### A1\ntwo\n## B\nthree";
        let document = Document::read(text);
        assert_eq!(document.body(document.section("a").unwrap()), "one\n### A1\ntwo\n");
        assert_eq!(document.body(document.section("b").unwrap()), "three");
        assert_eq!(document.line(text.find("two").unwrap()), 5);
    }

    #[test]
    fn lists_tables_and_links_are_gathered_on_the_way() {
        let text = "1. one\n   - deep\n2. two\n\n* dot\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n\
            [x](y) [shown] [![i](p)](q) [open]\n\n[shown]: https://example.com\n";
        let document = Document::read(text);
        let items: Vec<_> = document.items.iter().map(|item| (item.depth, item.ordered)).collect();
        assert_eq!(items, [(0, true), (1, false), (0, true), (0, false)]);
        assert_eq!(document.table_rows, [text.find("| 1").unwrap(), text.find("| 3").unwrap()]);
        for (what, expected) in
            [("[x]", true), ("[shown]", true), ("[i]", true), ("[open]", false), ("[shown]:", true)]
        {
            assert_eq!(document.is_link(text.find(what).unwrap()), expected, "{what}");
        }
    }

    #[test]
    fn code_is_known_in_blocks_and_in_lines() {
        let text = "## `HLS-DDD`\n\na `HLS-AAA` b\n\n```\nHLS-BBB\n```\n\nHLS-CCC\n";
        let document = Document::read(text);
        let is_code = |what: &str| document.is_code(text.find(what).unwrap());
        assert_eq!((is_code("HLS-AAA"), is_code("HLS-BBB"), is_code("HLS-CCC")), (true, true, false));
        assert!(is_code("HLS-DDD"), "also in a heading");
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "(\\PC|\n|\r\n|# |## Metadata\n|- \\*\\*|```|\\[|\\]|\\||\u{feff}){0,200}") {
            let document = Document::read(&text);
            for heading in &document.headings {
                document.body(heading);
            }
            for row in &document.metadata {
                assert_eq!(text[row.at.clone()], row.value);
            }
            for item in &document.items {
                assert!(text.get(item.start..item.end).is_some());
            }
        }
    }
}
