// Answers as a recording would give them, made up: a guard's run, and trees of any size.

import { deflateRawSync } from "node:zlib";

/** A line of a tree: depth, kind, class, and what else a node has. */
const GUARD = [
  [0, "Selector", "composite", { name: "guard" }],
  [1, "Sequence", "composite", { name: "dead", detail: ["aborts both"], conditionals: [2] }],
  [2, "Check", "condition", { detail: ["health <= 0"] }],
  [2, "Dead", "action", {}],
  [1, "Sequence", "composite", { name: "flee", detail: ["aborts lower priority"], conditionals: [5], note: "Once it flees it does so until it is well again." }],
  [2, "Check", "condition", { detail: ["health <= 0.3"] }],
  [2, "Flee", "action", { detail: ["speed: 5.0"] }],
  [2, "WaitUntil", "action", { name: "recover", detail: ["health >= 0.8"] }],
  [1, "Sequence", "composite", { name: "fight", detail: ["aborts both"], part: "fight: guard/fight.ron", conditionals: [9] }],
  [2, "Check", "condition", { detail: ["sees_enemy"] }],
  [2, "ForceSuccess", "decorator", {}],
  [3, "Cooldown", "decorator", { detail: ["10 s"] }],
  [4, "Emit", "action", { name: "warn", detail: ["alarm to the group", "payload: enemy_pos"] }],
  [2, "Repeat", "decorator", { detail: ["for ever"] }],
  [3, "Sequence", "composite", {}],
  [4, "Approach", "action", { detail: ['target: "enemy"', "speed: 4.0", "within: 2.0"] }],
  [4, "Attack", "action", { detail: ['target: "enemy"', "range: 2.5", "damage: 10.0", "interval: 1.2"] }],
  [1, "Sequence", "composite", { name: "help", detail: ["aborts lower priority"], part: "help: guard/help.ron", conditionals: [18] }],
  [2, "OnEvent", "condition", { detail: ["alarm", "into: place"] }],
  [2, "MoveTo", "action", { detail: ['target: "place"', "speed: 4.0", "within: 1.0"] }],
  [2, "Wait", "action", { detail: ["3 s"] }],
  [1, "Sequence", "composite", { name: "investigate", detail: ["aborts lower priority"], part: "investigate: guard/investigate.ron", conditionals: [22] }],
  [2, "OnEvent", "condition", { detail: ["noise", "into: place"] }],
  [2, "MoveTo", "action", { detail: ['target: "place"', "speed: 3.5", "within: 1.0"] }],
  [2, "Wait", "action", { name: "look around", detail: ["3 s"] }],
  [1, "Slot", "composite", { name: "patrol", detail: ["patrol_by_day, patrol_by_night"] }],
  [2, "Patrol", "action", { name: "patrol by day", detail: ["speed: 1.5", "pause: 2.0", "mode: Loop"], edge: "patrol_by_day", part: "patrol_by_day: guard/patrol_by_day.ron" }],
  [2, "Patrol", "action", { name: "patrol by night", detail: ["speed: 1.0", "pause: 4.0", "mode: RoundTrip"], edge: "patrol_by_night", part: "patrol_by_night: guard/patrol_by_night.ron" }],
];

const KEYS = ["health Float", "sees_player Bool", "player Entity", "player_pos Vec2", "suspect Vec2"];

/** A tree of such lines, with boxes below each other. */
export function treeOf(lines, name, keys = []) {
  const nodes = [];
  const path = [];
  lines.forEach(([depth, kind, kind_is, more], id) => {
    path.length = depth;
    const detail = more.detail ?? [];
    const label = [kind, more.name && `"${more.name}"`, detail.join(", ")].filter((it) => it).join(" ");
    nodes.push({ id, parent: path.at(-1) ?? null, depth, kind, kind_is, label, detail, conditionals: [], ...more });
    nodes[id].place ??= { file: `trees/${name}.ron`, line: id + 9, column: 5 };
    path.push(id);
  });
  // Leaves are side by side, parents above the middle of their children.
  const rows = Math.max(...nodes.map((it) => it.depth)) + 1;
  const children = nodes.map(() => []);
  for (const it of nodes) if (it.parent !== null) children[it.parent].push(it);
  let next = 0;
  for (let id = nodes.length - 1; id >= 0; id -= 1) {
    const it = nodes[id];
    it.w = Math.min(222, Math.max(112, 46 + 8.6 * Math.max((it.name ?? it.kind).length, ...it.detail.map((text) => Math.min(text.length, 20)))));
    it.h = 34 + 16 * ((it.name ? 1 : 0) + it.detail.length + (it.edge ? 1 : 0));
    it.y = 28 + it.depth * 148;
    const kids = children[id];
    if (kids.length > 0) it.x = (kids[0].x + kids[0].w / 2 + kids.at(-1).x + kids.at(-1).w / 2) / 2 - it.w / 2;
    else it.x = next -= it.w + 22;
  }
  for (const it of nodes) it.x += 28 - next;
  return {
    name,
    version: 1,
    nodes,
    events: [],
    keys: keys.map((it) => ({ name: it.split(" ")[0], kind: it.split(" ")[1], of: "agent", recorded: !it.includes("Vec2") })),
    width: 56 - next,
    height: rows * 148 + 28,
  };
}

