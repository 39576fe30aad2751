//! Validation tests, one module per topic.
