//! What the documentation inside the FMUs says of models other than single legs.

pub use softdock_leg_models::LINKED;

/// The platform, as HTML.
pub const PLATFORM: &str = concat!(
    include_str!("../legs/src/documentation/legs.svg"),
    include_str!("documentation/platform.html"),
    include_str!("documentation/steps.html")
);

/// The docking, as HTML.
pub const DOCKING: &str = concat!(
    include_str!("../legs/src/documentation/legs.svg"),
    include_str!("documentation/docking.html"),
    include_str!("documentation/steps.html")
);

/// The end effector, as HTML.
pub const END_EFFECTOR: &str = concat!(
    include_str!("../legs/src/documentation/legs.svg"),
    include_str!("documentation/effector.html")
);

/// Any mechanism, as HTML: what follows what its file says.
pub const MECHANISM: &str = concat!(
    include_str!("documentation/mechanism.html"),
    include_str!("documentation/steps.html")
);
