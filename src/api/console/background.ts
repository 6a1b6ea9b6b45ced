import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../../domain/fault.ts";
import { type Owner, ownerKey } from "../../runtime/on-behalf.ts";
import { createTurns } from "../../runtime/turns.ts";
import { takesGzip } from "../http/compress.ts";
import type { Web } from "../http/web.ts";

/**
 * The time for which questions are gathered, in ms. Pages that heard of the same change ask within
 * it. A question of a person does not wait.
 */
const gatherMs = 100;

/**
 * The questions of one owner that are worked on at a time, however many of its pages are open, and
 * those that wait. The owner's other connection is free for the person who looks.
 */
const ofOneOwner = { ofOwner: 1, mostWaiting: 100 };

/** The wait that a page with too many questions is told, in ms. */
const retryAfterMs = 1_000;

/** The answer to one question, for the other pages that ask the same. */
type Answered = { headers: [name: string, value: string][]; payload: string | Buffer };

/**
 * Questions that were gathered, with their answers. Each answer begins after all of the round's
 * questions were asked. Null: the question could not be answered.
 */
type Round = Map<string, Promise<Answered | null>>;

type Turn = { end: () => void; answer: ((answered: Answered | null) => void) | null };

type Asked = {
  /** The answers of a route are the same for all requests with the same name. */
  whose: (request: FastifyRequest) => string;
  /** The owner of the turns that a request takes. */
  ownerOf: (request: FastifyRequest) => Owner;
};

/**
 * Answers the questions that open pages of the console ask by themselves: after an event, and from
 * time to time.
 */
export type Background = {
  /**
   * Adds the hooks to a scope. Call it before the scope's guard is added: pages that ask together
   * are gathered before it. Turns are taken after the guard and the limits have let a question
   * pass.
   */
  addTo: (scope: Web, asked: Asked) => void;
};

/**
 * Answers a question of several pages at the same moment once, and few questions of an owner at a
 * time. No owner waits for another. No answer is older than its question. Each request passes the
 * guard on its own. No answer is kept. An owner with too many questions gets Fault `rate_limited`.
 */
export function createBackground(): Background {
  const turns = createTurns({ ...ofOneOwner, elapsed: () => performance.now() });
  const rounds = new WeakMap<FastifyRequest, Round>();
  const taken = new WeakMap<FastifyRequest, Turn>();
  let gathering: Promise<Round> | null = null;

  function gather(): Promise<Round> {
    gathering ??= sleep(gatherMs).then(() => {
      gathering = null;
      return new Map();
    });
    return gathering;
  }

  /** Answers what another page was answered; null: nothing, so this one has to ask. */
  async function answerOf(request: FastifyRequest, question: string): Promise<Answered | null> {
    const round = rounds.get(request);
    // Only callers that take gzip, as browsers do, share answers: a shared answer is compressed
    // already.
    if (round === undefined || !takesGzip(request.headers["accept-encoding"])) return null;
    const asked = round.get(question);
    if (asked !== undefined) return asked;
    const answer = new Promise<Answered | null>((resolve) => {
      taken.set(request, { end: () => {}, answer: resolve });
    });
    round.set(question, answer);
    return null;
  }

  async function begin(request: FastifyRequest, reply: FastifyReply, owner: Owner): Promise<void> {
    const end = await turns.begin(ownerKey(owner), null);
    if (end === null) throw tooMany();
    taken.set(request, { answer: taken.get(request)?.answer ?? null, end });
    // The turn also ends where nothing can be sent any more.
    if (reply.raw.destroyed) leave(request, null);
    else reply.raw.once("close", () => leave(request, null));
  }

  function leave(request: FastifyRequest, answered: Answered | null): void {
    const turn = taken.get(request);
    if (turn === undefined) return;
    taken.delete(request);
    turn.answer?.(answered);
    turn.end();
  }

  return {
    addTo(scope, { whose, ownerOf }) {
      scope.addHook("onRequest", async (request) => {
        if (isAlone(request)) rounds.set(request, await gather());
      });
      scope.addHook("preHandler", async (request, reply) => {
        if (!isAlone(request)) return;
        const answered = await answerOf(request, `${whose(request)} ${request.url}`);
        // A failed answer to one page says nothing of the others: they ask themselves.
        if (answered === null) return begin(request, reply, ownerOf(request));
        for (const [name, value] of answered.headers) reply.header(name, value);
        return reply.send(answered.payload);
      });
      scope.addHook("onSend", async (request, reply, payload) => {
        leave(request, answeredBy(reply, payload));
      });
    },
  };
}

function tooMany(): Fault {
  return new Fault(
    "rate_limited",
    "Too many questions of your open pages wait: close some of the pages.",
    { facts: { retryAfterMs } },
  );
}

/** True if the page asked by itself, and not the person who looks at it. */
export function isAlone({ headers, method }: FastifyRequest): boolean {
  return headers["x-console-background"] !== undefined && method === "GET";
}

/** Headers that belong to one request alone. */
const own = new Set(["x-request-id", "set-cookie"]);

function answeredBy(reply: FastifyReply, payload: unknown): Answered | null {
  const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
  if (reply.statusCode !== 200 || !isWhole) return null;
  const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]): [string, string][] =>
    value === undefined || own.has(name) ? [] : [[name, String(value)]],
  );
  return { headers, payload };
}
