//! The help of the program: examples, exit codes, and its name.

use clap::Command;

const EXIT_CODES: &str = "\
Exit codes:
  0    no errors
  1    a tree has errors, a case failed, or the command failed
  2    the command line is wrong: unknown option, missing file, number out of range
  130  ended early by Ctrl-C
  143  ended by SIGTERM; 129 by SIGHUP

Colours appear on terminals only; NO_COLOR=1 turns them off, CLICOLOR_FORCE=1 on.";

const ABOUT_EXAMPLES: &str = "\
Examples:
  {name} new .
  {name} run trees/guard.ron --agents 10000 --seconds 30
  {name} run trees/guard.ron --agents 50 --seed 4 --watch 17
  {name} run trees/guard.ron --record guard.rec
  {name} replay guard.rec --agent 17 --to 12.5 --explain
  {name} studio guard.rec
  {name} bench trees/guard.ron --agents 100000
  {name} check trees
  {name} explain P1006
  {name} fmt trees
  {name} diff --git HEAD~1 trees
  {name} show trees/guard.ron --svg -o guard.svg
  {name} play trees/minimal.ron \"answer SeesPlayer true; tick; show\"
  {name} test trees
  {name} bake trees --into game/trees
  {name} import behaviours/ --into trees
  {name} nodes Parallel
";

const NEW_EXAMPLES: &str = "\
Examples:
  {name} new .
      Writes the folder `trees` here, with trees and their tests. Nothing is written over
";

const RUN_EXAMPLES: &str = "\
Examples:
  {name} run trees/guard.ron --agents 10000 --seconds 30 --seed 7
      What it costs, and what the agents spend their time on
  {name} run trees/guard.ron --agents 50 --watch 17
      Watch an agent: space pauses, n steps, left and right change the agent, up, down, PgUp,
      PgDn, Home and End scroll, Enter follows the agent again, f folds what does not run
  {name} run trees/guard.ron --agents 50 --seconds 8 --explain 17
      Why it does what it does after eight seconds
  {name} run trees/guard.ron --agents 50 --seconds 3 --trace 17
      Everything that happens to it, tick by tick; the same seed gives the same trace
  {name} run trees/guard.ron --agents 10000 --seconds 600 --reload
      Edit its files while it runs: the agents carry on under the new tree
  {name} run trees/guard.ron --agents 100 --seconds 360 --coverage
      Which nodes no agent ever started; --coverage-json FILE keeps it for `show --coverage`
  {name} run trees/guard.ron --agents 50 --record guard.rec
      Keep the run for `replay`, which shows any agent at any time
  {name} run trees/guard.ron --set \"health=0.2 at 5 until 9 for 30%\" --send \"noise=(3, 4) at 2 for agent 7\"
      Reach a branch: a share of the guards is weak for four seconds, and one hears a noise

--set, --fill and --send act on the agents after the game has told them what they perceive. So a key that the game \
writes in every frame keeps the value only where `until` holds it.

--record keeps the inputs of agents, and the text of the tree. It goes with all other options. The file is written \
when the run ends, also by Ctrl-C or by the panic of a leaf. The times in the table include the recording.
";

const REPLAY_EXAMPLES: &str = "\
Examples:
  {name} replay guard.rec
      Plays the whole recording: its length, its size, and whether it diverges
  {name} replay guard.rec --agent 17 --to 12.5
      What an agent did at that time: its tree with what runs, and its keys
  {name} replay guard.rec --agent 17 --from 12 --to 13 --trace
      Everything that happened to it in that second
  {name} replay guard.rec --agent 17 --to 12.5 --explain --why flee
      Why it did that, and why it did not flee
  {name} replay guard.rec --agent 17 --to 12.5 --svg guard.svg
      A picture of its tree with what runs
  {name} replay guard.rec --agent 17 --from 12 --to 15 --report guard.html
      A page of these three seconds, for a bug report: what it did, when, and why
  {name} replay guard.rec --agent 17 --from 12 --to 15 --into trees/guard.test.ron
      Writes these three seconds as a test, which runs without the recording
  {name} replay guard.rec --with trees/guard.ron
      Tries an edited tree: where does it first decide differently?
  {name} replay guard.rec --find Attack --ended aborted --where \"health < 0.3\"
      Where was an attack aborted with so little health, how often, and whose?

A recording holds what agents took from outside: what leaves answered, the keys that expressions read, events. `{name} \
run --record` makes one, and so does a game, with `pleach::record::Recording`. A replay computes every decision again \
from that. No leaf is called, so any `pleach` replays the recordings of any game.