/** What the guard does: a leaf, from when to when in seconds, and how it ends. */
const STORY = [
  [26, 0, 2.35, "aborted"], [23, 2.35, 4.1, "success"], [24, 4.1, 5.4, "aborted"], [12, 5.4, 5.4, "success"],
  [15, 5.4, 6.62, "success"], [16, 6.62, 7.1, "failure"], [15, 7.1, 7.5, "success"], [16, 7.5, 9.25, "aborted"],
  [26, 9.25, 12.9, "aborted"], [19, 12.9, 15.2, "success"], [20, 15.2, 17.05, "aborted"], [15, 17.05, 18.3, "success"],
  [16, 18.3, 20.6, "aborted"], [6, 20.6, 23.0, "success"], [7, 23.0, 27.4, "success"], [26, 27.4, 30, "running"],
];

const MARKS = [
  [2.35, "event", null, "noise"], [2.35, "abort", 22, "n22 OnEvent(noise): was failure, is success; ended n26 Patrol \"patrol by day\""],
  [5.4, "abort", 9, "n9 Check(sees_enemy): was failure, is success (sees_player = true); ended n24 Wait(3 s) \"look around\""],
  [5.4, "emit", 12, "alarm"],
  [9.25, "abort", 9, "n9 Check(sees_enemy): was success, is failure (sees_player = false); ended n16 Attack"],
  [12.9, "event", null, "alarm"], [12.9, "abort", 18, "n18 OnEvent(alarm): was failure, is success; ended n26 Patrol \"patrol by day\""],
  [14.0, "event", null, "noise"],
  [17.05, "abort", 9, "n9 Check(sees_enemy): was failure, is success (sees_player = true); ended n20 Wait(3 s)"],
  [20.6, "abort", 5, "n5 Check(health <= 0.3): was failure, is success (health = 0.28); ended n16 Attack"],
];

const DT = 1 / 60;
const frameOf = (seconds) => Math.round(seconds / DT);

/** A report about the guard, with names as given. */
export function guardReport(rename = {}) {
  const lines = GUARD.map((it, id) => (rename[id] ? [it[0], it[1], it[2], { ...it[3], ...rename[id] }] : it));
  return reportOf(treeOf(lines, "guard", KEYS), STORY, MARKS, 30);
}

