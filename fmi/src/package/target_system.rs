//! Where an FMU keeps the binaries of an operating system.

use super::FmiVersion;

/// An operating system and processor that FMUs carry binaries for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TargetSystem {
    /// Its folder below `binaries` in FMI 2.0.
    pub folder: &'static str,
    /// Its folder below `binaries` in FMI 3.0: processor and system.
    pub folder_3: &'static str,
    /// How the names of its libraries end, without the dot.
    pub extension: &'static str,
}

impl TargetSystem {
    /// Linux on x86-64.
    pub const LINUX_64: Self = Self::new("linux64", "x86_64-linux", "so");
    /// Linux on ARM. FMI 2.0 has no name for it; this is the one of FMI 3.0.
    pub const LINUX_ARM: Self = Self::new("aarch64-linux", "aarch64-linux", "so");
    /// Windows on x86-64.
    pub const WINDOWS_64: Self = Self::new("win64", "x86_64-windows", "dll");
    /// Windows on 32 bits.
    pub const WINDOWS_32: Self = Self::new("win32", "x86-windows", "dll");
    /// macOS on x86-64.
    pub const MACOS_64: Self = Self::new("darwin64", "x86_64-darwin", "dylib");
    /// macOS on ARM: FMI 2.0.4 takes over the name of FMI 3.0.
    pub const MACOS_ARM: Self = Self::new("aarch64-darwin", "aarch64-darwin", "dylib");

    const fn new(folder: &'static str, folder_3: &'static str, extension: &'static str) -> Self {
        Self {
            folder,
            folder_3,
            extension,
        }
    }

    /// The one that this program was built for.
    pub const HERE: Self = match (cfg!(target_os = "windows"), cfg!(target_os = "macos")) {
        (true, _) if cfg!(target_pointer_width = "64") => Self::WINDOWS_64,
        (true, _) => Self::WINDOWS_32,
        (_, true) if cfg!(target_arch = "aarch64") => Self::MACOS_ARM,
        (_, true) => Self::MACOS_64,
        _ if cfg!(target_arch = "x86_64") => Self::LINUX_64,
        _ => Self::LINUX_ARM,
    };

    /// Its folder below `binaries`.
    pub fn folder(&self, version: FmiVersion) -> &'static str {
        match version {
            FmiVersion::Two => self.folder,
            FmiVersion::Three => self.folder_3,
        }
    }

    /// The path of a binary in the archive.
    pub fn binary(&self, version: FmiVersion, identifier: &str) -> String {
        let folder = self.folder(version);
        format!("binaries/{folder}/{identifier}.{}", self.extension)
    }
}
