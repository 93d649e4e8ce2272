//! What a page shows, as data: the answers to questions, and a report, which holds all answers
//! about a stretch of one agent. `page/src/model.ts` is generated from it.
//!
//! Frames have the numbers that the recorded game gave them. Times are in seconds of the game.

mod crowd;
mod edit;
mod live;
mod question;
mod recorded;
mod report;
mod track;

pub use crowd::{AgentRow, AgentsView, BehaviourTrack, CrowdTrack, FoundView, HeatView, Hit, Share};
pub use edit::{
    CaseView, Change, ChoiceView, Counted, DiffView, EditQuestion, EditView, FieldView, FileRow, FileState, FileView,
    LineView, NodeChange, ProblemView, Side, TestsView, ValueChange, WhatIfView,
};
pub use live::{BreakView, ForcedView, GameView, LiveView, ReloadView};
pub use pleach_view::model::{ConditionView, KeyText, LastAbort, Line, MomentView, NodeNote, StepView, WhyNotView};
pub use question::{Ended, FindQuestion, NodeResult, Problem, Question, Steer};
pub use recorded::{Class, KeyView, Kind, NodeView, Overview, Place, TreeView};
pub use report::{MomentChange, Reasons, Report};
pub use track::{Entered, How, KeyTrack, KeyValue, Mark, MarkKind, Span, TrackView, TreeSpan};
