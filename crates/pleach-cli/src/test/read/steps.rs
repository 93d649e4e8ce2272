//! The steps of a case.

use pleach::Status;
use pleach::tools::ron::{Arguments, Datum, Shape};
use pleach_lsp::{Part, TEST_OTHERS, TEST_STEP};

use super::fields::{Fields, list, names};
use super::{MOST_TICKS, Reader};
use crate::test::file::{At, Deed, Expect, Moment, Step, What};
use crate::words::grouped;

/// The names of the fields of a step for this part.
fn about(part: Part) -> Vec<&'static str> {
    TEST_STEP.iter().filter(|it| it.part == part).map(|it| it.name).collect()
}

impl<'d> Reader<'d> {
    pub(super) fn steps(&mut self, value: &'d Datum, dt: f32) -> Vec<Step> {
        let Shape::List(items) = &value.shape else {
            let help = "write `steps: [(at: 1.0, running: \"node\")]`";
            self.wrong_with(&value.span, format!("`steps` must be a list, not {value}"), help);
            return Vec::new();
        };
        let has_dt = |it: &Datum| match &it.shape {
            Shape::Call(None, Arguments::Named(fields)) => fields.iter().any(|it| it.0.text == "dt"),
            _ => false,
        };
        let changes_dt = items.iter().any(has_dt);
        let (mut last, mut most) = (0, 0);
        let mut steps = Vec::new();
        for (at, it) in items.iter().enumerate() {
            let Some(step) = self.step(it, at == 0, dt, changes_dt) else { continue };
            let reached = match step.moment.it {
                Moment::Tick(tick) if tick < last => {
                    let message = "this step is before the one above it: write steps in the order of time";
                    self.wrong(&step.moment.span, message);
                    tick
                }
                Moment::Tick(tick) => tick,
                Moment::After(ticks) | Moment::Within(ticks) => most.max(last).saturating_add(ticks),
            };
            if reached > MOST_TICKS && most <= MOST_TICKS {
                let most = grouped(MOST_TICKS.into());
                let message =
                    format!("a case plays at most {most} ticks: this step is at tick {}", grouped(reached.into()));
                self.wrong_with(&step.moment.span, message, "write longer ticks, as in `dt: 1.0`, or less time");
            }
            most = most.max(reached);
            // An expectation `within` some time may hold at once.
            match step.moment.it {
                Moment::Tick(tick) => last = last.max(tick),
                Moment::After(ticks) if reached <= MOST_TICKS => last += ticks,
                Moment::After(_) | Moment::Within(_) => {}
            }
            steps.push(step);
        }
        steps
    }

    fn step(&mut self, value: &'d Datum, is_first: bool, dt: f32, changes_dt: bool) -> Option<Step> {
        let Shape::Call(None, args) = &value.shape else {
            self.wrong(&value.span, format!("a step is `(at: 1.0, running: \"node\")`, not {value}"));
            return None;
        };
        let fields = self.fields(&value.span, args, "a step", &names(TEST_STEP))?;
        let moment = self.moment(value, &fields, is_first, dt);
        if let Some((field, value)) = fields.among(&["at", "after", "within"]).first().filter(|_| changes_dt) {
            let message = format!("`{field}` means a time, and a step of the case changes `dt`");
            self.wrong_with(&value.span, message, "write `tick: 3`, the number of a tick");
        }
        let (mut expects, mut deeds) = (Vec::new(), Vec::new());
        self.expects(&fields, &mut expects);
        self.deeds(&fields, &mut deeds);
        let moment = moment?;
        let is_early = |it: &&At<Expect>| !matches!(it.it, Expect::Key(..) | Expect::Expr(_));
        if let (Moment::Tick(0), Some(first)) = (moment.it, expects.iter().find(is_early)) {
            let help = "give the step a time: `at: 1.0`";
            self.wrong_with(&first.span, "nothing has happened yet before the first tick", help);
        }
        if matches!(moment.it, Moment::Within(_)) && fields.among(&about(Part::Expectation)).is_empty() {
            let help = "say it, as in `within: 2.0, running: \"node\"`; or write `after`";
            self.wrong_with(&moment.span, "the step does not say what comes `within` this time", help);
        }
        Some(Step { moment, expects, deeds })
    }

    fn moment(&mut self, step: &Datum, fields: &Fields<'d>, is_first: bool, dt: f32) -> Option<At<Moment>> {
        let (field, value) = match fields.among(&about(Part::Moment))[..] {
            [] if is_first => return Some(At { it: Moment::Tick(0), span: step.span.clone() }),
            [] => {
                let help = "write `at: 1.0` for a time, `after: 1.0` for a time after the step before, `within: 1.0` \
                            for at most so long after it, or `tick: 3`";
                self.wrong_with(&step.span, "the step does not say when it is", help);
                return None;
            }
            [it] => it,
            [(one, _), (other, value), ..] => {
                self.wrong(&value.span, format!("a step has one time: `{one}` or `{other}`"));
                return None;
            }
        };
        let ticks = match field {
            "tick" => u32::try_from(self.whole(value, field, 0, MOST_TICKS.into())?).unwrap_or(MOST_TICKS),
            _ => {
                let seconds = self.seconds(value, field)?;
                // The first tick that is not before that time. Sums of ticks are not exact.
                let ticks = (seconds / exact(dt) - 1e-6).ceil().clamp(0.0, u32::MAX.into());
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is in the range")]
                let ticks = ticks as u32;
                ticks
            }
        };
        let moment = match field {
            "after" => Moment::After(ticks),
            "within" => Moment::Within(ticks),
            _ => Moment::Tick(ticks),
        };
        Some(At { it: moment, span: value.span.clone() })
    }

