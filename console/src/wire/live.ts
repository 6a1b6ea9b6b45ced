import { endWithReason, readAlone, tokenOfSession } from "./session.ts";

/** A subject that may change while a page is open. */
export type Topic =
  | "transactions"
  | "sightings"
  | "wallets"
  | "balance"
  | "deliveries"
  | "webhook"
  | "keys"
  | "chains"
  | "discrepancies"
  | "outbox"
  | "businesses"
  | "audit"
  | "health";

/** `isMissed`: it may have been some time ago, while nothing was heard. */
type Changed = (isMissed: boolean) => void;

type Listener = { topics: readonly Topic[]; changed: Changed };

const listeners = new Set<Listener>();
const stateWatchers = new Set<(isLive: boolean) => void>();
// An announcement is only a hint: pages read their data again at this interval in any case, in ms.
const rereadMs = 60_000;
const reconnectMs = 5_000;
// A page asks its first questions without the stream where that is not open after so many ms.
const patienceMs = 1_000;

let source: EventSource | null = null;
let isStarted = false;
let isLive = false;
/** When the stream was last open, by `performance.now()`; null: never for this session. */
let heardMs: number | null = null;
let stopWaiting: () => void = () => undefined;
let opening: Promise<void> = Promise.resolve();

/**
 * Calls `changed` when one of the topics has changed, and when the changes of a pause are not
 * known. Call the answer to end that.
 */
export function onChange(topics: readonly Topic[], changed: Changed): () => void {
  const listener = { topics, changed };
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Settles once the stream is open, so that a question needs no repetition to miss no change. Also
 * settles where the stream does not open soon.
 */
export function untilHeard(): Promise<void> {
  return opening;
}

/**
 * Calls `watcher` now and at each later change. Its argument says whether changes arrive by
 * themselves.
 */
export function watchLive(watcher: (isLive: boolean) => void): () => void {
  watcher(isLive);
  stateWatchers.add(watcher);
  return () => stateWatchers.delete(watcher);
}

/**
 * Begins to listen, for the session that is open. Pauses while the page is hidden, and reads
 * everything again when the page is shown. Call the answer to end that.
 */
export function startLive(): () => void {
  isStarted = true;
  heardMs = null;
  opening = new Promise((settle) => {
    stopWaiting = settle;
    setTimeout(settle, patienceMs);
  });
  document.addEventListener("visibilitychange", follow);
  follow();
  const timer = setInterval(() => {
    if (!document.hidden) announce(null);
  }, rereadMs);
  return () => {
    isStarted = false;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", follow);
    disconnect();
  };
}

function follow(): void {
  if (document.hidden) disconnect();
  else if (isStarted) connect();
}

function connect(): void {
  if (source !== null) return;
  const opened = new EventSource("/console/events");
  source = opened;
  opened.addEventListener("open", () => void begin(opened));
  opened.addEventListener("error", () => {
    stopWaiting();
    become(false);
    // The browser tries again by itself, unless it was refused: then the session may be over.
    if (opened.readyState === EventSource.CLOSED) void reconnect(opened);
  });
  opened.addEventListener("over", () => void endWithReason());
  opened.addEventListener("changed", (event) => {
    if (isLive) announce(topicsIn(event.data));
  });
}

/**
 * The stream follows the session of the browser's cookie. Where that is another session by now, the
 * page of the old one asks nothing: the frame begins again.
 */
async function begin(opened: EventSource): Promise<void> {
  const token = tokenOfSession();
  const session = await readAlone().catch(() => undefined);
  if (source !== opened || session === null) return;
  if (session === undefined) return reconnectLater();
  if (session.token !== token) return;
  const isMissed = heardMs !== null && performance.now() - heardMs >= rereadMs;
  become(true);
  announce(null, isMissed);
  stopWaiting();
}

async function reconnect(closed: EventSource): Promise<void> {
  const session = await readAlone().catch(() => undefined);
  if (source === closed && session !== null) reconnectLater();
}

function reconnectLater(): void {
  disconnect();
  setTimeout(follow, reconnectMs);
}

function disconnect(): void {
  stopWaiting();
  source?.close();
  source = null;
  become(false);
}

/** @param topics null: whatever may have changed */
function announce(topics: readonly unknown[] | null, isMissed = false): void {
  for (const listener of listeners) {
    if (topics === null || listener.topics.some((topic) => topics.includes(topic)))
      listener.changed(isMissed);
  }
}

function topicsIn(data: unknown): readonly unknown[] | null {
  const parsed: unknown = typeof data === "string" ? JSON.parse(data) : null;
  if (typeof parsed !== "object" || parsed === null || !("topics" in parsed)) return null;
  return Array.isArray(parsed.topics) ? parsed.topics : null;
}

function become(live: boolean): void {
  if (live === isLive) return;
  isLive = live;
  if (!live) heardMs = performance.now();
  for (const watcher of stateWatchers) watcher(live);
}
