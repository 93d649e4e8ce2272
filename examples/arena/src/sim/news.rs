//! Picks up changes of the files.

use pleach::asset::Diagnostic;

use super::Sim;

/// The result of changed files.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    /// A line about it.
    pub said: String,
    /// Whether there are problems: see [`Sim::trouble`].
    pub broken: bool,
    /// Whether a tree has a new version.
    pub reloaded: bool,
}

impl Sim {
    /// Looks for changed files of the trees, and gives living agents the new versions. Call it some
    /// times per second. `None` if nothing has changed.
    pub fn look(&mut self) -> Option<News> {
        let (library, registry) = (&mut self.library, &self.registry);
        let reload = self.game.with_forest(|forest, cx| library.reload(registry, forest, cx))?;
        if !reload.replaced.is_empty() {
            self.past.add_trees(&self.game, self.library.source());
        }
        let sensors = self.game.trees_changed();
        // A tree that was broken before may still be, and a reload reports that only once.
        self.trouble.clear();
        for file in self.scene.roles().iter().map(|it| it.file) {
            if let Err(report) = self.library.check(file, &self.registry) {
                let lines = report.plain();
                let places = report.diagnostics().iter().map(Some).chain(std::iter::repeat(None));
                for (line, place) in lines.lines().zip(places) {
                    let problem = line.to_owned() + &place.and_then(|it| self.source_of(it)).unwrap_or_default();
                    if !self.trouble.contains(&problem) {
                        self.trouble.push(problem);
                    }
                }
            }
        }
        self.trouble.extend(reload.refused.iter().map(|(name, why)| format!("{name} stays as it is: {why}")));
        self.trouble.extend(sensors.err().map(|it| it.to_string()));
        if self.behaviours.refresh(&self.game) {
            // The numbers of nodes may have changed.
            self.choose_again();
        }
        let files = reload.files.join(", ");
        let (kept, restarted) =
            reload.replaced.iter().fold((0, 0), |all, it| (all.0 + it.agents_kept, all.1 + it.agents_restarted));
        let reloaded = !reload.replaced.is_empty();
        let said = if reloaded {
            format!("{files}: reloaded, {kept} agents kept running, {restarted} restarted in part")
        } else {
            format!("{files}: rejected, the old trees keep running")
        };
        Some(News { said, broken: !self.trouble.is_empty(), reloaded })
    }

    /// The line of the file that a problem is about, and a caret below its place.
    fn source_of(&self, problem: &Diagnostic) -> Option<String> {
        // If the file is saved again in between, the next report comes soon.
        let text = std::fs::read_to_string(self.folder.join(problem.file())).ok()?;
        let line = text.lines().nth(problem.line().checked_sub(1)?)?;
        let indent = line.chars().take_while(|it| it.is_whitespace()).count();
        let caret = problem.column().saturating_sub(1).saturating_sub(indent);
        Some(format!("\n{}\n{}^", line.trim(), " ".repeat(caret)))
    }

    /// The problems of the files. A problem is one line, and if it has a place in a file, that line
    /// of the file and a caret follow.
    #[must_use]
    pub fn trouble(&self) -> &[String] {
        &self.trouble
    }
}
