//! Charts as SVG: the time per agent and tick over the number of agents, and the bytes per agent.

mod crowds;

use pleach_benches::Workload;
use pleach_benches::guard::Guards;
use pleach_benches::pleach::{DefaultWay, Way};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use thiserror::Error;

use crate::show::{grouped, shown, size_of};

use super::row::Rows;

/// A drawing.
pub(super) struct Chart {
    pub(super) file: String,
    pub(super) svg: String,
}

/// The library could not draw.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct ChartError(String);

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for ChartError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self(error.to_string())
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const SIZE: (u32, u32) = (800, 440);
const INK: RGBColor = RGBColor(40, 44, 52);
const GRID: RGBColor = RGBColor(226, 229, 233);
/// The size at which bytes per agent are compared: large enough to hide fixed costs, and small
/// enough for every crowd.
const BYTES_AT: u32 = 100_000;

/// The colour of an implementation, the same in all charts.
fn colour(implementation: &str) -> RGBColor {
    match implementation {
        "pleach" | "pleach-batched" => RGBColor(22, 128, 60),
        "pleach-in-order" | "pleach-baked" => RGBColor(0, 165, 150),
        "pleach-polled" => RGBColor(120, 190, 100),
        "pleach-brain" => RGBColor(200, 30, 90),
        "one-tree-batched" => RGBColor(120, 170, 140),
        "one-tree-in-order" => RGBColor(120, 200, 195),
        "batched-threads-1" => RGBColor(150, 170, 220),
        "batched-threads-2" => RGBColor(40, 80, 190),
        "in-order-threads-1" => RGBColor(210, 170, 220),
        "in-order-threads-2" => RGBColor(150, 60, 180),
        "hand" | "serde_json" => RGBColor(30, 30, 30),
        "hand-match" => RGBColor(95, 95, 95),
        "naive" => RGBColor(150, 150, 150),
        "bonsai-race" | "ron" => RGBColor(214, 94, 20),
        "bonsai-reactive" => RGBColor(244, 166, 60),
        "behavior-tree-lite" => RGBColor(120, 80, 190),
        _ => RGBColor(60, 110, 200),
    }
}

/// Where the chart of a workload's times goes.
pub(super) fn file_of(workload: Workload) -> String {
    format!("{}.svg", workload.name().to_lowercase())
}

/// Where the chart of crowds of all sizes goes.
pub(super) const CROWDS_FILE: &str = "crowds.svg";

/// Where the chart of bytes goes.
pub(super) const BYTES_FILE: &str = "bytes.svg";

/// Whether there is anything to draw a line through.
pub(super) fn has_chart(rows: &Rows, workload: Workload) -> bool {
    series(rows, workload).iter().any(|(_, points)| points.len() > 1)
}

/// The charts of all workloads that have more than one size, and of bytes.
///
/// # Errors
/// If the library cannot draw.
pub(super) fn charts(rows: &Rows, workloads: &[Workload]) -> Result<Vec<Chart>, ChartError> {
    let mut charts = Vec::new();
    for &workload in workloads.iter().filter(|&&it| has_chart(rows, it)) {
        let svg = draw(SIZE, |area| times(area, rows, workload))?;
        charts.push(Chart { file: file_of(workload), svg });
    }
    if let Some(svg) = crowds::chart(rows)? {
        charts.push(Chart { file: CROWDS_FILE.into(), svg });
    }
    let bars = bars(rows);
    if !bars.is_empty() {
        let height = 56 + 40 * u32::try_from(bars.len()).unwrap_or(u32::MAX / 100);
        charts.push(Chart { file: BYTES_FILE.into(), svg: draw((SIZE.0, height), |area| bytes(area, &bars))? });
    }
    Ok(charts)
}

fn draw(size: (u32, u32), paint: impl FnOnce(&Area<'_>) -> Result<(), ChartError>) -> Result<String, ChartError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        // White, because pages are dark for some.
        area.fill(&WHITE)?;
        paint(&area)?;
        area.present()?;
    }
    Ok(svg)
}

fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour)
}

/// Each implementation with its sizes and times.
type Series = Vec<(&'static str, Vec<(f64, f64)>)>;

fn series(rows: &Rows, workload: Workload) -> Series {
    let mut series = Series::new();
    for row in rows.of(workload) {
        let Some(ns) = row.ns_per_agent_tick else { continue };
        let point = (f64::from(row.agents), ns);
        match series.iter_mut().find(|(name, _)| *name == row.implementation) {
            Some((_, points)) => points.push(point),
            None => series.push((row.implementation, vec![point])),
        }
    }
    series
}

/// The decades around some values, at least two: within one the axis would have too many labels.
fn decades(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let low = values.clone().fold(f64::INFINITY, f64::min).max(1e-6);
    let high = values.fold(low, f64::max);
    let first = low.log10().floor();
    (10_f64.powf(first), 10_f64.powf(high.log10().ceil().max(first + 2.0)))
}

fn times(area: &Area<'_>, rows: &Rows, workload: Workload) -> Result<(), ChartError> {
    let series = series(rows, workload);
    let points = || series.iter().flat_map(|(_, points)| points);
    let (left, right) =
        (points().map(|it| it.0).fold(f64::INFINITY, f64::min), points().map(|it| it.0).fold(0.0, f64::max));
    let (low, high) = decades(points().map(|it| it.1));
    let title = format!("{workload}: {}", workload.about());
    area.draw(&Text::new(title, (14, 12), text(15, INK)))?;
    let mut chart = ChartBuilder::on(area)
        .margin_top(44)
        .margin_left(10)
        // The names are beside the ends of their lines.
        .margin_right(190)
        .margin_bottom(8)
        .x_label_area_size(38)
        .y_label_area_size(58)
        // A hair below, or rounding would lose the first label.
        .build_cartesian_2d((left..right).log_scale(), (low * 0.999..high).log_scale())?;
    let what = if workload == Workload::Load { "nanoseconds per node" } else { "nanoseconds per agent and tick" };
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .label_style(text(12, INK))
        .axis_desc_style(text(13, INK))
        .x_desc(size_of(workload))
        .y_desc(what)
        .x_label_formatter(&|it| grouped(*it))
        .y_label_formatter(&|it| if *it < 1.0 { it.to_string() } else { grouped(*it) })
        .draw()?;
    let mut labels = Vec::new();
    for (name, points) in &series {
        let colour = colour(name);
        let width = if *name == DefaultWay::NAME { 3 } else { 2 };
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(width)))?;
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
        if let Some(&last) = points.last() {
            labels.push((chart.backend_coord(&last).1, *name, colour));
        }
    }
    let x = chart.backend_coord(&(right, low)).0 + 8;
    for (y, name, colour) in apart(labels) {
        area.draw(&Text::new(shown(name), (x, y), text(13, colour).pos(Pos::new(HPos::Left, VPos::Center))))?;
    }
    Ok(())
}

