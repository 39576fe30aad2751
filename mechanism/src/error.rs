//! What can be wrong with a mechanism.

/// Why a mechanism cannot be read, built or computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MechanismError {
    /// The text is wrong: where, what, and what to do.
    #[error("{file}, line {line}: {problem}; {remedy}")]
    Text {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What would be right.
        remedy: String,
    },
    /// An argument of `--set` is wrong.
    #[error("--set {argument}: {problem}; {remedy}")]
    Setting {
        /// The argument.
        argument: String,
        /// What is wrong.
        problem: String,
        /// What would be right.
        remedy: String,
    },
    /// No mechanism of this name is there.
    #[error(
        "there is no mechanism {name}{suggestion}; `softdock mechanism list` names those that come with the program"
    )]
    Unknown {
        /// The name asked for.
        name: String,
        /// A name that is near.
        suggestion: String,
    },
    /// The file is fine, but the mechanism is not: it does not close, is redundant or is singular.
    #[error("{file}: {problem}; {remedy}")]
    Mechanism {
        /// Name of the file.
        file: String,
        /// What is wrong, with the name of joint or body.
        problem: String,
        /// What would be right.
        remedy: String,
    },
    /// The computation failed.
    #[error("{what}: {cause}")]
    Computation {
        /// What was computed.
        what: &'static str,
        /// Why it failed.
        cause: multibody::Error,
    },
}

impl MechanismError {
    /// True if other input would have avoided the error.
    pub fn is_input(&self) -> bool {
        !matches!(self, Self::Computation { .. })
    }

    pub(crate) fn computing(what: &'static str) -> impl Fn(multibody::Error) -> Self {
        move |cause| Self::Computation { what, cause }
    }
}

/// The result of reading, building or computing.
pub type Result<T> = std::result::Result<T, MechanismError>;
