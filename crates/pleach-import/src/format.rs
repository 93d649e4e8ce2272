//! [`Format`]: the formats that are known.

use std::fmt;
use std::str::FromStr;

/// A format of trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// XML of BehaviorTree.CPP, versions 3 and 4.
    BtCpp,
    /// JSON of behavior3, as behavior3js and its editor have it: nodes by their ids.
    Behavior3,
    /// JSON of behavior3 with nodes inside each other, as behavior3-ts and behavior3lua have it.
    Behavior3Nested,
    /// LimboAI: text resources of Godot.
    LimboAi,
    /// Beehave: scenes of Godot, with the scripts of their leaves.
    Beehave,
    /// Behavior Designer's JSON, alone or in files of Unity.
    BehaviorDesigner,
    /// XML of behaviac's designer.
    Behaviac,
    /// Maikire's text: an edge a line.
    Maikire,
    /// Starbound's JSON.
    Starbound,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 9] = [
        Format::BtCpp,
        Format::Behavior3,
        Format::Behavior3Nested,
        Format::LimboAi,
        Format::Beehave,
        Format::BehaviorDesigner,
        Format::Behaviac,
        Format::Maikire,
        Format::Starbound,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::BtCpp => "btcpp",
            Format::Behavior3 => "behavior3",
            Format::Behavior3Nested => "behavior3-nested",
            Format::LimboAi => "limboai",
            Format::Beehave => "beehave",
            Format::BehaviorDesigner => "behavior-designer",
            Format::Behaviac => "behaviac",
            Format::Maikire => "maikire",
            Format::Starbound => "starbound",
        }
    }

    /// The extensions of its files.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::BtCpp | Format::Behaviac => &["xml"],
            Format::Behavior3 => &["b3", "json"],
            Format::Behavior3Nested => &["json"],
            Format::LimboAi => &["tres"],
            Format::Beehave => &["tscn", "gd"],
            Format::BehaviorDesigner => &["asset", "prefab", "unity", "json"],
            Format::Maikire => &["txt"],
            Format::Starbound => &["behavior"],
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        Format::ALL.into_iter().find(|it| it.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.into_iter().map(Format::name).collect();
            format!("`{text}` is not a format: it is one of {}", names.join(", "))
        })
    }
}
