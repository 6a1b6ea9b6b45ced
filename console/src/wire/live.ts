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

/** The changes of a time in which nothing was heard. */
type Missed = {
  /** Until when, by `performance.now()`. A question that was asked later has missed none. */
  untilMs: number;
  /** The time may have been long. */
  isLong: boolean;
};

/** `missed` null: a topic has changed just now. */
type Changed = (missed: Missed | null) => void;

type Listener = { topics: readonly Topic[]; changed: Changed };

/** Called with whether changes arrive by themselves, and since when, by `Date.now()`. */
type LiveWatcher = (isLive: boolean, sinceMs: number) => void;

const listeners = new Set<Listener>();
const stateWatchers = new Set<LiveWatcher>();
// An announcement is only a hint: pages read their data again at this interval in any case, in ms.
const rereadMs = 60_000;
const reconnectMs = 5_000;
// A page asks its first questions without the stream where that is not open after so many ms.
const patienceMs = 500;
// The server shows every few seconds that it looks for changes. After so many ms without a sign,
// nobody knows whether there are any.
const silentMs = 20_000;

let source: EventSource | null = null;
let isStarted = false;
let isLive = false;
let sinceMs = Date.now();
/** When the stream was last heard, by `performance.now()`; null: never for this session. */
let heardMs: number | null = null;
/** Since when the stream tells of every change, by `performance.now()`. */
let coveredMs = 0;
let silence: ReturnType<typeof setTimeout> | undefined;
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

/** Calls `watcher` now and at each later change. Call the answer to end that. */
export function watchLive(watcher: LiveWatcher): () => void {
  watcher(isLive, sinceMs);
  stateWatchers.add(watcher);
  return () => stateWatchers.delete(watcher);
}

/**
 * Opens the stream while the browser's session is still read, so that the page's first questions
 * find it open. `startLive` goes on with it.
 */
export function prepareLive(): void {
  if (!document.hidden) connect();
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
  document.addEventListener("visibilitychange", followPage);
  if (source?.readyState === EventSource.OPEN) void begin(source);
  follow();
  const timer = setInterval(() => {
    if (!document.hidden) announce(null, { untilMs: performance.now(), isLong: false });
  }, rereadMs);
  return () => {
    isStarted = false;
    clearInterval(timer);
    document.removeEventListener("visibilitychange", followPage);
    disconnect();
  };
}

function follow(): void {
  if (document.hidden) disconnect();
  else if (isStarted) connect();
}

/** Also tells of a pause that began as the page was hidden: its connection may not come back. */
function followPage(): void {
  follow();
  tellWatchers();
}

function connect(): void {
  if (source !== null) return;
  const opened = new EventSource("/console/events");
  source = opened;
  opened.addEventListener("open", () => {
    coveredMs = performance.now();
    awaitSign(opened);
    if (isStarted) void begin(opened);
  });
  opened.addEventListener("error", () => {
    stopWaiting();
    become(false);
    // The browser tries again by itself, unless it was refused: then the session may be over.
    if (opened.readyState === EventSource.CLOSED) void reconnect(opened);
  });
  opened.addEventListener("over", () => void endWithReason());
  opened.addEventListener("alive", () => awaitSign(opened));
  opened.addEventListener("changed", (event) => {
    awaitSign(opened);
    if (isLive) announce(topicsIn(event.data));
    // Questions of before are asked again once it is known whose stream this is.
    else coveredMs = performance.now();
  });
}

/** Gives the stream up where no other sign follows: its connection or the server is dead. */
function awaitSign(opened: EventSource): void {
  if (source !== opened) return;
  clearTimeout(silence);
  silence = setTimeout(() => {
    become(false, silentMs);
    reconnectLater();
  }, silentMs);
}

/**
 * The stream follows the session of the browser's cookie. Where that is another session by now, the
 * page of the old one asks nothing: the frame begins again.
 */
async function begin(opened: EventSource): Promise<void> {
  stopWaiting();
  const token = tokenOfSession();
  const session = await readAlone().catch(() => undefined);
  if (source !== opened || session === null) return;
  if (session === undefined) return reconnectLater();
  if (session.token !== token) return;
  const isLong = heardMs !== null && performance.now() - heardMs >= rereadMs;
  become(true);
  announce(null, { untilMs: coveredMs, isLong });
}

async function reconnect(closed: EventSource): Promise<void> {
  // A stream that was prepared found no session.
  if (!isStarted) return disconnect();
  const session = await readAlone().catch(() => undefined);
  if (source === closed && session !== null) reconnectLater();
}

function reconnectLater(): void {
  disconnect();
  setTimeout(follow, reconnectMs);
}

function disconnect(): void {
  stopWaiting();
  clearTimeout(silence);
  source?.close();
  source = null;
  become(false);
}

/** @param topics null: whatever may have changed */
function announce(topics: readonly unknown[] | null, missed: Missed | null = null): void {
  for (const listener of listeners) {
    if (topics === null || listener.topics.some((topic) => topics.includes(topic)))
      listener.changed(missed);
  }
}

function topicsIn(data: unknown): readonly unknown[] | null {
  const parsed: unknown = typeof data === "string" ? JSON.parse(data) : null;
  if (typeof parsed !== "object" || parsed === null || !("topics" in parsed)) return null;
  return Array.isArray(parsed.topics) ? parsed.topics : null;
}

/** @param agoMs how long ago that was, in ms */
function become(live: boolean, agoMs = 0): void {
  if (live === isLive) return;
  isLive = live;
  sinceMs = Date.now() - agoMs;
  if (!live) heardMs = performance.now() - agoMs;
  tellWatchers();
}

function tellWatchers(): void {
  for (const watcher of stateWatchers) watcher(isLive, sinceMs);
}
