//! Fields with a fixed set of words: outcomes, ends of a child, policies.

use super::super::fields::{Json, Spot};
use super::super::{Ending, Outcome, Policy};
use super::Read;

pub(super) fn ending(spot: &Spot<'_>) -> Read<Ending> {
    match spot.string()? {
        "I" => Ok(Ending::Aborted),
        "S" => Ok(Ending::Itself(Outcome::Success)),
        "F" => Ok(Ending::Itself(Outcome::Failure)),
        _ => Err(spot.expected("I, S or F")),
    }
}

pub(super) fn policy(spot: &Spot<'_>) -> Read<Policy> {
    match spot.json {
        Json::String(s) if s == "all" => Ok(Policy::All),
        Json::String(s) if s == "any" => Ok(Policy::Any),
        _ => spot.int("all, any or a number of children").map(Policy::AtLeast),
    }
}

pub(super) fn outcome(spot: &Spot<'_>) -> Read<Outcome> {
    match spot.string()? {
        "S" => Ok(Outcome::Success),
        "F" => Ok(Outcome::Failure),
        _ => Err(spot.expected("S or F")),
    }
}
