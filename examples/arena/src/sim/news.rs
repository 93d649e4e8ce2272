//! Takes over changes of the files.

use super::{ROLES, Sim};

/// What came of files that have changed.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    /// In a line.
    pub said: String,
    /// Whether something is wrong: see [`Sim::trouble`].
    pub broken: bool,
}

impl Sim {
    /// Looks whether files of the trees have changed, and gives living agents their new versions.
    /// Call it some times per second. `None` if nothing has changed.
    pub fn look(&mut self) -> Option<News> {
        let (library, registry) = (&mut self.library, &self.registry);
        let reload = self.game.with_forest(|forest, cx| library.reload(registry, forest, cx))?;
        let sensors = self.game.trees_changed();
        // A tree that was broken before may still be, and a reload tells that only once.
        self.trouble.clear();
        for file in ROLES.map(|it| it.file) {
            if let Err(report) = self.library.check(file, &self.registry) {
                let lines = report.plain();
                let new = lines.lines().filter(|line| !self.trouble.iter().any(|it| it == line));
                let new: Vec<String> = new.map(str::to_owned).collect();
                self.trouble.extend(new);
            }
        }
        self.trouble.extend(reload.refused.iter().map(|(name, why)| format!("{name} stays as it is: {why}")));
        self.trouble.extend(sensors.err().map(|it| it.to_string()));
        if self.behaviours.refresh(&self.game) {
            // The numbers of nodes are others now.
            self.choose(self.chosen());
        }
        let files = reload.files.join(", ");
        let (kept, restarted) =
            reload.replaced.iter().fold((0, 0), |all, it| (all.0 + it.agents_kept, all.1 + it.agents_restarted));
        let said = if reload.replaced.is_empty() {
            format!("{files}: not taken over, the trees stay as they were")
        } else {
            format!("{files}: taken over, {kept} agents go on, {restarted} restart in part")
        };
        Some(News { said, broken: !self.trouble.is_empty() })
    }

    /// What is wrong with the files, a line for each problem.
    #[must_use]
    pub fn trouble(&self) -> &[String] {
        &self.trouble
    }
}
