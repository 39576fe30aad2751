//! scratch
fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    for case in softdock_validation::all() {
        if !case.name.contains(&filter) { continue; }
        let t = std::time::Instant::now();
        for o in case.run() {
            println!("{:38} {:40} ref {:?} ours {:?} err {:?} allowed {:e} {:?} {:?}", o.case, o.quantity, o.reference, o.ours, o.error, o.allowed, o.status, o.failure);
        }
        println!("   {:?}", t.elapsed());
    }
}
