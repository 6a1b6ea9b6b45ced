import type { FastifyReply, FastifyRequest } from "fastify";
import type { ChangeMarks, ReadChanges } from "../../domain/console/changes.ts";
import type { ConsoleLedger } from "../../domain/console/console-ledger.ts";
import type { SessionSubject } from "../../domain/console/session.ts";
import { type Clock, systemClock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createLoop, type Loop } from "../../runtime/loop.ts";
import { WorkLeft } from "../../runtime/on-behalf.ts";
import { noQuery } from "../../schema/fields.ts";
import { ownerOfSession } from "../auth/owner.ts";
import { beginEventStream, type EventStream } from "../http/event-stream.ts";
import { type OpenStreams, tooManyStreams } from "../http/open-streams.ts";
import type { Web } from "../http/web.ts";
import { type ConsoleGuard, sessionOf } from "./guard.ts";
import { type Audience, type Topic, topicsOf } from "./topics.ts";

export type EventsDeps = Pick<ConsoleLedger, "findOpen"> & {
  readChanges: ReadChanges;
  guard: ConsoleGuard;
  streams: OpenStreams;
  clock: Pick<Clock, "now">;
  /** The pause between two looks at the database, in ms. Left out: `lookPauseMs`. */
  pauseMs?: number | undefined;
  log: Logger;
};

/**
 * The default pause between two looks at the database, in ms. One look serves all open pages of
 * this process.
 */
const lookPauseMs = 1_000;
const longestPauseMs = 15_000;

/** The number of looks between two of these. */
const every = {
  /** Announcements that only chains have moved, which they do all the time. */
  chains: 5,
  /** Checks that the sessions are still open. */
  sessions: 5,
  /** Signs of life on a stream. A page that hears none for 20 s says that it is not live. */
  alive: 5,
};

/** Shows a page that its changes are looked for. Scripts do not see comments. */
const signOfLife = "event: alive\ndata: {}\n\n";

/** The most streams of one session, in addition to the limits of all streams. */
const mostOfSession = 10;

type Stream = {
  sessionId: string;
  audience: Audience;
  /**
   * Begins the answer, which makes the page read everything. No change after that may be missed.
   * Safe to repeat.
   */
  begin: () => void;
  hasBegun: () => boolean;
  /** Sends a text, if the answer has begun. */
  send: (text: string) => void;
  end: () => void;
};

type Watch = {
  loop: Loop;
  /** True if this stream's changes are announced from now on. */
  covers: (stream: Stream) => boolean;
};

/**
 * GET /console/events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Tells a
 * session's pages which topics have changed, at most once a second. One look at the database serves
 * all open pages. Without open pages there is no look.
 */
export function eventsRoutes(web: Web, deps: EventsDeps): void {
  const streams = new Set<Stream>();
  let watch: Watch | null = null;

  function open(request: FastifyRequest, reply: FastifyReply): void {
    // The page was left while its session was looked up, so nothing will end the stream.
    if (reply.raw.destroyed) throw new WorkLeft();
    const session = sessionOf(request);
    const { id: sessionId } = session;
    const audience = audienceOf(session.subject);
    const ofSession = [...streams].filter((stream) => stream.sessionId === sessionId).length;
    if (ofSession >= mostOfSession) throw tooManyStreams();
    const release = deps.streams.begin(ownerOfSession(session));
    const stream = createStream(reply, { sessionId, audience });
    streams.add(stream);
    reply.raw.on("close", () => {
      release();
      void leave(stream);
    });
    if (watch === null) {
      watch = createWatch(streams, deps);
      void watch.loop.start();
    } else if (watch.covers(stream)) stream.begin();
    // A person waits for the first page of its business: the next look is now.
    else watch.loop.wake();
  }

  async function leave(stream: Stream): Promise<void> {
    streams.delete(stream);
    if (streams.size > 0 || watch === null) return;
    const { loop } = watch;
    watch = null;
    await loop.stop();
  }

  const schema = { querystring: noQuery };
  const onRequest = deps.guard.anybody;
  web.get("/events", { schema, onRequest, exposeHeadRoute: false }, (request, reply) => {
    open(request, reply);
  });
  // The server waits for requests under way. These would never end by themselves.
  web.addHook("preClose", async () => {
    for (const stream of streams) stream.end();
    await watch?.loop.stop();
  });
}