export function reportOf(tree, story, marks, length) {
  const last = frameOf(length);
  const { nodes } = tree;
  const above = (id) => (id == null ? [] : [...above(nodes[id].parent), id]);
  const spans = [];
  const open = new Map();
  const close = (to, how, keep) => {
    for (const [id, span] of [...open].reverse()) {
      if (keep.includes(id)) continue;
      spans.push({ ...span, to, how });
      open.delete(id);
    }
  };
  for (const [leaf, from, to, how] of story) {
    const path = above(leaf);
    close(frameOf(from), spans.at(-1)?.how ?? "success", path);
    for (const id of path) if (!open.has(id)) open.set(id, { node: id, tree: 0, from: frameOf(from) });
    const leafSpan = open.get(leaf);
    open.delete(leaf);
    spans.push({ ...leafSpan, to: frameOf(to), how });
    if (how === "running") close(frameOf(to), "running", []);
  }
  close(last, "running", []);
  // Asked in each frame, and failed each time.
  if (nodes[1]?.name === "dead") spans.push({ node: 1, tree: 0, from: 10, to: 140, how: "failure", times: 131 });
  spans.sort((a, b) => a.from - b.from || a.node - b.node);
  const health = (at) => (at < 6.62 ? 1 : at < 7.5 ? 0.8 : at < 18.3 ? 0.66 : at < 20.6 ? 0.66 - (at - 18.3) * 0.165 : Math.min(1, 0.28 + Math.max(0, at - 23) * 0.12));
  const sees = (at) => (at >= 5.4 && at < 9.25) || (at >= 17.05 && at < 20.6);
  const changes = [...new Set([0, ...spans.flatMap((it) => [it.from, it.to]), ...Array.from({ length: 60 }, (_, it) => it * 30)])].sort((a, b) => a - b);
  const all = [];
  const table = (list) => {
    const places = new Map();
    return (it) => {
      const key = JSON.stringify(it);
      if (!places.has(key)) places.set(key, list.push(it) - 1);
      return places.get(key);
    };
  };
  const [allNotes, place] = [[], table(all)];
  const placeNote = table(allNotes);
  const leaves = spans.filter((it) => story.some((told) => told[0] === it.node));
  const whyNot = nodes.map(() => []);
  const moments = changes.filter((it) => it <= last).map((frame) => {
    const at = frame * DT;
    const on = leaves.filter((it) => it.from <= frame && (frame < it.to || it.how === "running")).slice(-1);
    const running = on.map((it) => it.node);
    const active = [...new Set(running.flatMap(above))];
    const conditions = nodes.filter((it) => it.kind_is === "condition").slice(0, 400).map((it) => ({ node: it.id, stored: active.includes(it.parent), now: active.includes(it.parent), watched: it.id < (running[0] ?? 0) }));
    const abort = marks.filter((it) => it[1] === "abort" && frameOf(it[0]) <= frame).at(-1);
    const explain = running.map((id) => ({ word: "does", text: above(id).map((step) => `n${step} ${nodes[step].kind}`).join(" > "), node: id }));
    for (const it of conditions.filter((held) => held.watched).slice(0, 5)) explain.push({ word: "watches", text: `n${it.node} ${nodes[it.node].kind}(${nodes[it.node].detail[0] ?? ""}): was failure, is failure (health = ${health(at).toFixed(2)})`, node: it.node });
    nodes.forEach((it) => {
      const answer = active.includes(it.id) ? null : reasons(nodes, above(it.id), active, running).map(place);
      const before = whyNot[it.id].at(-1);
      if (!before || JSON.stringify(before[1]) !== JSON.stringify(answer)) whyNot[it.id].push([frame, answer]);
    });
    const notes = [];
    for (const it of on) if (nodes[it.node].kind === "Wait") notes.push({ node: it.node, word: "left", text: "", until: it.from * DT + 3 });
    if (nodes[11] && at >= 5.4 && at < 15.4) notes.push({ node: 11, word: "left", text: "", until: 15.4 });
    const keys = tree.keys.length === 0 ? [] : [health(at).toFixed(2), String(sees(at)), "0", "(32.734, 74.047)", "(0, 0)"].map((text, key) => ({ key, text }));
    return {
      frame, tree: 0, phase: "active", running, active, nodes: notes.map(placeNote), conditions, explain: explain.map(place), keys,
      ...(abort && { last_abort: { frame: frameOf(abort[0]), time: abort[0], text: abort[3], node: abort[2] } }),
    };
  });
  return {
    version: 1,
    overview: { title: "guard.rec", kind: "report", first: 0, last, times: [[0, 0], [last, length]], agents: 50, trees: [tree], agent: 17, from: 0, to: last, notes: [] },
    track: {
      agent: 17, from: 0, to: last, first: 0, last, trees: [{ from: 0, tree: 0 }], spans, changes,
      marks: marks.map(([at, kind, node, text]) => ({ frame: frameOf(at), kind, ...(node != null && { node }), text })),
      keys: tree.keys.length === 0 ? [] : [
        { tree: 0, key: 0, points: changes.map((it) => [it, health(it * DT)]) },
        { tree: 0, key: 1, points: [[0, false], [324, true], [555, false], [1023, true], [1236, false]] },
        { tree: 0, key: 3, points: changes.filter((_, at) => at % 4 === 0).map((it) => [it, [it, 1]]) },
      ],
    },
    lines: all,
    notes: allNotes,
    moments,
    why_not: [whyNot],
  };
}

