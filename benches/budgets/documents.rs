//! Documents as agents write them: a Metadata block, headings, prose, lists, tables, links and code,
//! filled up to a size with more of the same.

use std::fmt::Write;

/// What every PRD of the benchmark was made from, and what it was informed by.
pub const EPIC: &str = "EPIC-001";
pub const RESEARCH: [(&str, &str); 2] =
    [("Business", "Shop_business_research"), ("Implementation", "Shop_implementation_research")];

/// The epic that is approved before everything else.
pub fn epic() -> String {
    let mut text = format!(
        "# Epic: A shop on the web\n\n## Metadata\n- **Epic ID:** {EPIC}\n- **Status:** Draft\n\n## Epic Statement\n\n"
    );
    paragraphs(&mut text, 2_000);
    text
}

/// Finished research, which generators take along.
pub fn research(what: &str) -> String {
    let mut text = format!(
        "# Shop {what} Research\n\n## Document Metadata\n- **Author:** Ann\n- **Version:** 1.0\n- **Status:** Final\n\n## 1. Summary\n\n"
    );
    paragraphs(&mut text, 2_000);
    text
}

/// A story of about so many bytes.
pub fn story(id: &str, bytes: usize) -> String {
    let mut text = format!(
        "# User Story: Pay by card\n\n## Metadata\n- **Story ID:** {id}\n- **Title:** Customers pay by card\n\
         - **Status:** Backlog\n- **Parent High-Level Story:** HLS-001\n- **Parent PRD:** PRD-001\n\n---\n\n\
         ## User Story\n\nAs a customer, I want to pay by card, so that the parcel leaves today.\n\n## Requirements\n\n"
    );
    requirements(&mut text, bytes);
    text
}

/// A PRD of about so many bytes that its checklist has nothing to say against, in its second version.
/// Its stories are placeholders.
pub fn prd(id: &str, stories: usize, bytes: usize) -> String {
    let [(_, business), (_, implementation)] = RESEARCH;
    let mut text = format!(
        "# PRD: Checkout\n\n## Metadata\n- **PRD ID:** {id}\n- **Title:** Checkout for the shop\n- **Status:** Draft\n\
         - **Version:** 2.0\n- **Parent Epic:** {EPIC}\n\
         - **Informed By Business Research:** artifacts/research/{business}.md\n\
         - **Informed By Implementation Research:** artifacts/research/{implementation}.md\n\n---\n\n\
         ## Parent Artifact Context\n\n{EPIC} asks for a checkout that nobody leaves halfway.\n\n## Executive Summary\n\n"
    );
    paragraphs(&mut text, 800);
    text.push_str(GOALS);
    text.push_str("\n## High-Level User Stories\n\n");
    for part in 0..stories {
        high_level_story(&mut text, part, stories > 8);
    }
    text.push_str("## Requirements\n\n- **NFR-01:** 95 % of payments are answered within 800 ms.\n\n");
    requirements(&mut text, bytes.saturating_sub(REST.len()));
    text.push_str(REST);
    text
}

/// `HLS-AAA`, `HLS-BBB` …; where the alphabet does not suffice, `HLS-XYA`.
pub fn placeholder(part: usize) -> String {
    let letter = |index: usize| char::from(b'A' + u8::try_from(index % 26).unwrap_or_default());
    match part {
        // The last letters tripled are wildcards.
        few if few < 23 => format!("HLS-{0}{0}{0}", letter(few)),
        many => format!("HLS-{}{}A", letter(many / 26), letter(many)),
    }
}

fn high_level_story(text: &mut String, part: usize, brief: bool) {
    let id = placeholder(part);
    let _ = writeln!(text, "### {id}: Pay in way number {}\n", part + 1);
    text.push_str("**As a** customer, **I want** to pay my way, **so that** the parcel leaves today.\n");
    if part > 0 {
        let _ = writeln!(text, "It comes after {}.", placeholder(part - 1));
    }
    if !brief {
        text.push_str(
            "\n**Acceptance Criteria:**\n\n- Given a full cart, when I pay, then I see the order's number.\n\
             - Given a declined card, when I pay, then I may choose another one.\n\n**Backlog Stories:**\n\n\
             1. The form, which knows all cards (5 SP)\n2. The call of the bank (8 SP)\n3. The receipt by mail (3 SP)\n",
        );
    }
    text.push('\n');
}

/// Functional requirements until the text is long enough.
fn requirements(text: &mut String, bytes: usize) {
    for number in 1.. {
        if text.len() >= bytes {
            break;
        }
        let _ = write!(
            text,
            "### Requirement {number}\n\n- **FR-{number:02}:** The checkout keeps the cart of a customer who comes back within {days} days, \
             as `cart.keep({days})` says, and tells the shop about it [FR-{number:02}].\n  - It is *not* kept on a shared machine.\n  \
             - See [the interface](https://example.com/api/{number}) and {EPIC}.\n\n\
             Whoever leaves halfway gets one mail after a day and **none** after that; the text is the shop's own, \
             and the link in it leads to the very step that was left. Prices are those of the day of the order.\n\n\
             | field | type | remark |\n|---|---|---|\n| `total` | number | in cents, never negative |\n\
             | `currency` | text | three letters, as of ISO 4217 |\n| `paid_at` | instant | absent until it is paid |\n\n",
            days = number % 28 + 2
        );
        if number % 4 == 0 {
            let _ = write!(
                text,
                "```json\n{{ \"order\": {number}, \"items\": [1, 2, 3], \"paid\": false }}\n```\n\n"
            );
        }
    }
}

fn paragraphs(text: &mut String, bytes: usize) {
    let end = text.len() + bytes;
    while text.len() < end {
        text.push_str(
            "Many people fill a cart and few of them pay: *the form is long*, and the cost of the parcel comes last. \
             A shorter form, with the total on every step, was tried in March and **kept**.\n\n",
        );
    }
}

const GOALS: &str = "
## Goals & Success Metrics

| metric | baseline | target |
|---|---|---|
| carts that are paid | 31 % | 45 % |
| time to pay | 190 s | 60 s |
";

const REST: &str = "
## User Experience

One page, three steps, the total always in view. Constraints: it works without a mouse.

## Technical Considerations

Dependencies: the bank's interface, version 3, and the stock's.

## Risks & Mitigations

| risk | likelihood | impact | mitigation |
|---|---|---|---|
| the bank is slow | medium | high | a time limit of 5 s and one more attempt |

## Timeline & Milestones

1. The form in March
2. The bank in April

## Decisions Made

1. **One page or three?**
   - **Decision:** One page
   - **Rationale:** It was quicker in the trial of March.
   - **Decided By:** Ann

## Open Questions

1. **Which card fees are passed on?** [REQUIRES EXECUTIVE DECISION]
   - **Decision Needed:** All fees, or none
   - **Options Considered:** All of them; none
   - **Business Impact:** 0.4 % of the turnover
   - **Decision Deadline:** 2026-12-01

## Related Documents

- The epic this was made from
";
