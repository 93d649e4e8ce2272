// Looks at the pages of the built book: they need nothing from elsewhere, every report that they
// show has the frame and the node that the page names, and trees have colours.
//
//     node docs/guide/tests/pages.mjs FOLDER

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { inflateRawSync } from "node:zlib";

const [folder] = process.argv.slice(2);
if (!folder) {
    console.error("usage: node pages.mjs FOLDER");
    process.exit(2);
}
const read = (name) => readFileSync(join(folder, name), "utf8");
const pages = readdirSync(folder).filter((it) => it.endsWith(".html"));
const faults = [];

for (const page of pages) {
    for (const [tag] of read(page).matchAll(/<(script|link|img|iframe|object)\b[^>]*\b(src|href|data)="(https?:)?\/\/[^>]*>/g)) {
        faults.push(`${page} needs the network: ${tag}`);
    }
}

/** The data of a report, as its page reads them. */
function report(file) {
    const [, data] = /<script type="text\/plain" id="pleach-report">([^<]*)</.exec(read(file)) ?? [];
    if (data === undefined) {
        throw new Error("it is not a report of the studio");
    }
    return JSON.parse(inflateRawSync(Buffer.from(data, "base64")));
}

/** The label of the node that an address leads to. */
function node(address) {
    const [file, moment] = address.split("#");
    if (!existsSync(join(folder, file))) {
        throw new Error("there is no such file");
    }
    const { overview, track } = report(file);
    const asked = new URLSearchParams(moment);
    const [frame, number] = ["frame", "node"].map((it) => Number(asked.get(it) ?? NaN));
    if (!(frame >= overview.first && frame <= overview.last)) {
        throw new Error(`its frames are ${overview.first} to ${overview.last}`);
    }
    const { nodes } = overview.trees[track.trees.findLast((it) => it.from <= frame).tree];
    const found = nodes.find((it) => it.id === number);
    if (!found) {
        throw new Error(`its nodes are 0 to ${nodes.length - 1}`);
    }
    return found.label;
}

let reports = 0;
for (const page of pages) {
    for (const [, src] of read(page).matchAll(/<iframe class="report"[^>]* src="([^"]*)"/g)) {
        const address = src.replaceAll("&amp;", "&");
        reports += 1;
        try {
            console.log(`${page}: ${address} is ${node(address)}`);
        } catch (error) {
            faults.push(`${page} shows ${address}: ${error.message}`);
        }
    }
}
if (reports === 0) {
    faults.push("no page shows a report");
}

const LISTING = `Log(name: "\\"hi\\"", every: -1.5, on: true), // once
/* or */ Sequence(seed: 4_000, raw: r#"a"b"#)`;
const COLOURED = `<built_in>Log</>(<attr>name</>: <string>"\\"hi\\""</>, <attr>every</>: <number>-1.5</>, \
<attr>on</>: <literal>true</>), <comment>// once</>
<comment>/* or */</> <built_in>Sequence</>(<attr>seed</>: <number>4_000</>, <attr>raw</>: <string>r#"a"b"#</>)`;

/** What the scripts of a page, in their order, make of a listing. */
function colours(page) {
    const text = { nodeType: 3, nodeValue: LISTING, nextSibling: null };
    const block = { className: "language-ron", parentNode: { className: "" }, textContent: LISTING, firstChild: text };
    const querySelectorAll = (what) => (what === "code.language-ron" ? [block] : []);
    const browser = createContext({ document: { querySelectorAll }, console });
    for (const [, script] of read(page).matchAll(/<script src="((?:highlight|ron)-[^"]*)"/g)) {
        runInContext(read(script), browser, { filename: script });
    }
    const spans = (block.innerHTML ?? LISTING).replace(/<span class="hljs-(\w+)">/g, "<$1>");
    return spans.replaceAll("</span>", "</>").replaceAll("&quot;", '"');
}

for (const page of pages.filter((it) => read(it).includes('<code class="language-ron">'))) {
    try {
        const coloured = colours(page);
        if (coloured !== COLOURED) {
            faults.push(`${page} shows a tree as\n${coloured}\nnot as\n${COLOURED}`);
        }
    } catch (error) {
        faults.push(`${page} shows no colours: ${error.message}`);
    }
}
for (const fault of faults) {
    console.error(`fault: ${fault}`);
}
process.exit(faults.length > 0 ? 1 : 0);
