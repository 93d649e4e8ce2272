// The page: panels around one lens.

import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { AgentsPanel } from "./agents";
import { DiffPanel } from "./differs";
import { begin, difference } from "./edit";
import { EditPanel, FilesPanel, Palette } from "./editing";
import { Help } from "./help";
import { startKeyboard } from "./keyboard";
import { crowded, edited, followAddress, frame, messageOf, now, open, overview, playing } from "./lens";
import { watchGame } from "./live";
import { Notes } from "./notices";
import { openSource } from "./source";
import "./studio.css";
import { startTheme } from "./theme";
import { TimePanel } from "./time";
import { seconds } from "./times";
import { TopBar } from "./top";
import { TreePanel } from "./tree";
import { headline, WhyPanel } from "./why";

/** The text for screen readers about the moment, once it stops changing. */
const spoken = signal("");

function Page() {
  return (
    <div class={`page ${crowded.value ? "recording" : overview.value.kind} ${edited.value ? "editing" : ""}`}>
      <TopBar />
      <div class="notes">
        <Notes />
      </div>
      <main>
        {edited.value && crowded.value ? (
          <div class="side">
            <FilesPanel />
            <AgentsPanel />
          </div>
        ) : edited.value ? (
          <FilesPanel />
        ) : (
          crowded.value && <AgentsPanel />
        )}
        <TreePanel />
        {edited.value ? <EditPanel /> : <WhyPanel />}
        {edited.value && difference.value ? <DiffPanel /> : overview.value.kind !== "trees" && <TimePanel />}
      </main>
      <p class="spoken" aria-live="polite" id="headline">
        {spoken.value}
      </p>
      <Help />
      <Palette />
    </div>
  );
}

function speak(): () => void {
  void frame.value;
  const text = `${seconds(now.value)}: ${headline.value}`;
  const timer = setTimeout(() => !playing.value && (spoken.value = text), 400);
  return () => clearTimeout(timer);
}

async function start(): Promise<void> {
  startTheme();
  await open(await openSource());
  document.title = `${overview.value.title} · pleach studio`;
  startKeyboard();
  // The page may have written its own address since.
  addEventListener("hashchange", (it) => followAddress(new URL(it.newURL).hash));
  effect(speak);
  if (overview.value.kind === "trees") await begin();
  render(<Page />, app());
  if (overview.value.kind === "live") void watchGame();
}

const app = (): HTMLElement => document.getElementById("app") ?? document.body;

// Another token may mean another recording.
addEventListener("hashchange", () => location.hash.includes("token=") && location.reload());

start().catch((error: unknown) => {
  const notice = document.createElement("p");
  notice.className = "notice wrong alone";
  notice.setAttribute("role", "alert");
  notice.textContent = messageOf(error);
  app().append(notice);
});
