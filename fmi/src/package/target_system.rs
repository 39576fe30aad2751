//! Where an FMU keeps the binaries of an operating system.

/// An operating system and processor that FMUs carry binaries for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetSystem {
    /// Its folder below `binaries`.
    pub folder: &'static str,
    /// How the names of its libraries end, without the dot.
    pub extension: &'static str,
}

impl TargetSystem {
    /// The one that this program was built for.
    pub const HERE: Self = if cfg!(target_os = "windows") {
        Self {
            folder: if cfg!(target_pointer_width = "64") {
                "win64"
            } else {
                "win32"
            },
            extension: "dll",
        }
    } else if cfg!(target_os = "macos") {
        Self {
            folder: "darwin64",
            extension: "dylib",
        }
    } else if cfg!(target_arch = "x86_64") {
        Self {
            folder: "linux64",
            extension: "so",
        }
    } else {
        // FMI 2.0 has no name for it; this is the one of FMI 3.0.
        Self {
            folder: "aarch64-linux",
            extension: "so",
        }
    };

    /// The path of a binary in the archive.
    pub fn binary(&self, identifier: &str) -> String {
        format!("binaries/{}/{identifier}.{}", self.folder, self.extension)
    }
}
