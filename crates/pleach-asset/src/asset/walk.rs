//! The nodes of a tree, of its templates, and of the defaults of its holes.

use super::{AssetNode, AssetTree, HoleEntry, Nodes, Subtree, Template};

impl<'a> AssetTree<'a> {
    /// All its enabled nodes, including those of templates.
    pub(crate) fn enabled(&self) -> impl Iterator<Item = &AssetNode<'a>> {
        self.own().chain(self.templates.iter().flat_map(Template::enabled))
    }

    /// All its nodes, including disabled ones and those of templates.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &AssetNode<'a>> {
        let templates = self.templates.iter().flat_map(|it| it.root.0.iter().chain(defaults(&it.holes)));
        let own = self.interrupts.iter().flat_map(|it| &it.run.0).chain(&self.root.0);
        own.chain(defaults(&self.holes)).chain(templates)
    }

    /// Its nodes outside templates.
    pub(crate) fn own(&self) -> impl Iterator<Item = &AssetNode<'a>> {
        let own = self.interrupts.iter().flat_map(|it| it.run.enabled()).chain(self.root.enabled());
        own.chain(enabled_defaults(&self.holes))
    }

    /// Its trees, except those of templates.
    pub(crate) fn own_trees(&self) -> impl Iterator<Item = Subtree<'_>> {
        let own = self.interrupts.iter().map(|it| &it.run).chain([&self.root]);
        own.chain(self.holes.iter().flat_map(|it| it.default.iter().flatten())).map(Nodes::whole)
    }
}

impl<'a> Template<'a> {
    /// Its root, and the defaults of its holes.
    pub(crate) fn trees(&self) -> impl Iterator<Item = Subtree<'_>> {
        [&self.root].into_iter().chain(self.holes.iter().flat_map(|it| it.default.iter().flatten())).map(Nodes::whole)
    }

    /// Its enabled nodes.
    pub(crate) fn enabled(&self) -> impl Iterator<Item = &AssetNode<'a>> {
        self.root.enabled().chain(enabled_defaults(&self.holes))
    }
}

/// The nodes in the defaults of holes.
fn defaults<'h, 'a>(holes: &'h [HoleEntry<'a>]) -> impl Iterator<Item = &'h AssetNode<'a>> {
    holes.iter().flat_map(|it| it.default.iter().flatten()).flat_map(|it| &it.0)
}

/// The same, without disabled nodes.
fn enabled_defaults<'h, 'a>(holes: &'h [HoleEntry<'a>]) -> impl Iterator<Item = &'h AssetNode<'a>> {
    holes.iter().flat_map(|it| it.default.iter().flatten()).flat_map(Nodes::enabled)
}
