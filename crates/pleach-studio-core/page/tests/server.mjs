// A stand-in for `pleach studio`: serves the page, and answers from made-up data.

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { guardReport } from "./sample.mjs";

export const TOKEN = "0123456789abcdef";
const DIST = new URL("../dist/", import.meta.url);

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>studio</title>
<link rel="stylesheet" href="studio.css"></head><body><div id="app"></div><script src="studio.js"></script></body></html>`;

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";

/** Serves a recording of `agents` guards on loopback. `asked` gets every question, `changed` may alter each answer, `held` may hold it back. */
export async function serve({ agents = 10_000, report = guardReport(), asked = () => {}, changed = (it) => it, held = async () => {} } = {}) {
  const usual = answersOf(report, agents);
  const answers = (question) => changed(usual(question), question);
  const server = createServer((request, response) => {
    const send = (status, type, body) => {
      response.writeHead(status, { "content-type": type, "content-security-policy": POLICY });
      response.end(body);
    };
    if (request.method === "GET" && request.url === "/") return send(200, "text/html", PAGE);
    if (request.method === "GET" && /^\/studio\.(js|css)$/.test(request.url)) {
      const type = request.url.endsWith("js") ? "text/javascript" : "text/css";
      return send(200, type, readFileSync(new URL(`.${request.url}`, DIST)));
    }
    if (request.method !== "POST" || request.url !== "/ask") return send(404, "text/plain", "");
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return send(401, "application/json", '{"error":"the token is missing: open the address that `studio` printed"}');
    }
    let body = "";
    request.on("data", (it) => (body += it));
    request.on("end", async () => {
      const question = JSON.parse(body);
      asked(question);
      await held(question);
      const answer = answers(question);
      send(answer?.error ? 400 : 200, "application/json", JSON.stringify(answer));
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${server.address().port}/`;
  return { address, opened: `${address}#token=${TOKEN}`, close: () => server.close() };
}

function answersOf(report, agents) {
  const { overview, track } = report;
  const { from: _from, to: _to, agent: _agent, ...rest } = overview;
  const rows = Array.from({ length: agents }, (_, number) => ({ number, tree: 0, running: DOES[(number * 7) % DOES.length] }));
  rows[3].label = "Sir Robin";
  const at = (list, frame) => list.findLast((it) => (it.frame ?? it[0]) <= frame) ?? list[0];
  return (question) => {
    switch (question.ask) {
      case "overview":
        return { ...rest, kind: "recording", agents, title: "guards.rec" };
      case "agents": {
        if (question.find === "(") return { error: "`(` is not a condition: expected a name or an expression" };
        const want = rows.filter((it) => !question.find || it.running.includes(question.find));
        const crowd = [...new Set(DOES)].map((behaviour) => ({ behaviour, count: rows.filter((it) => it.running === behaviour).length }));
        crowd.sort((a, b) => b.count - a.count);
        return { frame: question.frame, count: agents, matching: want.length, rows: want.slice(0, question.limit), crowd };
      }
      case "track":
        if (question.agent >= agents) return { error: `agent ${question.agent} does not exist: the ${agents} agents have the numbers 0 to ${agents - 1}` };
        return { ...track, agent: question.agent };
      case "moment": {
        const { explain, nodes, ...moment } = at(report.moments, question.frame);
        return { ...moment, agent: question.agent, seconds: question.frame / 60, explain: explain.map((it) => report.lines[it]), nodes: nodes.map((it) => report.notes[it]) };
      }
      case "why_not": {
        const lines = at(report.why_not[0][question.node], question.frame)[1];
        return { agent: question.agent, frame: question.frame, node: question.node, active: lines === null, lines: (lines ?? []).map((it) => report.lines[it]) };
      }
      case "heat": {
        // Each agent enters the root once, the nodes below it repeatedly.
        const nodes = overview.trees[0].nodes.map(({ id }) => (id === 0 ? [agents, 0, 0, 0] : id === 27 ? [0, 0, 0, 0] : [id * 10, id * 6, id * 3, id]));
        return { tree: question.tree, agents, last: overview.last, nodes };
      }
      case "crowd": {
        const frames = Array.from({ length: 121 }, (_, at) => Math.max(1, at * 15));
        const part = (from, by) => frames.map((_, at) => Math.round(agents * (from + by * at)));
        const [most, help] = [part(0.8, -0.004), part(0.1, 0.001)];
        const flee = frames.map((_, at) => agents - most[at] - help[at]);
        const behaviours = [{ behaviour: "patrol by day", counts: most }, { behaviour: "help", counts: help }, { counts: flee }];
        return { frames, agents: frames.map(() => agents), behaviours };
      }
      case "find": {
        if (!overview.trees[0].nodes.some((it) => it.kind === question.node)) return { error: `there is no node \`${question.node}\`` };
        const hits = track.spans.filter((it) => overview.trees[0].nodes[it.node].kind === question.node);
        const agentsHit = [17, 402, 5];
        const all = hits.flatMap((it) => agentsHit.map((agent) => ({ frame: it.to, seconds: it.to / 60, agent, node: it.node, text: `n${it.node} ${question.node}` })));
        return { count: all.length, agents: all.length > 0 ? 3 : 0, hits: all.filter((it) => question.agent === undefined || it.agent === question.agent) };
      }
    }
  };
}

const DOES = [...Array(79).fill("patrol by day"), ...Array(9).fill("help"), ...Array(6).fill("fight"), ...Array(5).fill("investigate"), "flee"];

if (process.argv[1] === new URL(import.meta.url).pathname) console.log((await serve()).opened);