Agents are numbered in the order in which they came. Seconds and frames are those of the game.

A key holds what an expression last read of it. A change that made no difference to any expression is not recorded, nor is \
a key that no expression reads.

A replay diverges where an agent does not ask for an answer that was recorded. With the recorded trees, that is a bug of \
pleach, or the recording is damaged.

--find says where a node started, or ended, --event where an event came, and --where where an expression became true. \
With --find or --event, --where narrows the search to frames after which the expression is true. --agent, --from and --to narrow it, too.

--into adds a case to a test file, or makes one, and writes a save of the agent beside it. In the case leaves answer, keys \
change and events come as they did, and what ran is expected. A case cannot hold what the \
game itself did to the agent (filling a slot, say) or random numbers that leaves drew. The command then writes nothing \
and says why.

--with plays both the recorded trees and the given ones, and says where each agent first runs something else. What it \
does later means little: its world did not answer to it. Nodes may have been added, removed and moved: what a \
new leaf answers is not in the recording, and the replay says so. Expressions see only the values that the recorded ones \
read: a changed threshold is not tried on the values between.

The exit code is 1 if an agent diverged or decided differently, if a search finds nothing, or if the recording is damaged. \
A damaged recording is played up to the damage.
";

#[cfg(feature = "studio")]
const STUDIO_EXAMPLES: &str = "\
Examples:
  {name} studio guard.rec
      Opens the page in the browser, and serves it until Ctrl-C
  {name} studio guard.rec --port 8000 --no-open
      Only prints the address, which has the token that the page needs
  {name} studio trees/
      Edits the trees of a directory, without a recording
  {name} studio guard.rec --trees trees/
      Edits them beside a recording, and shows what its agents would have done

Files are written only when you save. Only this machine can open the page, and only with the token in the address. `{name} replay --report` writes the page for \
one agent to a file.
";

const BENCH_EXAMPLES: &str = "\
Examples:
  {name} bench trees/guard.ron
      What ten thousand guards cost, and a thousand
  {name} bench trees/guard.ron --agents 100000 --frames 120 --seed 7
      A crowd that is larger than any cache
  {name} bench trees/fighter.ron trees/rabbit.ron
      Each on its own
  {name} bench trees
      Every .ron file in the directory and below

Each crowd plays in {game} in four ways, side by side: as it is, in batches (agents on the same action are ticked together), \
without sleep, and with every watched condition evaluated in every tick. The ways take turns. The ratio of a way is the median over its turns: \
it says what batches would save for this tree, and what sleep and evaluation on change save already. A median hides the few frames in which \
much more happens than in most: compare the means for these, on a machine that does nothing else.
";

const CHECK_EXAMPLES: &str = "\
Examples:
  {name} check trees
      Every .ron file in the directory and below
  {name} check trees/guard.ron new.ron
      These files
  generate-a-tree | {name} check -
      Standard input
  {name} check --leaves game.leaves trees
      Trees of another game
  {name} check --deny-warnings trees
      For scripts: exit with 1 for warnings too
  {name} check --fix trees
      Mend what needs no thought; add --diff to see it first
  {name} check --watch trees
      Check again whenever a file changes
  {name} check --format sarif trees > trees.sarif
      For CI: also json, and github for its workflows

Each problem has a code, and `{name} explain CODE` says what it means. Warnings name what is probably a mistake: a branch that should interrupt what runs and has no abort type, an abort type \
that can never fire, a flag that an abort leaves set, a child that is never reached, a comparison that is never true, a \
key that is not used, and more. The book describes them all. `allow: [\"P1006\"]` on a file or a node silences that warning there and below.

--fix writes files that were named, whole or not at all, and only if they still have the text that was checked. A link stays a link, and a read-only file is not written. Line ends and everything else that is not mended stay as they are.

In directories, hidden files are skipped, and links to directories are not followed.

Trees are checked against the leaves of {game}, or with --leaves against those of a manifest. The game's own program \
writes one (`{name} nodes --manifest > game.leaves` that of {game}), or the game itself, with \
`Manifest::of(&registry).to_ron()`. A manifest knows the names of leaves, whether they are conditions, the names and \
types of their parameters, and the keys that the game relies on. It does not know which values of the right type a leaf \
refuses (a range, or two that do not go together), nor the types of parameters that the game reads in its own way: \
there anything is accepted. If it does not know whether a leaf is an action or a condition, there are no warnings about \
aborts and about children that are never reached.
";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  {name} explain P1006
      What the code of a report means, with a wrong and a right example
  {name} explain
      All codes, with their titles

