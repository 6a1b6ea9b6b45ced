import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createSemaphore } from "../../runtime/semaphore.ts";
import { takesGzip } from "../http/compress.ts";
import type { Web } from "../http/web.ts";

/**
 * The time for which questions are gathered, in ms. Pages that heard of the same change ask within
 * it. A question of a person does not wait.
 */
const gatherMs = 100;

/**
 * The questions that are worked on at a time, however many pages are open. The database connections
 * that the console's events keep in use are enough for them. The API's own requests find the others
 * free. A login to PostgreSQL costs both sides more than a question does.
 */
const atOnce = 2;

/** The answer to one question, for the other pages that ask the same. */
type Answered = { headers: [name: string, value: string][]; payload: string | Buffer };

/**
 * Questions that were gathered, with their answers. Each answer begins after all of the round's
 * questions were asked. Null: the question could not be answered.
 */
type Round = Map<string, Promise<Answered | null>>;

type Turn = { round: Round; end: () => void; answer: ((answered: Answered | null) => void) | null };

/**
 * Answers the questions that open pages of the console ask by themselves: after an event, and from
 * time to time.
 */
export type Background = {
  /**
   * Adds the hooks to a scope. Call it before the scope's guard is added. `whose` is asked after
   * the guard. The answers of a route are the same for all requests with the same name.
   */
  addTo: (scope: Web, whose: (request: FastifyRequest) => string) => void;
};

/**
 * Answers a question of several pages at the same moment once, and few questions at a time. No
 * answer is older than its question. Each request passes the guard on its own. No answer is kept.
 */
export function createBackground(): Background {
  const turns = createSemaphore(atOnce);
  const taken = new WeakMap<FastifyRequest, Turn>();
  let gathering: Promise<Round> | null = null;

  function gather(): Promise<Round> {
    gathering ??= sleep(gatherMs).then(() => {
      gathering = null;
      return new Map();
    });
    return gathering;
  }

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const round = await gather();
    taken.set(request, { round, end: await turns.begin(), answer: null });
    // The turn also ends where nothing can be sent any more.
    if (reply.raw.destroyed) leave(request, null);
    else reply.raw.once("close", () => leave(request, null));
  }

  async function answerTogether(request: FastifyRequest, reply: FastifyReply, whose: string) {
    const turn = taken.get(request);
    // Only callers that take gzip, as browsers do, share answers: a shared answer is compressed
    // already.
    if (turn === undefined || !takesGzip(request.headers["accept-encoding"])) return;
    const question = `${whose} ${request.url}`;
    const asked = turn.round.get(question);
    if (asked === undefined) {
      turn.round.set(
        question,
        new Promise((resolve) => {
          turn.answer = resolve;
        }),
      );
      return;
    }
    const answered = await asked;
    // A failed answer to one page says nothing of the others: this one asks itself.
    if (answered === null) return;
    for (const [name, value] of answered.headers) reply.header(name, value);
    return reply.send(answered.payload);
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
      scope.addHook("onRequest", async (request, reply) => {
        if (isAlone(request)) await begin(request, reply);
      });
      scope.addHook("preHandler", (request, reply) =>
        answerTogether(request, reply, whose(request)),
      );
      scope.addHook("onSend", async (request, reply, payload) => {
        leave(request, answeredBy(reply, payload));
      });
    },
  };
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
