//! A command on a terminal of its own: what it shows is read, and keys are pressed.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use rustix::termios::{OptionalActions, Winsize};

use crate::client::command;

/// A command that runs on a terminal of its own.
pub struct Terminal {
    child: Child,
    keyboard: File,
    /// All that was shown so far.
    screen: String,
}

impl Terminal {
    /// Starts a command of a data folder, in a folder, on so many rows.
    pub fn start(home: &Path, folder: &Path, rows: u16, arguments: &[&str]) -> Self {
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
        let mut command = command(home);
        command.env("TERM", "xterm").current_dir(folder).args(arguments);
        let child = command.stdin(end()).stdout(Stdio::null()).stderr(end()).spawn().unwrap();
        Terminal { child, keyboard: File::from(keyboard), screen: String::new() }
    }

    /// Waits until a text is shown that was not shown before, then presses keys.
    pub fn at(&mut self, text: &str, keys: &[&str]) -> &mut Self {
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

    pub fn ends_with(&mut self, code: i32) {
        assert_eq!(self.child.wait().unwrap().code(), Some(code), "{}", self.screen);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