Codes keep their meaning in later versions. A file or a node can silence warnings: `allow: [\"P1006\"]`.
";

const FMT_EXAMPLES: &str = "\
Examples:
  {name} fmt trees
      Every .ron file in the directory and below
  {name} fmt trees/guard.ron game.leaves
      These files, whatever they are called: a manifest is RON too
  {name} fmt --check trees
      For scripts: list what is not formatted, exit with 1 if anything is
  {name} fmt --diff trees
      What would change
  {name} fmt - < guard.ron
      Standard input to standard output, for editors

Comments, blank lines and the order of all items stay. A bracket that is broken into lines stays broken; remove the line \
break behind its opening bracket to join it. Any other bracket is one line if it fits in 120 characters. The book \
describes the whole style.

A file is replaced in one step, and only if it still has the text that was read. A link stays a link: the file that it \
leads to is formatted. A read-only file is not written. A file that is not RON stays as it is, with the report of \
`{name} check`; the other files are formatted.
";

const DIFF_EXAMPLES: &str = "\
Examples:
  {name} diff old/guard.ron new/guard.ron
      Two files, with all that they include
  {name} diff old new
      Two directories: trees of the same path below them
  {name} diff --git HEAD trees
      What changed in trees since the last commit
  {name} diff --git main..HEAD trees
      Between two revisions
  {name} diff --git HEAD~1 --format json | jq '.trees[].old'
      For programs
  {name} diff --git HEAD trees/guard.ron --svg -o change.svg
      A picture: the new tree with what was added, changed and moved, and what was removed at its old
      place

Nodes are matched as a reload matches them: by id and kind, otherwise by kind and name below the same parent. So a node \
that was renamed and has no id is removed and added. Comments and layout do not count. A file that others include is \
compared within these.

The exit code is 0 if all trees are equal, 1 if any differ or have errors, and 2 if they cannot be compared.
";

const SHOW_EXAMPLES: &str = "\
Examples:
  {name} show trees/guard.ron
  {name} show trees/guard.ron --depth 3
  {name} show trees/guard.ron --node fight
  {name} show trees/guard.ron --svg -o guard.svg
  {name} show trees/guard.ron --svg --direction outline -o guard.svg
  {name} show trees/guard.ron --dot | dot -Tpng -o guard.png
  {name} show trees/guard.ron --leaves game.leaves

Unknown leaves are drawn as written. With --leaves they are errors, as in `check`.
";

const PLAY_EXAMPLES: &str = "\
Examples:
  {name} play farmer.ron \"tick; set wolf true; tick\"
      Everything that happens in a tick, and in one after the wolf came
  {name} play farmer.ron \"quiet; tick; set wolf true; tick; show; explain; why mow\"
      What runs then, and why; and why not the node `mow`
  {name} play farmer.ron \"answer WalkTo success; tick 0.5 x 4\"
      Two seconds of an agent that arrives at once
  {name} play farmer.ron \"answer WalkTo running; answer go home success; tick; get\"
      Of all nodes that walk, only `go home` arrives; then the values of all keys
  {name} play farmer.ron --script night.play
      The script of a file
  {name} play farmer.ron \"tick; set wolf true; tick\" --as-test > farmer.test.ron
      The script as a test, which expects what runs now

Steps, with `;` or a new line between them; `//` begins a comment:
  tick, tick 0.5, tick 0.5 x 4   time passes: 0.1 seconds, a half, four times a half
  set KEY VALUE                  a key gets a value: true, 3, 0.5, (3, 4), none, a word; the key
                                 slot:SLOT the name of a tree: the same as `fill`
  get KEY, get                   prints the value of a key, or those of all keys
  send EVENT, send EVENT VALUE   the agent is sent an event
  fill SLOT TREE                 a slot is filled, or emptied with `empty`: the same as
                                 `set slot:SLOT TREE`
  answer LEAF success            what a leaf of the game answers from now on: success, failure or
                                 running; of a condition true or false
  answer NODE success            the same for one node that calls a leaf; `answer every LEAF ..`
                                 if a node has the leaf's name
  answer LEAF success after 2    it runs for two seconds, and then succeeds
  expect health < 0.5            an expression is true; if not, the exit code is 1
  expect running NODE            a node runs; `expect not running NODE`: it does not
  pause, unpause, restart        pauses, resumes or restarts the agent
  show                           draws the tree with what runs in it
  explain                        says why the agent does what it does
  why NODE                       says why a node does not run
  quiet, trace                   ticks are not printed from now on, or are again

