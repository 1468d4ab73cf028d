use pc3::point::*;
use std::marker::PhantomData;
use std::ops::ControlFlow;

struct Step;
static STEP: Function = Function { name: "by_hand::step" };
static STEP_1: Point = Point { function: &STEP, label: 1, file: "x", line: 3, what: "checkpoint", live: &["n", "v"] };
impl Step {
    fn body<M: Mode>(a: &mut Vec<f64>, pc3_n: M::By<usize>, pc3_v: M::By<Vec<u8>>) -> Result<f64, Unwind> {
        let mut pc3_frame = M::frame(&STEP);
        let n;
        let v;
        'p1: {
            if let Some(f) = &mut pc3_frame {
                match f.label() {
                    1 => {
                        f.check(&STEP_1);
                        n = f.take("n");
                        v = f.take("v");
                        resumed();
                        break 'p1;
                    }
                    _ => f.lost(),
                }
            }
            n = M::given::<usize>(pc3_n);
            v = M::given::<Vec<u8>>(pc3_v);
            if due() {
                return Err(park(&STEP_1, vec![keep("n", n), keep("v", v)]));
            }
        }
        a.push(n as f64);
        Ok(a.len() as f64 + v.len() as f64)
    }
    fn hot(a: &mut Vec<f64>, n: usize, v: Vec<u8>) -> Result<f64, Unwind> { Self::body::<Hot>(a, n, v) }
    fn resume<'a, A0: Borrowed<&'a mut Vec<f64>>, A1: ByValue<usize>, A2: ByValue<Vec<u8>>>(a: A0, _: A1, _: A2) -> Result<f64, Unwind> {
        Self::body::<Resume>(a.again(), (), ())
    }
}

static MAIN: Function = Function { name: "by_hand::main" };
static MAIN_1: Point = Point { function: &MAIN, label: 1, file: "x", line: 3, what: "step", live: &["grid", "sum", "i.."] };
fn main_body<M: Mode>() -> Result<(), Unwind> {
    let mut frame = M::frame(&MAIN);
    let mut grid;
    let mut sum;
    let mut iter;
    'l1: {
        if M::RESUME { if let Some(f) = &mut frame {
            match f.label() {
                1 => { f.check(&MAIN_1); grid = f.take("grid"); sum = f.take("sum"); iter = f.take("i.."); break 'l1; }
                _ => f.lost(),
            }
        } }
        grid = Vec::new();
        sum = 0.0;
        iter = IntoIterator::into_iter(0..5usize);
    }
    'u: loop {
        let i;
        let t: Result<f64, Unwind>;
        'p1: {
            let (p1, p2) = (PhantomData, PhantomData);
            if M::RESUME { if frame.take().is_some() {
                t = Step::resume(Again(&mut grid), Kept::new(p1), Kept::new(p2));
                break 'p1;
            } }
            i = match iter.next() { Some(i) => i, None => break 'u };
            t = { let a1 = same(p1, i); let a2 = same(p2, vec![1u8; i]); Step::hot(&mut grid, a1, a2) };
        }
        match t {
            Ok(v) => sum += v,
            Err(_) => return Err(park(&MAIN_1, vec![keep("grid", grid), keep("sum", sum), keep("i..", iter)])),
        }
        println!("{sum} {grid:?}");
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    let _: Option<ControlFlow<()>> = None;
    pc3::start(Program {
        enter: || main_body::<Hot>().map(Report::report),
        resume: || main_body::<Resume>().map(Report::report),
    })
}