    fn expects(&mut self, fields: &Fields<'d>, expects: &mut Vec<At<Expect>>) {
        type Make = fn(String) -> Expect;
        let lists: [(&str, Make); 7] = [
            ("running", Expect::Running),
            ("not_running", Expect::NotRunning),
            ("started", |it| Expect::Happened(What::Started, it)),
            ("succeeded", |it| Expect::Happened(What::Succeeded, it)),
            ("failed", |it| Expect::Happened(What::Failed, it)),
            ("emitted", Expect::Emitted),
            ("expect", Expect::Expr),
        ];
        for (field, make) in lists {
            let Some(value) = fields.get(field) else { continue };
            let texts = self.texts(value, field).into_iter();
            expects.extend(texts.map(|it| At { it: make(it.it), span: it.span }));
        }
        if let Some(value) = fields.get("aborted") {
            for (node, by) in self.map(value, "aborted", "{ \"node\": \"by this one\" }") {
                let Some(by) = self.text(by, "what aborted it") else { continue };
                expects.push(At { it: Expect::Aborted(node.it, by.it), span: node.span });
            }
        }
        if let Some(value) = fields.get("keys") {
            for (key, value) in self.map(value, "keys", "{ \"health\": 0.5 }") {
                expects.push(At { it: Expect::Key(key.it, self.value(value)), span: key.span });
            }
        }
        if let Some(value) = fields.get("status") {
            let status = self.word(value, "status", &["Success", "Failure", "Running"]);
            let status = status.map(|it| [Status::Success, Status::Failure, Status::Running][it]);
            expects.extend(status.map(|it| At { it: Expect::Status(it), span: value.span.clone() }));
        }
    }

    fn deeds(&mut self, fields: &Fields<'d>, deeds: &mut Vec<At<Deed>>) {
        if let Some(value) = fields.get("set") {
            for (key, value) in self.map(value, "set", "{ \"health\": 0.5 }") {
                deeds.push(At { it: Deed::Set(key.it, self.value(value)), span: key.span });
            }
        }
        if let Some(value) = fields.get("send") {
            if let Shape::Map(_) = value.shape {
                for (event, value) in self.map(value, "send", "{ \"noise\": (3, 4) }") {
                    // `()` means no payload.
                    let value = Some(self.value(value)).filter(|it| it != "()");
                    deeds.push(At { it: Deed::Send(event.it, value), span: event.span });
                }
            } else {
                for it in self.texts(value, "send") {
                    deeds.push(At { it: Deed::Send(it.it, None), span: it.span });
                }
            }
        }
        if let Some(value) = fields.get("fill") {
            for (slot, tree) in self.map(value, "fill", "{ \"slot\": \"tree\" }") {
                let Some(tree) = self.text(tree, "the tree of a slot") else { continue };
                deeds.push(At { it: Deed::Fill(slot.it, tree.it), span: slot.span });
            }
        }
        if let Some(value) = fields.get("others") {
            let Shape::Call(None, args) = &value.shape else {
                let help = "write `others: (set: { \"health\": 0.5 })`";
                self.wrong_with(&value.span, format!("`others` must be a struct, not {value}"), help);
                return;
            };
            let Some(fields) = self.fields(&value.span, args, "`others`", &TEST_OTHERS) else { return };
            let mut theirs = Vec::new();
            self.deeds(&fields, &mut theirs);
            deeds.extend(theirs.into_iter().map(|it| At { it: Deed::Others(Box::new(it.it)), span: it.span }));
        }
        if let Some(value) = fields.get("answer") {
            for (leaf, answer) in self.map(value, "answer", "{ \"Leaf\": Success }") {
                let Some(answer) = self.answer(answer) else { continue };
                deeds.push(At { it: Deed::Answer(leaf.it, answer), span: leaf.span });
            }
        }
        if let Some(dt) =
            fields.get("dt").and_then(|it| self.dt(it).map(|dt| At { it: Deed::Dt(dt), span: it.span.clone() }))
        {
            deeds.push(dt);
        }
        if let Some(value) = fields.get("do") {
            let one = std::slice::from_ref(value);
            let items = if let Shape::List(items) = &value.shape { items } else { one };
            for it in items {
                let Some(at) = self.word(it, "do", &["Pause", "Unpause", "Restart"]) else { continue };
                let deed = [Deed::Pause, Deed::Unpause, Deed::Restart][at].clone();
                deeds.push(At { it: deed, span: it.span.clone() });
            }
        }
    }

    /// One of some words.
    fn word(&mut self, value: &Datum, field: &str, known: &[&str]) -> Option<usize> {
        if let Shape::Call(Some(name), Arguments::None) = &value.shape {
            if let Some(at) = known.iter().position(|it| *it == name.text) {
                return Some(at);
            }
            if let Some(near) = pleach::tools::names::near(&name.text, known.iter().copied()) {
                let message = format!("unknown `{field}`: `{}`", name.text);
                self.wrong_with(&value.span, message, near.help().to_string());
                return None;
            }
        }
        self.wrong(&value.span, format!("`{field}` must be one of {}, not {value}", list(known)));
        None
    }
}

/// A tick of nearly 1/n seconds counts as 1/n, and any other as the decimal number that is written.
fn exact(dt: f32) -> f64 {
    let parts = (1.0 / f64::from(dt)).round();
    if parts >= 1.0 && (f64::from(dt) * parts - 1.0).abs() < 1e-6 {
        return 1.0 / parts;
    }
    dt.to_string().parse().unwrap_or_else(|_| dt.into())
}
