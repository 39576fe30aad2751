//! The process that watches over foreign code.

use super::message::Message;
use super::{pipe, signals};
use crate::failure::FAILED;
use crate::foreign::ForeignCode;
use crate::output::printable;
use std::io::{self, BufRead, BufReader, PipeReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time between looks at the child. A look that comes late (the machine slept, a signal stopped
/// both processes) counts as one.
const TICK: Duration = Duration::from_millis(50);

/// Shortest silence that means something: signs of life come every tenth of a second, but a busy
/// machine may hold them back.
const SILENCE: Duration = Duration::from_secs(5);

/// How long a child that has ended may take to have its last messages read, and one that was told
/// to end at once may take to do so.
const GRACE: Duration = Duration::from_secs(2);

/// What is known of a child.
#[derive(Debug, Default)]
struct State {
    /// The last call that was announced.
    last_call: Option<String>,
    /// The call that does not return, and for how long it has been seen.
    inside: Option<(u64, String, Duration)>,
    /// Time without a sign of life.
    silent: Duration,
    /// Where rows are kept.
    rows: Option<PathBuf>,
    /// The exit status announced, and for how long the process has been about to end.
    finished: Option<(u8, Duration)>,
}

impl State {
    fn take(&mut self, message: Message) {
        self.silent = Duration::ZERO;
        match message {
            Message::Call(call) => self.last_call = Some(call),
            Message::Inside(number, call) => match &mut self.inside {
                Some((known, ..)) if *known == number => {}
                inside => *inside = Some((number, call, Duration::ZERO)),
            },
            Message::Outside => self.inside = None,
            Message::Rows(path) => self.rows = Some(path),
            Message::Finished(status) => self.finished = Some((status, Duration::ZERO)),
        }
    }

    /// Time goes by.
    fn pass(&mut self, time: Duration) {
        self.silent += time;
        if let Some((.., inside)) = &mut self.inside {
            *inside += time;
        }
        if let Some((_, ending)) = &mut self.finished {
            *ending += time;
        }
    }

    /// What has taken longer than `limit`, if anything has.
    fn overdue(&self, limit: Duration) -> Option<String> {
        if let Some((_, call, inside)) = &self.inside
            && *inside > limit
        {
            return Some(format!("it has not returned from {call}"));
        }
        if self.finished.is_some_and(|(_, ending)| ending > limit) {
            return Some("its process does not end after its work is done".to_owned());
        }
        (self.silent > limit.max(SILENCE))
            .then(|| format!("its process is silent{}", self.after_last_call()))
    }

    fn after_last_call(&self) -> String {
        match &self.last_call {
            Some(call) => format!(" since {call}"),
            None => " from the beginning".to_owned(),
        }
    }

    /// Where the process was when it ended.
    fn place(&self) -> String {
        match &self.last_call {
            Some(call) => format!("during or after {call}"),
            None => "before the FMU was loaded".to_owned(),
        }
    }

    /// Where to look for what there is.
    fn kept(&self) -> String {
        let rows = self.rows.as_ref().filter(|path| path.exists());
        match rows {
            Some(path) => format!("; the rows until then are in {}", path.display()),
            None => String::new(),
        }
    }
}

/// Runs this program once more and watches over it; its exit status, or 1 if it does not end as it
/// should.
pub fn watch(foreign: &ForeignCode) -> io::Result<ExitCode> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1));
    signals::separate(&mut command);
    let (child, reader) = pipe::spawn(&mut command)?;
    let signals = signals::Forwarder::new(&child);
    let mut watched = Watched {
        child,
        messages: messages(reader),
        open: true,
        state: State::default(),
        file: foreign.file.display().to_string(),
    };
    let Some(status) = watched.until_end(foreign.limit, &signals)? else {
        return Ok(ExitCode::from(FAILED));
    };
    Ok(watched.verdict(status, &signals))
}

/// Messages as they come in; the sender goes when the pipe ends.
fn messages(reader: PipeReader) -> Receiver<Message> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(reader).lines() {
            let Ok(line) = line else { break };
            if let Some(message) = Message::parse(&line)
                && sender.send(message).is_err()
            {
                break;
            }
        }
    });
    receiver
}

struct Watched {
    child: Child,
    messages: Receiver<Message>,
    /// False once the pipe has ended.
    open: bool,
    state: State,
    file: String,
}

impl Watched {
    /// Takes the messages that come within `time`, at least one if there is any.
    fn listen(&mut self, time: Duration) {
        if !self.open {
            std::thread::sleep(time.min(Duration::from_millis(2)));
            return;
        }
        match self.messages.recv_timeout(time) {
            Ok(message) => self.state.take(message),
            Err(RecvTimeoutError::Timeout) => return,
            Err(RecvTimeoutError::Disconnected) => self.open = false,
        }
        while let Ok(message) = self.messages.try_recv() {
            self.state.take(message);
        }
    }

    /// How the child ended; none if it had to be ended, which has been said then.
    fn until_end(
        &mut self,
        limit: Duration,
        signals: &signals::Forwarder,
    ) -> io::Result<Option<ExitStatus>> {
        let mut last = Instant::now();
        let mut impatient = Duration::ZERO;
        loop {
            self.listen(TICK);
            if let Some(status) = self.child.try_wait()? {
                self.read_rest();
                return Ok(Some(status));
            }
            let passed = last.elapsed().min(2 * TICK);
            last = Instant::now();
            self.state.pass(passed);
            if let Some(problem) = self.state.overdue(limit) {
                signals::kill(&mut self.child);
                self.child.wait()?;
                self.read_rest();
                let limit = limit.as_secs_f64();
                self.report(&format!(
                    "{problem} within {limit} s and was ended (--timeout allows more)"
                ));
                return Ok(None);
            }
            // Two signals end a run at once, even if foreign code does not let it end.
            if signals.count() > 1 {
                impatient += passed;
                if impatient > GRACE {
                    signals::kill(&mut self.child);
                }
            }
        }
    }

    /// Takes what was said before the end. Processes that the FMU has started may keep the pipe
    /// open.
    fn read_rest(&mut self) {
        let end = Instant::now() + GRACE;
        while self.open && self.state.finished.is_none() && Instant::now() < end {
            self.listen(TICK);
        }
    }

    /// What the end of the child means.
    fn verdict(&self, status: ExitStatus, signals: &signals::Forwarder) -> ExitCode {
        let announced = self.state.finished.map(|(status, _)| status);
        if let Some(code) = announced
            && status.code() == Some(code.into())
        {
            return ExitCode::from(code);
        }
        if let Some(code) = signals.explain(status) {
            softdock_fmi::import::remove_abandoned();
            return ExitCode::from(code);
        }
        let place = match announced {
            Some(_) => "after its work was done".to_owned(),
            None => self.state.place(),
        };
        match (signals::name(status), status.code()) {
            (Some(signal), _) => self.report(&format!("its process died of {signal} {place}")),
            (None, Some(code)) => self.report(&format!(
                "it ended its process with exit status {code} {place}, instead of returning"
            )),
            (None, None) => self.report(&format!("its process ended {place}")),
        }
        ExitCode::from(FAILED)
    }

    /// Says what happened, and cleans up behind a process that could not.
    fn report(&self, what: &str) {
        let message = format!("the FMU {} failed: {what}{}", self.file, self.state.kept());
        eprintln!("softdock: {}", printable(&message));
        softdock_fmi::import::remove_abandoned();
    }
}
