//! The nodes, each in its own box, and the functions that make them. `B` is what the nodes of one
//! agent read and write.

pub(super) fn selector<B: 'static, const N: usize>(children: [Box<dyn Node<B>>; N]) -> Box<dyn Node<B>> {
    Box::new(Selector { children, cursor: 0 })
}

pub(super) fn sequence<B: 'static, const N: usize>(children: [Box<dyn Node<B>>; N]) -> Box<dyn Node<B>> {
    Box::new(Sequence { children, cursor: 0, evaluated: 0, aborts_lower: false })
}

pub(super) fn aborting_sequence<B: 'static, const N: usize>(children: [Box<dyn Node<B>>; N]) -> Box<dyn Node<B>> {
    Box::new(Sequence { children, cursor: 0, evaluated: 0, aborts_lower: true })
}

pub(super) fn inverter<B: 'static>(child: Box<dyn Node<B>>) -> Box<dyn Node<B>> {
    Box::new(Inverter { child })
}

pub(super) fn forever<B: 'static>(child: Box<dyn Node<B>>) -> Box<dyn Node<B>> {
    Box::new(Forever { child })
}

pub(super) fn check<B>(test: impl Fn(&B) -> bool + 'static) -> Box<dyn Node<B>> {
    Box::new(Check { test, last: false })
}

pub(super) fn lasting<B>(limit: u32, done: impl Fn(&mut B) + 'static) -> Box<dyn Node<B>> {
    Box::new(Lasting { count: 0, limit, done })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Running,
    Success,
    Failure,
}

pub(super) trait Node<B> {
    /// Starts the node if it is not running, and updates it. A node that ends leaves itself ready
    /// to start again.
    fn tick(&mut self, body: &mut B) -> Status;

    /// Ends the node from outside, and leaves it ready to start again.
    fn reset(&mut self) {}

    /// Whether a condition in it that may abort branches to its right has changed its answer since
    /// it was evaluated. Called only for nodes that have ended.
    fn has_changed(&self, _body: &B) -> bool {
        false
    }
}

/// The children's boxes lie in their parent's: a separate list would be one more cache line on the
/// way to each child.
struct Selector<B, const N: usize> {
    children: [Box<dyn Node<B>>; N],
    cursor: usize,
}

impl<B, const N: usize> Node<B> for Selector<B, N> {
    fn tick(&mut self, body: &mut B) -> Status {
        // The cursor is 0 between two runs: if it is not, its child is running and those left of it
        // have failed.
        let changed = self.children[..self.cursor].iter().position(|child| child.has_changed(body));
        if let Some(position) = changed {
            self.children[self.cursor].reset();
            self.cursor = position;
        }
        while let Some(child) = self.children.get_mut(self.cursor) {
            match child.tick(body) {
                Status::Running => return Status::Running,
                Status::Success => {
                    self.cursor = 0;
                    return Status::Success;
                }
                Status::Failure => self.cursor += 1,
            }
        }
        self.cursor = 0;
        Status::Failure
    }

    fn reset(&mut self) {
        self.children[self.cursor].reset();
        self.cursor = 0;
    }
}

struct Sequence<B, const N: usize> {
    children: [Box<dyn Node<B>>; N],
    cursor: u8,
    /// How many children the last run reached.
    evaluated: u8,
    aborts_lower: bool,
}

impl<B, const N: usize> Node<B> for Sequence<B, N> {
    fn tick(&mut self, body: &mut B) -> Status {
        while let Some(child) = self.children.get_mut(usize::from(self.cursor)) {
            match child.tick(body) {
                Status::Running => return Status::Running,
                Status::Success => self.cursor += 1,
                Status::Failure => {
                    self.evaluated = self.cursor + 1;
                    self.cursor = 0;
                    return Status::Failure;
                }
            }
        }
        self.evaluated = self.cursor;
        self.cursor = 0;
        Status::Success
    }

    fn reset(&mut self) {
        self.children[usize::from(self.cursor)].reset();
        self.cursor = 0;
    }

    fn has_changed(&self, body: &B) -> bool {
        self.aborts_lower && self.children[..usize::from(self.evaluated)].iter().any(|child| child.has_changed(body))
    }
}

struct Inverter<B> {
    child: Box<dyn Node<B>>,
}

impl<B> Node<B> for Inverter<B> {
    fn tick(&mut self, body: &mut B) -> Status {
        match self.child.tick(body) {
            Status::Running => Status::Running,
            Status::Success => Status::Failure,
            Status::Failure => Status::Success,
        }
    }

    fn reset(&mut self) {
        self.child.reset();
    }

    fn has_changed(&self, body: &B) -> bool {
        self.child.has_changed(body)
    }
}

/// Starts its child again in the tick in which it ended.
struct Forever<B> {
    child: Box<dyn Node<B>>,
}

impl<B> Node<B> for Forever<B> {
    fn tick(&mut self, body: &mut B) -> Status {
        while self.child.tick(body) != Status::Running {}
        Status::Running
    }

    fn reset(&mut self) {
        self.child.reset();
    }
}

struct Check<F> {
    test: F,
    last: bool,
}

impl<B, F: Fn(&B) -> bool> Node<B> for Check<F> {
    fn tick(&mut self, body: &mut B) -> Status {
        self.last = (self.test)(body);
        if self.last { Status::Success } else { Status::Failure }
    }

    fn has_changed(&self, body: &B) -> bool {
        (self.test)(body) != self.last
    }
}

/// An action that takes `limit` + 1 updates: Flee, Attack, MoveToNoise, Wait, a nap.
struct Lasting<F> {
    count: u32,
    limit: u32,
    done: F,
}

impl<B, F: Fn(&mut B)> Node<B> for Lasting<F> {
    fn tick(&mut self, body: &mut B) -> Status {
        if self.count == self.limit {
            (self.done)(body);
            self.count = 0;
            Status::Success
        } else {
            self.count += 1;
            Status::Running
        }
    }

    fn reset(&mut self) {
        self.count = 0;
    }
}
