//! A document as headings with the lines below them, its head comments and its bold labels.

use super::prose::{Fence, heading_level, is_frame, one_line};

/// What blocks of code begin and end with.
const MARKS: [char; 2] = ['`', '~'];

/// A document that has been read. A frame's `PART n` line counts as a heading of the first level.
#[derive(Debug)]
pub struct Outline<'t> {
    pub sections: Vec<Section<'t>>,
}

/// A heading and the lines up to the next one.
#[derive(Debug)]
pub struct Section<'t> {
    /// 0 before the first heading.
    pub level: usize,
    pub title: &'t str,
    /// The title as it is compared.
    pub name: String,
    pub lines: Vec<&'t str>,
    heading: &'t str,
}

impl<'t> Outline<'t> {
    pub fn read(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines: Vec<&str> = text.lines().collect();
        let mut outline = Outline { sections: vec![Section::new(0, "", "")] };
        let mut fence: Option<Fence> = None;
        let mut after_frame = false;
        let closings = Closings::of(&lines);
        for (at, line) in lines.iter().enumerate() {
            if let Some(open) = fence {
                outline.push(line);
                fence = Some(open).filter(|open| !open.is_closed_by(line));
            } else if let Some(level) = heading_level(line) {
                outline.sections.push(Section::new(level, line[level..].trim(), line));
            } else if after_frame && line.trim_start().starts_with("PART ") {
                outline.sections.push(Section::new(1, line.trim(), line));
            } else if !is_frame(line) {
                outline.push(line);
                // A fence that nobody closes would swallow the rest of the document.
                fence = Fence::opened_by(line).filter(|open| closings.any_after(at, *open));
            }
            after_frame = is_frame(line);
        }
        outline
    }

    fn push(&mut self, line: &'t str) {
        if let Some(section) = self.sections.last_mut() {
            section.lines.push(line);
        }
    }

    /// The value of `<!-- Key: value -->` in the document's head.
    pub fn comment(&self, key: &str) -> Option<&'t str> {
        self.head().find_map(|line| {
            let inside = line.trim().strip_prefix("<!--")?.split("-->").next()?;
            let (name, value) = inside.split_once(':')?;
            name.trim().eq_ignore_ascii_case(key).then(|| value.trim())
        })
    }

    /// The value of `**Key:** value` in the document's head.
    pub fn label(&self, key: &str) -> Option<&'t str> {
        self.head().find_map(|line| {
            let line = line.trim();
            let line = line.strip_prefix("- ").unwrap_or(line);
            let (name, value) = line.strip_prefix("**")?.split_once("**")?;
            let (name, value) =
                (name.trim().trim_end_matches(':'), value.trim().trim_start_matches(':').trim());
            (name.eq_ignore_ascii_case(key) && !value.is_empty()).then_some(value)
        })
    }

    /// The value of a plain `Key: value` line in the document's head.
    pub fn line(&self, key: &str) -> Option<&'t str> {
        self.head().find_map(|line| {
            let (name, value) = line.trim_start_matches(['-', '*', ' ']).split_once(':')?;
            (name.trim().eq_ignore_ascii_case(key) && !value.trim().is_empty()).then(|| value.trim())
        })
    }

    /// The lines before the first heading of the second level.
    fn head(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.sections
            .iter()
            .take_while(|section| section.level < 2)
            .flat_map(|section| section.lines.iter().copied())
    }

    /// The first heading of the first level that is no part's name.
    pub fn title(&self) -> Option<&'t str> {
        self.sections
            .iter()
            .find(|section| section.level == 1 && section.heading.starts_with('#'))
            .map(|s| s.title)
    }

    /// Where a section with one of these names is.
    pub fn find(&self, names: &[&str]) -> Option<usize> {
        self.sections.iter().position(|section| section.level > 0 && names.contains(&section.name.as_str()))
    }

    /// The same, but no heading of the first level.
    pub fn find_below_title(&self, names: &[&str]) -> Option<usize> {
        self.sections.iter().position(|section| section.level > 1 && names.contains(&section.name.as_str()))
    }

    /// The lines of a section with those of the headings below it.
    pub fn body(&self, at: usize) -> Vec<&'t str> {
        let mut lines = self.sections[at].lines.clone();
        for section in self.below(at) {
            lines.push(section.heading);
            lines.extend(&section.lines);
        }
        lines
    }

    /// The sections below another.
    pub fn below(&self, at: usize) -> impl Iterator<Item = &Section<'t>> {
        let level = self.sections[at].level;
        self.sections[at + 1..].iter().take_while(move |section| section.level > level)
    }
}

impl<'t> Section<'t> {
    fn new(level: usize, title: &'t str, heading: &'t str) -> Self {
        let bare = title.trim_matches(|c: char| c == '*' || c == '#' || c == ':' || c.is_whitespace());
        let unnumbered = bare.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim_start();
        Section { level, title, name: one_line(unnumbered).to_lowercase(), lines: Vec::new(), heading }
    }
}

/// Where blocks of code could end: for each line the longest line of nothing but marks from there on, so that a document of nothing but openings costs no more than another.
struct Closings {
    longest: Vec<[usize; 2]>,
}

impl Closings {
    fn of(lines: &[&str]) -> Self {
        let mut longest: Vec<[usize; 2]> = Vec::new();
        for line in lines.iter().rev() {
            let text = line.trim_end().trim_start_matches(' ');
            let mut from_here = longest.last().copied().unwrap_or_default();
            for (mark, length) in MARKS.iter().zip(&mut from_here) {
                if text.len() >= 3 && text.chars().all(|c| c == *mark) {
                    *length = text.len().max(*length);
                }
            }
            longest.push(from_here);
        }
        longest.reverse();
        Closings { longest }
    }

    fn any_after(&self, at: usize, open: Fence) -> bool {
        let after = self.longest.get(at + 1).copied().unwrap_or_default();
        MARKS.iter().zip(after).any(|(mark, length)| open.fits(*mark, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_frames_comments_and_labels_are_found() {
        let text = "\u{feff}<!-- UID: x -->\r\n\r\n# ADR-3: Title\r\n━━━━\r\nPART 1: SNAPSHOT\r\n━━━━\r\n**Previous UID:** y\r\n## 1. Context\r\na\r\n### Deeper\r\nb\r\n```\n# code\n```\r\n━━━\nPART 2: DETAILS\n━━━\n~~~\n## Decision";
        let outline = Outline::read(text);
        assert_eq!(outline.comment("uid"), Some("x"));
        assert_eq!(outline.label("Previous UID"), Some("y"));
        assert_eq!(outline.title(), Some("ADR-3: Title"));
        let context = outline.find(&["context"]).unwrap();
        assert_eq!(outline.body(context), ["a", "### Deeper", "b", "```", "# code", "```"]);
        assert!(outline.find(&["decision"]).is_some(), "an open fence swallows nothing");
    }
}
