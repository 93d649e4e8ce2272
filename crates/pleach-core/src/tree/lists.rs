//! Lists of nodes, one per node of a tree, in two arrays.

use crate::index::NodeId;

/// All lists, one after the other, and where each begins; one more at the end.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    all: Vec<NodeId>,
    from: Vec<u32>,
}

impl Lists {
    /// This many lists, made from these pairs of an owner and a member; members of one list keep
    /// their order.
    pub(super) fn new(lists: usize, pairs: impl Iterator<Item = (NodeId, NodeId)> + Clone) -> Self {
        let mut from = vec![0_u32; lists + 1];
        for (owner, _) in pairs.clone() {
            from[owner.index() + 1] += 1;
        }
        for index in 0..lists {
            from[index + 1] += from[index];
        }
        let mut next = from.clone();
        let mut all = vec![NodeId::ROOT; from[lists] as usize];
        for (owner, member) in pairs {
            let place = &mut next[owner.index()];
            all[*place as usize] = member;
            *place += 1;
        }
        Lists { all, from }
    }

    /// The list of a node.
    #[inline]
    pub(crate) fn of(&self, owner: NodeId) -> &[NodeId] {
        &self.all[self.from[owner.index()] as usize..self.from[owner.index() + 1] as usize]
    }
}
