//! scratch
use softdock_validation::models::*;
use leg_core::group::{Group, Se3};
use leg_core::model::*;
use nalgebra::Vector3;
fn main() {
    let material = Material::from_poisson(71.7e9, 0.31, 0.0, 5.0 / 6.0);
    let j0 = rectangle_torsion_constant(12.3777e-3, 3.2024e-3);
    let ip = 12.3777e-3*3.2024e-3*(12.3777e-3f64.powi(2)+3.2024e-3f64.powi(2))/12.0;
    println!("J/Ip {}", j0/ip);
    for f in [0.95,0.97,1.0,1.02,1.05,1.1] {
    let mut section = Section::<6, 3>::rectangle(&material, 12.3777e-3, 3.2024e-3).unwrap();
    section.stiffness[(3,3)] *= f;
    let spec = BeamSpec::straight(0.508, 20, section);
    let beam = Cantilever::<Se3,6,3>::new(Se3::identity(), &spec, Vector3::zeros()).unwrap();
    let refs=[[0.0160642,0.0],[0.0164583,0.0643581],[0.0166587,0.1177360],[0.0151862,0.1564672],[0.0115784,0.1818616],[0.0062490,0.1960971],[0.0,0.2006777]];
    for i in 1..6 {
            let (sin, cos) = (15.0 * f64::from(i)).to_radians().sin_cos();
            let load = Vector3::new(0.0, cos, sin) * 13.345;
            let state = beam.loaded(&Cantilever::<Se3,6,3>::load(load, 0.0)).unwrap();
            let tip = state.pose(beam.tip).translation();
            print!("{:.2e} {:.2e} | ", tip[1]/refs[i as usize][0]-1.0, tip[2]/refs[i as usize][1]-1.0);
    } println!(" {f}");}
}
