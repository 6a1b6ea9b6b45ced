import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../../domain/fault.ts";
import { ownerKey, type Work, WorkLeft, workInHand } from "../../runtime/on-behalf.ts";
import { createTurns } from "../../runtime/turns.ts";
import { takesGzip } from "../http/compress.ts";
import type { Web } from "../http/web.ts";

/**
 * The time for which questions are collected, in ms. Pages that are told of the same change ask
 * within this time. A question of a person does not wait.
 */
const gatherMs = 100;

/**
 * The number of questions of one owner that are answered at a time, for all of its open pages
 * together. `mostWaiting`: how many may wait. The owner's other connection stays free for the
 * person.
 */
const ofOneOwner = { ofOwner: 1, mostWaiting: 100 };

/** The time that a page with too many questions is asked to wait, in ms. */
const retryAfterMs = 1_000;

/** The answer to one question, which other pages with the same question share. */
type Answered = { headers: [name: string, value: string][]; payload: string | Buffer };

/**
 * Collected questions with their answers. Each answer begins after all questions of the round were
 * asked. Null: the question could not be answered.
 */
type Round = Map<string, Promise<Answered | null>>;

type Turn = { end: () => void; answer: ((answered: Answered | null) => void) | null };

/**
 * Answers what open pages of the console ask by themselves: after an event, and from time to time.
 */
export type Background = {
  /**
   * Adds the hooks to a scope. Call it before the scope's guard is added, because questions are
   * collected before the guard. After the guard and the limits have passed a question, it waits for
   * a turn of its owner.
   * @param whose names whom an answer is for; requests with the same name share answers
   */
  addTo: (scope: Web, whose: (request: FastifyRequest) => string) => void;
};

/**
 * Answers the same question of several pages once, and few questions of one owner at a time. Owners
 * never wait for each other. An answer is never older than its question, and none is stored. The
 * guard checks each request separately. An owner with too many questions gets Fault `rate_limited`.
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

  /** The answer that another page got to this question. Null: none, so this request has to ask. */
  async function answerOf(request: FastifyRequest, question: string): Promise<Answered | null> {
    const round = rounds.get(request);
    // A shared answer is compressed already, so only callers that take gzip share it. Browsers do.
    if (round === undefined || !takesGzip(request.headers["accept-encoding"])) return null;
    const asked = round.get(question);
    if (asked !== undefined) return asked;
    const answer = new Promise<Answered | null>((resolve) => {
      taken.set(request, { end: () => {}, answer: resolve });
    });
    round.set(question, answer);
    return null;
  }

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { owner, nextPlace, signal } = requireWork();
    const turn = await turns.begin(ownerKey(owner), { place: nextPlace(), signal });
    if (turn.kind === "left") {
      leave(request, null);
      throw new WorkLeft();
    }
    if (turn.kind === "refused") throw tooMany();
    taken.set(request, { answer: taken.get(request)?.answer ?? null, end: turn.end });
    // Ends the turn also if the connection closes before the answer is sent.
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
    addTo(scope, whose) {
      scope.addHook("onRequest", async (request) => {
        if (isAlone(request)) rounds.set(request, await gather());
      });
      scope.addHook("preHandler", async (request, reply) => {
        if (!isAlone(request)) return;
        const answered = await answerOf(request, `${whose(request)} ${request.url}`);
        // The failure may concern only that page, so the others ask for themselves.
        if (answered === null) return begin(request, reply);
        for (const [name, value] of answered.headers) reply.header(name, value);
        return reply.send(answered.payload);
      });
      scope.addHook("onSend", async (request, reply, payload) => {
        leave(request, answeredBy(reply, payload));
      });
    },
  };
}

function requireWork(): Work {
  const work = workInHand();
  if (work !== null) return work;
  throw new Fault("invariant_broken", "A page's question was asked on behalf of nobody.");
}

function tooMany(): Fault {
  return new Fault(
    "rate_limited",
    "Too many questions of your open pages wait: close some of the pages.",
    { facts: { retryAfterMs } },
  );
}

/** True if the page asked by itself, without the person who looks at it. */
export function isAlone({ headers, method }: FastifyRequest): boolean {
  return headers["x-console-background"] !== undefined && method === "GET";
}

/** Headers that must not be shared between requests. */
const own = new Set(["x-request-id", "set-cookie"]);

function answeredBy(reply: FastifyReply, payload: unknown): Answered | null {
  const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
  if (reply.statusCode !== 200 || !isWhole) return null;
  const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]): [string, string][] =>
    value === undefined || own.has(name) ? [] : [[name, String(value)]],
  );
  return { headers, payload };
}
