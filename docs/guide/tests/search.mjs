// Asks the search of the built book what a reader would: with its own files, and nothing from
// elsewhere.
//
//     node docs/guide/tests/search.mjs FOLDER

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

// What is asked, and the chapter that has to be among the first three answers.
const QUESTIONS = [
    ["LowerPriority", "aborts.html"],
    ["rollback", "determinism.html"],
    ["Cooldown", "nodes.html"],
    ["fill a slot", "composition.html"],
    ["why_not", "debugging.html"],
    ["raylib", "engines.html"],
    ["Bevy", "cookbook-ecs.html"],
    ["finish the swing", "cookbook-interruptions.html"],
    ["bonsai", "coming-from.html"],
    ["time budget of a crowd", "crowds.html"],
];
const NONSENSE = "xyzzyplugh";

const [folder] = process.argv.slice(2);
if (!folder) {
    console.error("usage: node search.mjs FOLDER");
    process.exit(2);
}
const names = readdirSync(folder);
const read = (pattern) => {
    const found = names.filter((it) => pattern.test(it));
    if (found.length !== 1) {
        throw new Error(`${folder} has ${found.length} files like ${pattern}, not one`);
    }
    return readFileSync(join(folder, found[0]), "utf8");
};
const faults = [];

const page = createContext({ window: { search: {} } });
runInContext(read(/^elasticlunr-.*\.js$/), page);
runInContext(read(/^searchindex-.*\.js$/), page);
const search = page.window.search;
const index = page.elasticlunr.Index.load(search.index);
const ask = (words) => index.search(words, search.search_options).map((it) => search.doc_urls[it.ref]);

for (const [words, chapter] of QUESTIONS) {
    const first = ask(words).slice(0, 3);
    console.log(`${words}: ${first.join(", ")}`);
    if (!first.some((it) => it.startsWith(chapter))) {
        faults.push(`"${words}" does not lead to ${chapter}`);
    }
}
if (ask(NONSENSE).length > 0) {
    faults.push(`"${NONSENSE}" is found`);
}
for (const fault of faults) {
    console.error(`fault: ${fault}`);
}
process.exit(faults.length > 0 ? 1 : 0);
