//! One chart of the main workloads, from one agent to a million: which is faster at which size.

use pleach_benches::Workload;
use pleach_benches::guard::Guards;
use pleach_benches::pleach::{BRAIN, DefaultWay, Way};
use pleach_benches::sleep::Sleep;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::super::row::Rows;
use super::{Area, ChartError, GRID, INK, Series, colour, decades, draw, series, text};
use crate::show::{grouped, shown};

/// The panels, row by row. The last place of the grid is for the names.
const PANELS: [Workload; 5] = [
    Workload::Guards(Guards::Observed),
    Workload::Guards(Guards::Polled),
    Workload::Guards(Guards::Churn),
    Workload::Walk,
    Workload::Sleep(Sleep::Napping),
];
/// The implementations shown, in the order of the names.
const SHOWN: [&str; 5] = [DefaultWay::NAME, BRAIN, "hand", "naive", "bonsai-race"];
const PANEL: (u32, u32) = (460, 330);
const COLUMNS: u32 = 2;
const ROWS: u32 = 3;
/// Above the panels.
const TITLE: u32 = 40;

/// The picture; `None` if nothing of it has been measured at more than one size.
///
/// # Errors
/// If the library cannot draw.
pub(super) fn chart(rows: &Rows) -> Result<Option<String>, ChartError> {
    let lines: Vec<Series> = PANELS.map(|it| of_shown(rows, it)).into();
    if !lines.iter().flatten().any(|(_, points)| points.len() > 1) {
        return Ok(None);
    }
    let size = (PANEL.0 * COLUMNS, TITLE + PANEL.1 * ROWS);
    let svg = draw(size, |area| {
        area.draw(&Text::new("Nanoseconds per agent and tick, from one agent to a million", (14, 12), text(17, INK)))?;
        let (_, panels) = area.split_vertically(TITLE);
        let places = panels.split_evenly((ROWS as usize, COLUMNS as usize));
        for ((place, workload), lines) in places.iter().zip(PANELS).zip(&lines) {
            panel(place, workload, lines)?;
        }
        names(&places[PANELS.len()])
    })?;
    Ok(Some(svg))
}

fn of_shown(rows: &Rows, workload: Workload) -> Series {
    series(rows, workload).into_iter().filter(|(name, _)| SHOWN.contains(name)).collect()
}

fn panel(area: &Area<'_>, workload: Workload, lines: &Series) -> Result<(), ChartError> {
    area.draw(&Text::new(workload.name(), (68, 6), text(15, INK)))?;
    let points = || lines.iter().flat_map(|(_, points)| points);
    if points().next().is_none() {
        area.draw(&Text::new("not in this run", (68, 40), text(13, INK)))?;
        return Ok(());
    }
    let (low, high) = decades(points().map(|it| it.1));
    let mut chart = ChartBuilder::on(area)
        .margin_top(30)
        .margin_left(10)
        .margin_right(34)
        .margin_bottom(6)
        .x_label_area_size(36)
        .y_label_area_size(52)
        // All panels have the same axis of agents.
        .build_cartesian_2d((1.0..1_000_000.0).log_scale(), (low * 0.999..high).log_scale())?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .label_style(text(12, INK))
        .axis_desc_style(text(13, INK))
        .x_desc("agents")
        .x_label_formatter(&|it| grouped(*it))
        .y_label_formatter(&|it| if *it < 1.0 { it.to_string() } else { grouped(*it) })
        .draw()?;
    for (name, points) in lines {
        let colour = colour(name);
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(width(name))))?;
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
    }
    Ok(())
}

fn width(name: &str) -> u32 {
    if name == DefaultWay::NAME { 3 } else { 2 }
}

/// The legend, once for all panels: beside the ends of the lines the names would overlap.
fn names(area: &Area<'_>) -> Result<(), ChartError> {
    for (y, name) in (60..).step_by(34).zip(SHOWN) {
        let colour = colour(name);
        area.draw(&PathElement::new(vec![(80, y), (130, y)], colour.stroke_width(width(name))))?;
        area.draw(&Circle::new((105, y), 3, colour.filled()))?;
        area.draw(&Text::new(shown(name), (144, y), text(15, INK).pos(Pos::new(HPos::Left, VPos::Center))))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::row::row;
    use super::*;

    #[test]
    fn every_line_has_its_name_and_all_panels_the_same_agents() {
        let mut rows = Rows::default();
        for (name, ns) in SHOWN.into_iter().zip([3.0, 20.0, 1.0, 12.0, 60.0]) {
            for agents in [1, 1_000, 1_000_000] {
                rows.push(row(Workload::Guards(Guards::Churn), name, agents, ns));
            }
        }
        rows.push(row(Workload::Guards(Guards::Churn), "behavior-tree-lite", 1_000, 999.0));
        let svg = chart(&rows).unwrap().expect("there are lines");
        for name in SHOWN {
            assert_eq!(svg.matches(&format!("\n{}\n", shown(name))).count(), 1, "{name}: {svg}");
        }
        for workload in PANELS {
            assert!(svg.contains(&format!("\n{}\n", workload.name())), "{workload}");
        }
        assert_eq!(svg.matches("\nnot in this run\n").count(), PANELS.len() - 1);
        assert_eq!(svg.matches("\n1 000 000\n").count(), 1, "one axis");
        // Fifteen points and a mark beside each name.
        assert_eq!(svg.matches("<circle").count(), 20);
        assert_eq!(chart(&Rows::default()).unwrap(), None);
    }
}
