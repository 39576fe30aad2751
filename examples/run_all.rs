//! Runs every example; each checks its own result.

use std::error::Error;

/// An example is a module with a `main`.
macro_rules! examples {
    ($($name:ident in $file:literal;)*) => {$(
        #[path = $file]
        mod $name;

        #[test]
        fn $name() -> Result<(), Box<dyn Error>> {
            $name::main()
        }
    )*

        #[test]
        fn every_file_is_run() -> Result<(), Box<dyn Error>> {
            let mut files: Vec<String> = std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))?
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect::<std::io::Result<_>>()?;
            files.retain(|file| file.ends_with(".rs") && file != "run_all.rs");
            files.sort();
            let mut run = vec![$($file),*];
            run.sort_unstable();
            assert_eq!(files, run);
            Ok(())
        }
    };
}

examples! {
    cantilever in "cantilever.rs";
    two_link_arm in "two_link_arm.rs";
    leg_released in "leg_released.rs";
    own_controller in "own_controller.rs";
    platform_pushed in "platform_pushed.rs";
    docking in "docking.rs";
}
