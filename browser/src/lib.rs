//! Drives a headless Chromium through WebDriver, for tests that look at reports as a person does.
//!
//! [`launch_or_skip`] starts `chromedriver` and through it a browser with an empty profile; both
//! end when the [`Browser`] is dropped. Where there is no browser a test is skipped with a message
//! that says how to get one; with `CI=true` in the environment that is a failure instead.

mod base64;
mod http;

use serde_json::{Value, json};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How to get what is needed.
pub const HOW_TO_GET: &str = "on Debian or Ubuntu: apt-get install chromium chromium-driver";

/// Names under which Chromium is found.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// What keeps a browser quiet, offline and small.
const FLAGS: [&str; 12] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
];

/// Trouble with the browser.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// A program is not installed.
    #[error("{program} is not on the PATH; {HOW_TO_GET}")]
    Missing {
        /// The program.
        program: &'static str,
    },
    /// The driver ended before it listened.
    #[error("chromedriver did not start: it said {said:?}")]
    NotStarted {
        /// What it printed.
        said: String,
    },
    /// The driver refused a command.
    #[error("{command}: {message}")]
    Refused {
        /// The command.
        command: String,
        /// Its message.
        message: String,
    },
    /// The driver's answer makes no sense.
    #[error("{command}: cannot read the answer: {answer}")]
    Garbled {
        /// The command.
        command: String,
        /// The answer.
        answer: String,
    },
    /// Something did not come about in time.
    #[error("not so after {seconds} s: {condition}")]
    TimedOut {
        /// The script that should have become true.
        condition: String,
        /// How long it was awaited [s].
        seconds: f64,
    },
    /// Input or output failed.
    #[error("{what}: {cause}")]
    Io {
        /// What was being done.
        what: String,
        /// Why it failed.
        cause: io::Error,
    },
}

fn failed(what: impl Into<String>) -> impl FnOnce(io::Error) -> BrowserError {
    let what = what.into();
    move |cause| BrowserError::Io { what, cause }
}

/// A running browser with one page.
#[derive(Debug)]
pub struct Browser {
    driver: Child,
    /// Kept open: a driver that cannot print dies.
    _output: BufReader<ChildStdout>,
    port: u16,
    session: String,
    profile: PathBuf,
}

/// A browser, or nothing if there is none here, which is then said on standard error, past the
/// capture of the test harness.
///
/// # Panics
///
/// If there is no browser and `CI` is `true`, or if there is one and it does not start.
pub fn launch_or_skip(test: &str) -> Option<Browser> {
    match Browser::launch() {
        Ok(browser) => Some(browser),
        Err(missing @ BrowserError::Missing { .. }) => {
            let required = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!required, "{test}: {missing}");
            let _ = writeln!(io::stderr(), "SKIPPED {test}: {missing}");
            None
        }
        Err(error) => panic!("{test}: {error}"),
    }
}

/// The program of this name on the PATH.
fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

