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

    /// The one that a library is for, by its first bytes: ELF, PE or Mach-O. None if it is no library, or
    /// for a system that FMUs have no folder for.
    pub fn of_library(library: &[u8]) -> Option<Self> {
        let two = |at: usize| {
            Some(u16::from_le_bytes(
                library.get(at..at + 2)?.try_into().ok()?,
            ))
        };
        let four = |at: usize| {
            Some(u32::from_le_bytes(
                library.get(at..at + 4)?.try_into().ok()?,
            ))
        };
        if library.starts_with(b"\x7fELF\x02\x01") {
            // e_machine.
            return match two(18)? {
                62 => Some(Self::LINUX_64),
                183 => Some(Self::LINUX_ARM),
                _ => None,
            };
        }
        if library.starts_with(b"MZ") {
            // The signature "PE" stands where 0x3c says, the machine behind it.
            let header = four(0x3c)? as usize;
            let signed = four(header)? == 0x4550;
            return match two(header + 4)? {
                0x8664 if signed => Some(Self::WINDOWS_64),
                0x14c if signed => Some(Self::WINDOWS_32),
                _ => None,
            };
        }
        match (four(0)?, four(4)?) {
            (0xfeed_facf, 0x0100_0007) => Some(Self::MACOS_64),
            (0xfeed_facf, 0x0100_000c) => Some(Self::MACOS_ARM),
            _ => None,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    fn with(bytes: &[(usize, &[u8])]) -> Vec<u8> {
        let mut out = vec![0; 256];
        for (at, part) in bytes {
            out[*at..at + part.len()].copy_from_slice(part);
        }
        out
    }

    #[test]
    fn libraries_are_known_by_their_first_bytes() {
        let elf = |machine: u8| with(&[(0, b"\x7fELF\x02\x01"), (18, &[machine])]);
        let pe =
            |machine: &[u8]| with(&[(0, b"MZ"), (0x3c, &[0x80]), (0x80, b"PE"), (0x84, machine)]);
        let mach = |kind: u8| with(&[(0, &[0xcf, 0xfa, 0xed, 0xfe, kind, 0, 0, 1])]);
        for (bytes, known) in [
            (elf(62), Some(TargetSystem::LINUX_64)),
            (elf(183), Some(TargetSystem::LINUX_ARM)),
            (elf(3), None),
            (pe(&[0x64, 0x86]), Some(TargetSystem::WINDOWS_64)),
            (pe(&[0x4c, 0x01]), Some(TargetSystem::WINDOWS_32)),
            (mach(7), Some(TargetSystem::MACOS_64)),
            (mach(12), Some(TargetSystem::MACOS_ARM)),
            (b"MZ".to_vec(), None),
            (Vec::new(), None),
        ] {
            assert_eq!(TargetSystem::of_library(&bytes), known);
        }
    }

    /// Names of FMI 2.0.4 and FMI 3.0.
    #[test]
    fn folders_are_those_of_the_standards() {
        for (system, two, three) in [
            (TargetSystem::LINUX_64, "linux64", "x86_64-linux"),
            (TargetSystem::WINDOWS_64, "win64", "x86_64-windows"),
            (TargetSystem::MACOS_64, "darwin64", "x86_64-darwin"),
            (TargetSystem::MACOS_ARM, "aarch64-darwin", "aarch64-darwin"),
        ] {
            assert_eq!(system.folder(FmiVersion::Two), two);
            assert_eq!(system.folder(FmiVersion::Three), three);
        }
    }
}
