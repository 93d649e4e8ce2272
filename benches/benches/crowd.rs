//! Time per agent and tick of every implementation, in every workload, from 100 to 100 000 agents.
//!
//! `cargo bench -p pleach-benches`, or with a filter such as `-- S2/` or `-- hand/1000`. Read the throughput (elements
//! are ticks of one agent) as ratios within one run: implementations of the same size run one after the other.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use pleach_benches::{Crowd, Hand, Naive, Pleach, Workload, check};

const SIZES: [u32; 4] = [100, 1_000, 10_000, 100_000];

/// Frames played before the first measurement. All agents start at once, and the first to last longest is Flee with 41
/// updates: by now the branches are mixed as they will stay.
const SETTLING: u32 = 100;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_millis(1_200))
        .sample_size(20)
        .nresamples(5_000)
        .configure_from_args();
    for workload in Workload::ALL {
        let mut group = criterion.benchmark_group(workload.name());
        // A frame of 100 000 agents takes milliseconds: growing samples would multiply the time asked for.
        group.sampling_mode(SamplingMode::Flat);
        for agents in SIZES {
            group.throughput(Throughput::Elements(agents.into()));
            measure::<Hand>(&mut group, workload, agents);
            measure::<Naive>(&mut group, workload, agents);
            measure::<Pleach>(&mut group, workload, agents);
        }
        group.finish();
    }
    criterion.final_summary();
}

fn measure<C: Crowd>(group: &mut BenchmarkGroup<'_, WallTime>, workload: Workload, agents: u32) {
    // The function below is called once per sample, and not at all if a filter leaves it out: the crowd is made by the
    // first call, from a crowd that is known to do the right thing, and lives until the last.
    let mut settled: Option<(C, u32)> = None;
    group.bench_function(BenchmarkId::new(C::NAME, agents), |bencher| {
        let (crowd, frame) = settled.get_or_insert_with(|| {
            if let Err(wrong) = check::<C>(workload) {
                panic!("{wrong}");
            }
            let mut crowd = C::new(agents, workload);
            (0..SETTLING).for_each(|frame| crowd.frame(frame));
            (crowd, SETTLING)
        });
        bencher.iter(|| {
            crowd.frame(*frame);
            *frame = frame.wrapping_add(1);
        });
    });
}