impl Browser {
    /// Starts the driver and a browser.
    pub fn launch() -> Result<Self, BrowserError> {
        let missing = |program| BrowserError::Missing { program };
        let driver = find("chromedriver").ok_or(missing("chromedriver"))?;
        let browser = BROWSERS.iter().find_map(|name| find(name));
        let browser = browser.ok_or(missing("chromium"))?;
        let profile = new_profile()?;
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed("starting chromedriver"))?;
        let mut output = BufReader::new(driver.stdout.take().ok_or(missing("chromedriver"))?);
        let port = match port_of(&mut output) {
            Ok(port) => port,
            Err(error) => {
                stop(&mut driver);
                return Err(error);
            }
        };
        let mut browser_arguments: Vec<String> = FLAGS.iter().map(|&flag| flag.into()).collect();
        browser_arguments.push(format!("--user-data-dir={}", profile.display()));
        let mut started = Self {
            driver,
            _output: output,
            port,
            session: String::new(),
            profile,
        };
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": { "binary": browser, "args": browser_arguments },
        }}});
        let answer = started.ask("POST", "/session", Some(&capabilities))?;
        let session = answer["sessionId"].as_str().unwrap_or_default();
        started.session = session.to_owned();
        Ok(started)
    }

    /// Opens a file.
    pub fn open(&self, path: &Path) -> Result<(), BrowserError> {
        let path = path
            .canonicalize()
            .map_err(failed(path.to_string_lossy()))?;
        let url = format!("file://{}", path.display());
        self.command("/url", &json!({ "url": url })).map(|_| ())
    }

    /// Sets the size of the page [CSS px]; a phone has a touch screen and fine pixels.
    pub fn set_viewport(&self, width: u32, height: u32, phone: bool) -> Result<(), BrowserError> {
        let scale = if phone { 2 } else { 1 };
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": phone }),
        )
    }

    /// Pretends media features, such as `("prefers-color-scheme", "dark")`, and a medium, such as
    /// "print" or "screen".
    pub fn set_media(&self, medium: &str, features: &[(&str, &str)]) -> Result<(), BrowserError> {
        let features: Vec<Value> = features
            .iter()
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect();
        self.devtools(
            "Emulation.setEmulatedMedia",
            &json!({ "media": medium, "features": features }),
        )
    }

    fn devtools(&self, command: &str, parameters: &Value) -> Result<(), BrowserError> {
        let body = json!({ "cmd": command, "params": parameters });
        self.command("/goog/cdp/execute", &body).map(|_| ())
    }

    /// Runs the body of a function in the page and returns its result.
    pub fn run(&self, script: &str) -> Result<Value, BrowserError> {
        self.command("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Waits until an expression is true in the page.
    pub fn wait_until(&self, condition: &str, patience: Duration) -> Result<(), BrowserError> {
        let start = Instant::now();
        let script = format!("return !!({condition});");
        while self.run(&script)? != Value::Bool(true) {
            if start.elapsed() > patience {
                return Err(BrowserError::TimedOut {
                    condition: condition.to_owned(),
                    seconds: patience.as_secs_f64(),
                });
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Clicks the first element that a CSS selector names, as a mouse does: what is covered by
    /// something else is an error.
    pub fn click(&self, selector: &str) -> Result<(), BrowserError> {
        let element = self.element(selector)?;
        let path = format!("/element/{element}/click");
        self.command(&path, &json!({})).map(|_| ())
    }

    /// Types into the first element that a CSS selector names.
    pub fn type_keys(&self, selector: &str, keys: &str) -> Result<(), BrowserError> {
        let element = self.element(selector)?;
        let path = format!("/element/{element}/value");
        self.command(&path, &json!({ "text": keys })).map(|_| ())
    }

    /// Drags from the middle of an element by (dx, dy) [CSS px] with the mouse.
    pub fn drag(&self, selector: &str, dx: i32, dy: i32) -> Result<(), BrowserError> {
        let element = json!({ ELEMENT: self.element(selector)? });
        let body = json!({ "actions": [{
            "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" },
            "actions": [
                { "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element },
                { "type": "pointerDown", "button": 0 },
                { "type": "pointerMove", "duration": 100, "x": dx, "y": dy, "origin": "pointer" },
                { "type": "pointerUp", "button": 0 },
            ],
        }]});
        self.command("/actions", &body).map(|_| ())
    }

    fn element(&self, selector: &str) -> Result<String, BrowserError> {
        let body = json!({ "using": "css selector", "value": selector });
        let answer = self.command("/element", &body)?;
        let id = answer[ELEMENT].as_str();
        id.map(str::to_owned).ok_or_else(|| BrowserError::Garbled {
            command: format!("/element {selector}"),
            answer: answer.to_string(),
        })
    }

    /// What the page wrote to its console since this was last asked: level and message.
    pub fn console(&self) -> Result<Vec<(String, String)>, BrowserError> {
        let entries = self.command("/se/log", &json!({ "type": "browser" }))?;
        let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        Ok(entries
            .as_array()
            .into_iter()
            .flatten()
            .map(|entry| (text(entry, "level"), text(entry, "message")))
            .collect())
    }

    /// What is seen, as a PNG file.
    pub fn screenshot(&self) -> Result<Vec<u8>, BrowserError> {
        let path = format!("/session/{}/screenshot", self.session);
        let answer = self.ask("GET", &path, None)?;
        let decoded = answer.as_str().and_then(base64::decode);
        decoded.ok_or_else(|| BrowserError::Garbled {
            command: "screenshot".to_owned(),
            answer: "not base64".to_owned(),
        })
    }

    fn command(&self, path: &str, body: &Value) -> Result<Value, BrowserError> {
        self.ask(
            "POST",
            &format!("/session/{}{path}", self.session),
            Some(body),
        )
    }

    /// Sends a command and returns the `value` of the answer.
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, BrowserError> {
        let command = format!("{method} {path}");
        let text = body.map(Value::to_string).unwrap_or_default();
        let answer = http::request(self.port, method, path, &text).map_err(failed(&command))?;
        let Ok(mut parsed) = serde_json::from_str::<Value>(&answer) else {
            return Err(BrowserError::Garbled { command, answer });
        };
        let value = parsed["value"].take();
        match value["error"].as_str() {
            Some(error) => Err(BrowserError::Refused {
                command,
                message: format!("{error}: {}", value["message"].as_str().unwrap_or_default()),
            }),
            None => Ok(value),
        }
    }
}

/// The key of element references in WebDriver.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser closes with its session; whatever fails here has nobody to hear it.
        if !self.session.is_empty() {
            let _ = self.ask("DELETE", &format!("/session/{}", self.session), None);
        }
        stop(&mut self.driver);
        let _ = fs::remove_dir_all(&self.profile);
    }
}

fn stop(driver: &mut Child) {
    let _ = driver.kill();
    let _ = driver.wait();
}

/// A folder of its own for each browser.
fn new_profile() -> Result<PathBuf, BrowserError> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("softdock-browser-{}-{number}", std::process::id());
    let profile = std::env::temp_dir().join(name);
    fs::create_dir_all(&profile).map_err(failed(profile.to_string_lossy()))?;
    Ok(profile)
}

/// The port on which the driver says that it listens.
fn port_of(output: &mut impl BufRead) -> Result<u16, BrowserError> {
    let mut said = String::new();
    loop {
        let start = said.len();
        let read = output
            .read_line(&mut said)
            .map_err(failed("reading from chromedriver"))?;
        if read == 0 {
            return Err(BrowserError::NotStarted { said });
        }
        let line = said[start..].trim_end().trim_end_matches('.');
        let port = line
            .contains("started successfully")
            .then(|| line.rsplit(' ').next()?.parse().ok());
        if let Some(Some(port)) = port {
            return Ok(port);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_read_from_what_the_driver_prints() {
        let text = "Starting ChromeDriver 1.2 on port 0\nOnly local connections are allowed.\n\
                    ChromeDriver was started successfully on port 40123.\n";
        assert_eq!(port_of(&mut text.as_bytes()).unwrap(), 40123);
        let error = port_of(&mut "bind() failed\n".as_bytes()).unwrap_err();
        assert!(error.to_string().contains("bind() failed"));
    }

    #[test]
    fn a_missing_browser_says_how_to_get_one() {
        let missing = BrowserError::Missing {
            program: "chromedriver",
        };
        assert!(missing.to_string().contains("apt-get install chromium"));
    }
}
