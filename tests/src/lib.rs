//! Validation of softdock. The tests are in `validation/`; this library is empty on purpose.
