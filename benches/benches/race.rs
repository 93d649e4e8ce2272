//! Time per agent and tick of every implementation, in every workload.
//!
//! `cargo bench -p pleach-benches`, or with a filter such as `-- S2/` or `-- hand/1000`.
//! Implementations of the same size run one after the other; `cargo run --profile race -p xtask
//! -- bench` runs them in turns, which busy machines need, and compares them.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use pleach_benches::{Entry, Racer, Workload, entries};

/// The largest crowd. Larger ones take minutes and gigabytes.
const LARGEST: u32 = 100_000;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1_200))
        .sample_size(20)
        .nresamples(5_000)
        .configure_from_args();
    for workload in Workload::ALL {
        let mut group = criterion.benchmark_group(workload.name());
        // A frame of 100 000 agents takes milliseconds. Growing samples would take many times the
        // requested time.
        group.sampling_mode(SamplingMode::Flat);
        for &size in workload.sizes().iter().filter(|&&it| it <= LARGEST) {
            group.throughput(Throughput::Elements(size.into()));
            for entry in entries(workload).filter(|it| it.takes(size)) {
                measure(&mut group, entry, workload, size);
            }
        }
        group.finish();
    }
    criterion.final_summary();
}

fn measure(group: &mut BenchmarkGroup<'_, WallTime>, entry: &Entry, workload: Workload, size: u32) {
    // The function below is called once per sample, and not at all if a filter skips it: the first
    // call makes the crowd, from an implementation that is known to do the right thing, and the
    // crowd lives until the last call.
    let mut settled: Option<Box<dyn Racer>> = None;
    group.bench_function(BenchmarkId::new(entry.name, size), |bencher| {
        let racer = settled.get_or_insert_with(|| {
            if let Err(wrong) = entry.check(workload) {
                panic!("{wrong}");
            }
            let mut racer = entry.make(workload, size).expect("it plays this workload");
            racer.play(workload.settling());
            racer
        });
        bencher.iter_custom(|frames| racer.play(u32::try_from(frames).unwrap_or(u32::MAX)));
    });
}
