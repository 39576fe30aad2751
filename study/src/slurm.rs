//! Slurm