function createStream(reply: FastifyReply, of: Pick<Stream, "sessionId" | "audience">): Stream {
  let events: EventStream | null = null;
  const begin = () => {
    events ??= beginEventStream(reply);
    return events;
  };
  return {
    ...of,
    begin: () => void begin(),
    hasBegun: () => events !== null,
    send: (text) => events?.send(text),
    end: () => begin().end(),
  };
}

function audienceOf(subject: SessionSubject): Audience {
  return subject.kind === "operator"
    ? { kind: "operator" }
    : { kind: "business", businessId: subject.businessId };
}

/**
 * Makes the loop that looks for changes while there are streams. A look compares a business with
 * the look before. So the first page of a business begins once a look has read it.
 */
function createWatch(streams: ReadonlySet<Stream>, deps: EventsDeps): Watch {
  const { log, pauseMs = lookPauseMs } = deps;
  let marks: ChangeMarks | null = null;
  let looks = 0;

  function covers(stream: Stream): boolean {
    const [businessId] = businessOf(stream);
    if (businessId === undefined) return marks !== null;
    // Each look has read the business of a stream that has begun, and so does the one under way.
    return [...streams].some((one) => one.hasBegun() && businessOf(one)[0] === businessId);
  }

  async function look(): Promise<void> {
    looks += 1;
    if (looks % every.sessions === 0) await endThoseOver(streams, deps);
    const asked = [...streams];
    const businessIds = [...new Set(asked.flatMap(businessOf))];
    const changes = await deps.readChanges({ since: marks, businessIds });
    // Chains are announced less often. Until their turn, their old mark is used.
    const isTurn = marks === null || looks % every.chains === 0;
    const chains = marks === null || isTurn ? changes.marks.chains : marks.chains;
    marks = { ...changes.marks, chains };
    const due = { ...changes, haveChainsMoved: isTurn && changes.haveChainsMoved };
    for (const stream of asked) if (streams.has(stream)) stream.begin();
    for (const stream of streams) announce(stream, topicsOf(stream.audience, due));
    if (looks % every.alive === 0) for (const { send } of streams) send(signOfLife);
  }

  const loop = createLoop({
    name: "console events",
    async step() {
      await look();
      return "idle";
    },
    onError: (error) => log.warn({ error }, "console.events.failed"),
    clock: systemClock,
    pollMs: pauseMs,
    maxBackoffMs: longestPauseMs,
    stuckAfterMs: null,
  });
  return { loop, covers };
}

async function endThoseOver(
  streams: ReadonlySet<Stream>,
  { findOpen, guard, clock }: EventsDeps,
): Promise<void> {
  // A page may open while the sessions are read. Nothing was asked about its session.
  const asked = [...streams];
  const ids = [...new Set(asked.map(({ sessionId }) => sessionId))];
  const found = await findOpen(ids, new Date(clock.now()));
  const open = new Set(
    found.filter(({ origin }) => guard.scopesOf(origin) !== null).map(({ id }) => id),
  );
  for (const stream of asked) {
    if (open.has(stream.sessionId)) continue;
    stream.begin();
    stream.send("event: over\ndata: {}\n\n");
    stream.end();
  }
}

function announce({ send }: Stream, topics: ReadonlySet<Topic>): void {
  if (topics.size === 0) return;
  send(`event: changed\ndata: ${JSON.stringify({ topics: [...topics] })}\n\n`);
}

function businessOf({ audience }: Stream): string[] {
  return audience.kind === "business" ? [audience.businessId] : [];
}
