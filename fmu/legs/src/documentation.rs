//! What the documentation inside the FMUs says of the legs.

/// The planar leg, as HTML.
pub const PLANAR: &str = concat!(
    include_str!("documentation/planar.html"),
    include_str!("documentation/steps.html")
);

/// The spatial leg, as HTML.
pub const SPATIAL: &str = concat!(
    include_str!("documentation/legs.svg"),
    include_str!("documentation/spatial.html"),
    include_str!("documentation/placement.html"),
    "<pre class=\"python\">",
    include_str!("documentation/six_legs.py"),
    "</pre>\n",
    include_str!("documentation/steps.html")
);

/// What else is in the library.
pub const LINKED: &str = "The binary contains code of the Rust standard library and of the crates \
nalgebra, simba, num-traits, libm, matrixmultiply, serde, serde_json, toml, winnow, strsim, \
thiserror, quick-xml, memchr and sha2 with what these stand on, which are under the same or equally \
permissive licences.";
