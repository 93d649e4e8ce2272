//! Whether there is a display to open a window on, as far as that can be known beforehand.

use std::ffi::OsString;

/// Which kind of display to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// The system's own: there is no choice.
    System,
    /// An X server.
    X11,
    /// A Wayland compositor.
    Wayland,
}

/// The display that the environment names. The window library ends the program if it finds none, so
/// this is checked first. The named display may still be gone or refuse: then the library panics,
/// or Xlib prints why and ends the program with 1.
///
/// # Errors
/// There is none: what to do, in a sentence.
pub fn find(variable: impl Fn(&str) -> Option<OsString>) -> Result<Display, String> {
    if !cfg!(all(unix, not(target_os = "macos"))) {
        return Ok(Display::System);
    }
    let set = |name| variable(name).is_some_and(|it| !it.is_empty());
    if set("DISPLAY") {
        Ok(Display::X11)
    } else if set("WAYLAND_DISPLAY") {
        Ok(Display::Wayland)
    } else {
        Err("there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set. Run it in a desktop session, or with \
             `xvfb-run -s '-screen 0 1280x720x24'`; `pleach run trees/guard.ron` needs no display"
            .into())
    }
}

/// How many samples a pixel has, for smooth edges: one if the environment says that the CPU
/// renders, for which four would take three times as long.
pub fn samples(variable: impl Fn(&str) -> Option<OsString>) -> u8 {
    let software = variable("LIBGL_ALWAYS_SOFTWARE").is_some_and(|it| !it.is_empty() && it != "0" && it != "false");
    if software { 1 } else { 4 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_draws_one_sample() {
        let with = |value: &'static str| samples(move |_| Some(value.into()));
        assert_eq!((with("1"), with("true"), with("0"), with(""), samples(|_| None)), (1, 1, 4, 4, 4));
    }

    #[test]
    #[cfg(all(unix, not(target_os = "macos")))]
    fn the_environment_decides() {
        let with = |set: &'static [(&str, &str)]| {
            find(|name| set.iter().find(|it| it.0 == name).map(|it| OsString::from(it.1)))
        };
        assert_eq!(with(&[("DISPLAY", ":0"), ("WAYLAND_DISPLAY", "wayland-0")]), Ok(Display::X11));
        assert_eq!(with(&[("DISPLAY", ""), ("WAYLAND_DISPLAY", "wayland-0")]), Ok(Display::Wayland));
        assert!(with(&[]).unwrap_err().contains("there is no display"));
    }
}
