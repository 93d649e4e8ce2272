//! What the playable arena shows, without a window: the simulation, the camera, what is drawn of
//! the world, and what is reported about an agent. The window (`window/`, the example `arena`)
//! draws it and passes on what the user does.
//!
//! Nothing here reads a clock. The window measures time, and lends its clock where a budget needs
//! one.

pub mod behaviour;
pub mod camera;
pub mod cone;
pub mod display;
pub mod guide;
pub mod history;
pub mod interruption;
pub mod layout;
pub mod measure;
pub mod options;
pub mod pace;
pub mod panel;
pub mod sim;
pub mod status;
pub mod studio;
pub mod tell;
pub mod timeline;
