//! Reduced bodies of a file whose matrices stand in another file.

use super::{Assembler, reduced};
use crate::error::Result;
use crate::matrices::Matrices;
use crate::parts::{MatrixBody, Pose, ReducedPart, Selection};
use std::sync::Arc;

impl Assembler<'_> {
    pub(super) fn read_matrix_bodies(&mut self) -> Result<()> {
        for entry in self.entries("reduced")? {
            let Some(file) = entry.text("file")? else {
                for key in ["position_m", "rotation_rad", "stiffness_damping_s"] {
                    if entry.has(key) {
                        let remedy = "beams have places and damping of their own";
                        return Err(entry.error_at(key, "is for bodies of a file", remedy));
                    }
                }
                continue;
            };
            let name = self.name(&entry)?;
            for key in ["beams", "interfaces", "assumed"] {
                if entry.has(key) {
                    let problem = "is there besides file";
                    return Err(entry.error_at(key, problem, "the file says it: leave one out"));
                }
            }
            if self.context.dimension == 2 {
                let remedy = "write the mechanism in space (space = \"space\")";
                return Err(entry.error_at("file", "is for space", remedy));
            }
            let Some((path, text)) = (self.find)(&file) else {
                let problem = format!("= \"{file}\" cannot be read");
                let remedy = "put it beside the mechanism file: .json, or .npz of numpy.savez with nodes, \
                              mass, stiffness and interface_NAME";
                return Err(entry.error_at("file", problem, remedy));
            };
            let matrices = Matrices::read(&text).map_err(|problem| {
                let text = format!("= \"{path}\": {}", problem.what);
                entry.error_at("file", text, problem.remedy)
            })?;
            let pose = Pose::new(
                entry.vector("position_m")?.unwrap_or_default(),
                entry.turn("rotation_rad")?.unwrap_or_default(),
            );
            let selection = reduced::selection(&entry)?;
            if selection == Selection::Mounted {
                let remedy = "is for beams: use \"frequency\" or \"load\"";
                return Err(entry.error_at("selection", "= \"mounted\"", remedy));
            }
            self.reduced.push(ReducedPart {
                name,
                body: Some(Arc::new(MatrixBody {
                    matrices,
                    pose,
                    stiffness_damping: entry.number("stiffness_damping_s")?.unwrap_or(0.0),
                })),
                assumed: None,
                selection,
                geometric_stiffening: false,
                beams: Vec::new(),
                interfaces: Vec::new(),
                modes: entry.count("modes")?.unwrap_or(6),
                joints: Vec::new(),
                masses: Vec::new(),
                result: None,
                place: entry.place,
            });
        }
        Ok(())
    }
}
