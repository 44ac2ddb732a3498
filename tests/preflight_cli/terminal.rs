//! Questions on a terminal: menus, ticks, a line that is typed, and how one leaves.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::{OptionalActions, Winsize};

use super::Shop;
use crate::client::command;

const UP: &str = "\u{1b}[A";
const DOWN: &str = "\u{1b}[B";
const ENTER: &str = "\r";
const LEAVE: &str = "\u{3}";

/// A command that runs on a terminal of its own.
struct Terminal {
    child: Child,
    keyboard: File,
    /// All that was shown so far.
    screen: String,
}

impl Terminal {
    fn start(shop: &Shop, rows: u16, arguments: &[&str]) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
        let keyboard = rustix::pty::openpt(flags).unwrap();
        rustix::pty::grantpt(&keyboard).unwrap();
        rustix::pty::unlockpt(&keyboard).unwrap();
        let name = rustix::pty::ptsname(&keyboard, Vec::new()).unwrap();
        let terminal: OwnedFd =
            rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let size = Winsize { ws_row: rows, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&terminal, size).unwrap();
        // Keys that come before anybody reads them are then as good as those that come after.
        let mut modes = rustix::termios::tcgetattr(&terminal).unwrap();
        modes.make_raw();
        rustix::termios::tcsetattr(&terminal, OptionalActions::Now, &modes).unwrap();
        let end = || Stdio::from(terminal.try_clone().unwrap());
        let mut command = command(shop.0.path());
        command.env("TERM", "xterm").current_dir(shop.root()).args(arguments);
        let child = command.stdin(end()).stdout(Stdio::null()).stderr(end()).spawn().unwrap();
        Terminal { child, keyboard: File::from(keyboard), screen: String::new() }
    }

    /// Waits until a text is shown that was not shown before, then presses keys.
    fn at(&mut self, text: &str, keys: &[&str]) -> &mut Self {
        let mut bytes = [0; 4096];
        while !self.screen.contains(text) {
            let read = self.keyboard.read(&mut bytes).unwrap_or(0);
            assert_ne!(read, 0, "`{text}` never came: {}", self.screen);
            self.screen.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        self.screen.clear();
        keys.iter().for_each(|key| self.keyboard.write_all(key.as_bytes()).unwrap());
        self
    }

    fn ends_with(&mut self, code: i32) {
        assert_eq!(self.child.wait().unwrap().code(), Some(code), "{}", self.screen);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn arrow_keys_choose_ctrl_c_leaves_and_the_session_goes_on() {
    let shop = Shop::new();
    let mut terminal = Terminal::start(&shop, 30, &["preflight", "Add authentication"]);
    terminal
        .at("Which authentication strategy?", &[DOWN, DOWN, UP, ENTER])
        .at("Which authentication library?", &[DOWN, LEAVE])
        .at("left before the last question", &[])
        .ends_with(5);
    let status = shop.run(&["preflight", "status"]).stdout;
    assert!(status.contains("answered  auth_strategy = Email/Password (person)"), "{status}");
    let mut terminal = Terminal::start(&shop, 30, &["preflight", "resume"]);
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
    let mut terminal = Terminal::start(&shop, 5, &["preflight", "Add OAuth login", "--force-adr"]);
    terminal
        .at("> NextAuth.js  (recommended", &[DOWN])
        .at("> Auth0", &[ENTER])
        .at("Which OAuth providers?", &[" ", DOWN, " ", ENTER])
        .at("Google, GitHub", &[])
        .ends_with(0);
    let task = shop.read("docs/CURRENT_TASK.md");
    assert!(task.contains("Google, GitHub"), "{task}");
}