NODE is the name or id of a node, its number (n4), or a path as traces, tests and drawings print it \
(Selector/hide[0]/WalkTo[1], hide/WalkTo); the end of a path is enough if no other path ends like it. Names may have \
spaces. KEY is a name; where several keys have it, say whose: group.plan, n4.plan.

All steps are checked before the first one is played. A tick takes 1,000,000 seconds at most, and a script 10,000,000 \
ticks.

The game is not played: a leaf of {game} answers what the script says. Until then an action keeps running, and a condition \
does not hold. For unknown leaves the script must give the answer, or --leaves the manifest of the game.
";

const TEST_EXAMPLES: &str = "\
Examples:
  {name} test trees
      Every .test.ron file in the directory and below
  {name} test trees/guard.test.ron --filter flees
      The cases with this text in their names
  {name} test trees --bless
      Write the golden files; read what has changed in them
  {name} test trees --junit results.xml
      For CI

A test file lies beside its tree, and names it:

  Tests(
      version: 1,
      tree: \"guard.ron\",
      leaves: { \"Flee\": Success(after: 2.0) },
      cases: {
          \"a wounded guard flees, then rests\": (
              steps: [
                  (set: { \"health\": 0.2 }),
                  (at: 1.0, running: \"flee\"),
                  (within: 2.0, running: \"recover\"),
              ],
              never: [\"fight\"],
          ),
      },
  )

A step has a time: `at: 1.0` in seconds, `tick: 3`, `after: 1.0` after the step before, `within: 1.0` at most so long \
after it. A step first looks at what it expects, then does what it says. The first step needs no time.

  running, not_running           nodes, as in `play`: a name, a path or its end; or a leaf
  started, succeeded, failed     nodes, since the step before
  aborted: { \"node\": \"by\" }      since the step before; `by` is the condition or a node around it, or
                                 the guard, timeout, switch or reactive composite that did it
  keys: { \"health\": 0.5 }        the values of keys
  expect: \"health < 0.5\"         an expression that is true
  emitted: \"shout\"               an event that the tree gave to the game, since the step before
  status: Success                Success, Failure or Running: of the root
  set, send, fill, answer, do    as in `play`: `set: { \"health\": 0.2 }`, `send: \"noise\"` or
                                 `send: { \"noise\": (3, 4) }`, `fill: { \"slot\": \"tree\" }`,
                                 `answer: { \"Flee\": Failure }`, `do: Pause`, `Unpause` or `Restart`

For a whole case: `never` and `order` of nodes (one that stands there again starts again), `at_most: { \"node\": 2 }` and \
`at_least`, `always: \"health >= 0\"`, and `golden: \"flee.trace\"`, a file that its whole trace has to equal.

`leaves` says what leaves answer, by the name of the leaf or of one node: `Success`, `Failure`, `Running`, \
`Success(after: 2.0)`, `Success(ticks: 3)`, of a condition `true` or `false`; a list has one answer for each start. A \
leaf that is called and has no answer fails the case. With `world: true` a case is played in {game}: its leaves do what \
they do there (`Own`), unless `leaves` says something else.

`others: 3` puts three other agents of the tree into the agent's group: events to the group reach them, and they share \
tokens with it; `others: (set: { .. })` in a step does something to them, as `set`, `send` and `fill` do.

A case can also have `seed`, `dt` (the seconds of a tick, 0.1 by default), `tree`, `world` and `note`. The file can set \
`seed`, `dt`, `tree`, `world` and `leaves` for all of its cases. A case plays 1,000,000 ticks at most.
";

const BAKE_EXAMPLES: &str = "\
Examples:
  {name} bake trees --into game/trees
      Every .ron file in the directory and below, except those included by others
  {name} bake trees/guard.ron --into game/trees
      This tree, as game/trees/guard.baked
  {name} bake trees --into game/trees --leaves game.leaves
      Trees of another game

A baked tree is one file with all that it includes. Each is checked as when it is loaded; if anything is wrong with any \
tree, none is written. `{name} check` also says what is probably a mistake. The game loads a baked tree with \
`load_baked`, which needs only the feature `baked`. Another version of pleach may ask you to bake it again.
";

const NODES_EXAMPLES: &str = "\
Examples:
  {name} nodes
      Every node, every leaf of {game}, every function, one per line
  {name} nodes Parallel
      Every field it accepts
  {name} nodes --manifest > game.leaves
      What is known about the leaves of {game}, so that any `pleach` can check and draw its trees:
      pleach check --leaves game.leaves trees
  {name} nodes --schema > tree.schema.json
      A JSON Schema (draft 2020-12) of trees with these leaves, as serde writes them in JSON:
      { \"Wait\": { \"seconds\": 2.0 } }. It is for tools that build forms from it: pleach itself reads
      trees only as RON. Under $defs each leaf is a separate object, with the
      types, defaults and descriptions of its parameters, so that it can be used on its own
";

const LSP_EXAMPLES: &str = "\
Examples:
  {name} lsp
      What an editor starts. It knows the leaves of {game}
  {name} lsp --leaves game.leaves
      With the leaves of another game

The program speaks the Language Server Protocol: it answers editors, not people. The chapter \"Your editor\" of the book \
says how to set up VS Code, Neovim, Helix and Zed. It looks only at files that begin with `Tree(`, `Tests(` or \
`Manifest(`, and at files begun beside trees.
";

/// What the help names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    /// The program.
    pub(crate) name: &'a str,
    /// The game whose leaves it knows.
    pub(crate) game: &'a str,
    /// Whether trees can be run in it.
    pub(crate) has_world: bool,
    /// Examples of commands in place of ours.
    pub(crate) examples: &'a [(&'a str, &'a str)],
}

impl Named<'_> {
    fn text(&self, text: &str) -> String {
        text.replace("{name}", self.name).replace("{game}", self.game)
    }

    /// Appends examples and exit codes to the help of each command.
    pub(crate) fn dress(&self, mut command: Command) -> Command {
        let behind = |text: &str| self.text(&format!("{text}\n{EXIT_CODES}"));
        let about = if self.has_world { ABOUT_EXAMPLES.into() } else { without_world(ABOUT_EXAMPLES) };
        command = command.after_help(behind(&about));
        let ours = [
            ("run", RUN_EXAMPLES),
            ("replay", REPLAY_EXAMPLES),
            #[cfg(feature = "studio")]
            ("studio", STUDIO_EXAMPLES),
            ("new", NEW_EXAMPLES),
            ("bench", BENCH_EXAMPLES),
            ("check", CHECK_EXAMPLES),
            ("explain", EXPLAIN_EXAMPLES),
            ("fmt", FMT_EXAMPLES),
            ("diff", DIFF_EXAMPLES),
            ("show", SHOW_EXAMPLES),
            ("play", PLAY_EXAMPLES),
            ("test", TEST_EXAMPLES),
            ("bake", BAKE_EXAMPLES),
            ("import", crate::import::EXAMPLES),
            ("export", crate::export::EXAMPLES),
            ("nodes", NODES_EXAMPLES),
            ("lsp", LSP_EXAMPLES),
        ];
        for (of, text) in ours {
            let text = self.examples.iter().find(|it| it.0 == of).map_or(text, |it| it.1);
            command = command.mut_subcommand(of, |it| it.after_help(behind(text)));
        }
        let run = self.text("Run agents of a tree in {game}, and show what they cost and do");
        command = command.mut_subcommand("run", |it| it.about(run).hide(!self.has_world));
        command.mut_subcommand("bench", |it| it.hide(!self.has_world))
    }
}

/// Examples of commands that need no world.
fn without_world(examples: &str) -> String {
    let lines = examples.lines().filter(|it| ![" run ", " bench "].iter().any(|of| it.contains(of)));
    lines.flat_map(|it| [it, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_have_no_line_breaks_of_their_own() {
        // The width of the terminal decides where they break.
        for text in [
            ABOUT_EXAMPLES,
            RUN_EXAMPLES,
            REPLAY_EXAMPLES,
            #[cfg(feature = "studio")]
            STUDIO_EXAMPLES,
            BENCH_EXAMPLES,
            CHECK_EXAMPLES,
            EXPLAIN_EXAMPLES,
            FMT_EXAMPLES,
            DIFF_EXAMPLES,
            SHOW_EXAMPLES,
            PLAY_EXAMPLES,
            TEST_EXAMPLES,
            BAKE_EXAMPLES,
            crate::import::EXAMPLES,
            crate::export::EXAMPLES,
            NODES_EXAMPLES,
            LSP_EXAMPLES,
        ] {
            let lines: Vec<&str> = text.lines().collect();
            let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
            for pair in lines.windows(2) {
                assert!(!is_prose(pair[0]) || !is_prose(pair[1]), "{pair:?}");
            }
        }
    }
}