const SCORES = ["if(target == none, 0.0, health * (1.3 - distance(pos, target_pos) / 20.0))", "1.3 * (1.0 - health)", "0.3"];
const VETERAN = [
  [0, "UtilitySelector", "composite", { name: "veteran", detail: ["reevaluate"] }],
  [1, "Sequence", "composite", { name: "charge", edge: `score ${SCORES[0]}` }],
  [2, "Pursuit", "action", { detail: ['target: "target"', "speed: 4.5"] }],
  [2, "Attack", "action", { detail: ['target: "target"', "damage: 12.0"] }],
  [1, "Switch", "composite", { name: "retreat", detail: ["on: mood"], edge: `score ${SCORES[1]}` }],
  [2, "Flee", "action", { detail: ["speed: 5.0"], edge: "case afraid" }],
  [2, "RandomSelector", "composite", { name: "hide", edge: "default" }],
  [3, "Wait", "action", { detail: ["3 s"], edge: "weight 3" }],
  [3, "Repeat", "decorator", { detail: ["4 times"], edge: "weight 1" }],
  [4, "Crouch", "action", {}],
  [1, "Patrol", "action", { name: "patrol", detail: ["speed: 2.0"], edge: `score ${SCORES[2]}` }],
];

/** A report about a veteran: it weighs what to do, and hides again and again. */
export function veteranReport() {
  const report = reportOf(treeOf(VETERAN, "veteran", ["health Float"]), [[10, 0, 4, "aborted"], [2, 4, 8, "aborted"], [9, 8, 12, "running"]], [], 12);
  const places = [
    { node: 0, word: "order", text: "n1, n4, n10" },
    { node: 1, word: "score", text: "0.800", share: 1 },
    { node: 4, word: "score", text: "0.500", share: 0.625 },
    { node: 10, word: "score", text: "0.300", share: 0.375 },
    { node: 8, word: "left", text: "2" },
  ].map((it) => report.notes.push(it) - 1);
  for (const it of report.moments) it.nodes.push(...places);
  return report;
}

/** The reasons along the path to a node that does not run. */
function reasons(nodes, path, active, running) {
  const out = path.findIndex((it) => !active.includes(it));
  const from = path[out - 1] ?? 0;
  const other = running[0] ?? 0;
  return [
    { word: "passed", text: `n${from} ${nodes[from].kind} runs n${other} ${nodes[other].kind}; ${brings(nodes, nodes[path[out]].conditionals[0])}`, node: from },
    ...nodes[path[out]].conditionals.map((it) => ({ word: "requires", text: `n${it} ${nodes[it].kind}(${nodes[it].detail[0]}): is failure (health = 1, written by the game)`, node: it })),
  ];
}

const brings = (nodes, it) => (it === undefined ? "no watched condition will bring it back until it restarts" : `a change of n${it} ${nodes[it].kind} brings it back`);

/** Lines of a tree with `count` nodes, the same each time. */
export function largeLines(count) {
  const lines = [[0, "Selector", "composite", { name: "large" }]];
  let seed = 7;
  const random = (most) => (seed = (seed * 1103515245 + 12345) % 2147483648) % most;
  let depth = 1;
  while (lines.length < count) {
    const at = lines.length;
    const inner = depth < 7 && random(5) < 2;
    if (inner) lines.push([depth, random(2) ? "Sequence" : "Selector", "composite", { name: `branch ${at}` }]);
    else if (random(4) === 0) lines.push([depth, "Check", "condition", { detail: [`key_${random(40)} > ${random(9)}`] }]);
    else lines.push([depth, ["MoveTo", "Wait", "Attack", "Look"][random(4)], "action", { detail: [`speed: ${random(9)}.0`] }]);
    depth = inner ? depth + 1 : Math.max(1, depth - (random(4) === 0 ? 1 + random(3) : 0));
  }
  // A composite needs a child: the last line may be one.
  if (lines.at(-1)[2] === "composite") lines[lines.length - 1] = [lines.at(-1)[0], "Wait", "action", { detail: ["1 s"] }];
  return lines.map((it, at) => (it[2] === "composite" && !(lines[at + 1]?.[0] > it[0]) ? [it[0], "Wait", "action", { detail: ["1 s"] }] : it));
}

/** A report about a large tree: another leaf every third of a second, `leaves_run` of them. */
export function largeReport(count, leaves_run = 90) {
  const tree = treeOf(largeLines(count), "large");
  const leaves = tree.nodes.filter((it) => it.kind_is === "action").map((it) => it.id);
  const story = Array.from({ length: leaves_run }, (_, at) => [leaves[(at * 7919) % leaves.length], at / 3, (at + 1) / 3, at % 3 === 0 ? "failure" : "success"]);
  return reportOf(tree, story, [], leaves_run / 3);
}

/** The HTML of a report, as the program writes it. */
export function html(report, script, style) {
  const data = deflateRawSync(JSON.stringify(report)).toString("base64");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>report</title><style>${style}</style></head><body><div id="app"></div><script type="text/plain" id="pleach-report">${data}</script><script>${script}</script></body></html>`;
}
