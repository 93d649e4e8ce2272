//! Which fixes of a report can be made together.

use crate::report::{Diagnostic, Edit, Fix, Report};

impl Report {
    /// The likeliest fix of each problem, with the problem; leaves out those whose edits touch an
    /// earlier one's in the same file. All of them can be made at once.
    #[must_use]
    pub fn fixes(&self) -> Vec<(&Diagnostic, &Fix)> {
        let mut fixes: Vec<(&Diagnostic, &Fix)> = Vec::new();
        for it in self.diagnostics() {
            let Some(fix) = it.fixes().first() else { continue };
            let touches = |a: &Edit, b: &Edit| a.span().start <= b.span().end && b.span().start <= a.span().end;
            let mut others = fixes.iter().filter(|other| other.0.file() == it.file()).flat_map(|other| other.1.edits());
            if !others.any(|other| fix.edits().iter().any(|edit| touches(other, edit))) {
                fixes.push((it, fix));
            }
        }
        fixes
    }
}
