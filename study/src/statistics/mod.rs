//! Statistics
