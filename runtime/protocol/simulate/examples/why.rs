use pc3_simulate::run::*;
fn main() {
    let seed: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let (e, w) = trace(seed, &Options::default());
    println!("{e:?} {:?}", w.counts);
    for (r, s) in &w.ranks {
        println!("rank {r} pc {} {:?} begun {} ended {} phase {:?} epoch {} done {:?} posted {:?} pending {:?} mailbox {:?}", s.own.pc, w.program.scripts[*r as usize].get(s.own.pc), s.own.begun, s.own.ended, s.member.phase(), s.member.epoch(), s.own.done, s.posted, s.pending, s.mailbox);
        println!("   next {:?} ", s.member.next_outcome());
        if std::env::args().nth(2).is_some() { println!("{:?}", s.member); }
    }
    for n in &w.nodes { println!("{n:?}"); }
    println!("{:?}", w.meetings);
    println!("{:?}", w.program.groups);
}