/// A name at a height.
type Label = (i32, &'static str, RGBColor);

/// Moves labels down or up so that none covers another.
fn apart(mut labels: Vec<Label>) -> Vec<Label> {
    const LINE: i32 = 15;
    labels.sort_by_key(|label| label.0);
    // Each as high as its own position and the label above allow; then labels that were pushed down
    // too far go half of the way back, as a group.
    let mut at = 0;
    while at < labels.len() {
        let mut end = at + 1;
        let mut pushed = 0;
        while end < labels.len() && labels[end].0 < labels[end - 1].0 + LINE {
            pushed = labels[end - 1].0 + LINE - labels[end].0;
            labels[end].0 += pushed;
            end += 1;
        }
        let floor = if at == 0 { i32::MIN } else { labels[at - 1].0 + LINE };
        let up = (pushed / 2).min(labels[at].0.saturating_sub(floor)).max(0);
        labels[at..end].iter_mut().for_each(|label| label.0 -= up);
        at = end;
    }
    labels
}

/// The implementations of the guard, with their bytes per agent.
fn bars(rows: &Rows) -> Vec<(&'static str, f64)> {
    let rows = rows.of(Workload::Guards(Guards::Observed)).filter(|it| it.agents == BYTES_AT);
    rows.filter_map(|it| Some((it.implementation, it.bytes_per_agent?))).collect()
}

fn bytes(area: &Area<'_>, bars: &[(&'static str, f64)]) -> Result<(), ChartError> {
    let title = format!("Guards: bytes per agent, with its data ({} agents)", grouped(BYTES_AT));
    area.draw(&Text::new(title, (14, 12), text(15, INK)))?;
    let (left, right) = (190, i32::try_from(SIZE.0).unwrap_or(i32::MAX) - 80);
    let most = bars.iter().map(|it| it.1).fold(1.0, f64::max);
    for (top, &(name, bytes)) in (48..).step_by(40).zip(bars) {
        #[expect(clippy::cast_possible_truncation, reason = "a share of the width")]
        let end = left + (f64::from(right - left) * bytes / most).round() as i32;
        let middle = top + 13;
        area.draw(&Rectangle::new([(left, top), (end.max(left + 1), top + 26)], colour(name).filled()))?;
        area.draw(&Text::new(shown(name), (left - 8, middle), text(13, INK).pos(Pos::new(HPos::Right, VPos::Center))))?;
        let value = text(13, INK).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(grouped(bytes), (end + 6, middle), value))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::row::row;
    use super::*;

    #[test]
    fn axes_end_at_decades() {
        let of = |values: &[f64]| decades(values.iter().copied());
        assert_eq!(of(&[1.2, 800.0]), (1.0, 1_000.0));
        assert_eq!(of(&[10.0, 10.0]), (10.0, 1_000.0));
        assert_eq!(of(&[0.002, 0.5]), (0.001, 1.0));
    }

    #[test]
    fn labels_do_not_cover_each_other() {
        for ys in [vec![10, 10, 10, 10], vec![0, 100, 101, 102, 110, 300], vec![50, 49, 20, 21], vec![5]] {
            let labels = ys.iter().map(|&y| (y, "name", INK)).collect();
            let moved: Vec<i32> = apart(labels).into_iter().map(|label| label.0).collect();
            assert!(moved.windows(2).all(|it| it[1] - it[0] >= 15), "{ys:?}: {moved:?}");
            assert_eq!(moved.len(), ys.len());
        }
    }

    #[test]
    fn charts_are_drawn_of_what_there_is() {
        let mut rows = Rows::default();
        for (agents, ns) in [(1_000, 3.0), (100_000, 4.0)] {
            rows.push(row(Workload::Guards(Guards::Observed), DefaultWay::NAME, agents, ns));
        }
        rows.push(row(Workload::Walk, DefaultWay::NAME, 1_000, 60.0));
        let charts = charts(&rows, &Workload::ALL).unwrap();
        assert_eq!(
            charts.iter().map(|it| it.file.as_str()).collect::<Vec<_>>(),
            ["s1-observed.svg", "crowds.svg", "bytes.svg"]
        );
        assert!(charts.iter().all(|it| it.svg.starts_with("<svg") && it.svg.contains("pleach")));
        assert!(super::charts(&Rows::default(), &Workload::ALL).unwrap().is_empty());
    }
}
