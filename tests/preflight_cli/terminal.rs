//! Questions on a terminal: menus, ticks, a line that is typed, and how one leaves.

use super::Shop;
use crate::terminal::Terminal;

const UP: &str = "\u{1b}[A";
const DOWN: &str = "\u{1b}[B";
const ENTER: &str = "\r";
const LEAVE: &str = "\u{3}";

#[test]
fn arrow_keys_choose_ctrl_c_leaves_and_the_session_goes_on() {
    let shop = Shop::new();
    let mut terminal = Terminal::start(shop.0.path(), &shop.root(), 30, &["preflight", "Add authentication"]);
    terminal
        .at("Which authentication strategy?", &[DOWN, DOWN, UP, ENTER])
        .at("Which authentication library?", &[DOWN, LEAVE])
        .at("left before the last question", &[])
        .ends_with(5);
    let status = shop.run(&["preflight", "status"]).stdout;
    assert!(status.contains("answered  auth_strategy = Email/Password (person)"), "{status}");
    let mut terminal = Terminal::start(shop.0.path(), &shop.root(), 30, &["preflight", "resume"]);
    terminal
        .at("Which authentication library?", &[UP, ENTER])
        .at("Please specify the authentication library:", &[ENTER, "Our own x\u{7f}v2, größer", ENTER])
        .at("reason: ", &[])
        .ends_with(0);
    let adr = &shop.adrs()[0];
    assert!(adr.contains("Authentication.Library = Our own v2, größer (person)"), "{adr}");
}

/// Of a menu that is higher than the terminal, the part around the pointer is shown.
#[test]
fn several_are_ticked_also_where_there_is_little_room() {
    let shop = Shop::new();
    let mut terminal =
        Terminal::start(shop.0.path(), &shop.root(), 5, &["preflight", "Add OAuth login", "--force-adr"]);
    terminal
        .at("> NextAuth.js  (recommended", &[DOWN])
        .at("> Auth0", &[ENTER])
        .at("Which OAuth providers?", &[" ", DOWN, " ", ENTER])
        .at("Google, GitHub", &[])
        .ends_with(0);
    let task = shop.read("docs/CURRENT_TASK.md");
    assert!(task.contains("Google, GitHub"), "{task}");
}
