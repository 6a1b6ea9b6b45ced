import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createTurns } from "../../runtime/turns.ts";
import { takesGzip } from "../http/compress.ts";
import type { Web } from "../http/web.ts";

/** How long questions are gathered, in ms: the pages that heard of the same change ask within it. Nobody is kept waiting who looks. */
const gatherMs = 100;

/**
 * Worked on at a time, however many pages are open. The connections that the console's events keep in use are enough for them, and the
 * API's own requests find the others free: to log in to PostgreSQL costs either side more than a question does.
 */
const atOnce = 2;

/** What one of them was answered, for the others that ask the same. */
type Answered = { headers: [name: string, value: string][]; payload: string | Buffer };

/** Questions that were gathered. The answer to each begins after all of them were asked. Null: it could not be answered. */
type Round = Map<string, Promise<Answered | null>>;

type Turn = { round: Round; end: () => void; answer: ((answered: Answered | null) => void) | null };

/** Of pages of the console that are open, what they ask by themselves: after an event, and from time to time. */
export type Background = {
  /** Before the guard of the routes. `whose` is asked after it: the answers of a route are the same for everybody with the same name. */
  addTo: (scope: Web, whose: (request: FastifyRequest) => string) => void;
};

/**
 * Answers what several pages ask at the same moment once, and little of it at a time. No answer is older than its question, and who
 * asks is looked up for each of them: nothing is kept.
 */
export function createBackground(): Background {
  const turns = createTurns(atOnce);
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
    // Also where nothing can be sent any more.
    if (reply.raw.destroyed) leave(request, null);
    else reply.raw.once("close", () => leave(request, null));
  }

  async function answerTogether(request: FastifyRequest, reply: FastifyReply, whose: string) {
    const turn = taken.get(request);
    // As browsers do: what is passed on is compressed already.
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
    // Whoever could not be answered says nothing of the others.
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

/** Whether the page asked it, and not whoever looks at it. */
export function isAlone({ headers, method }: FastifyRequest): boolean {
  return headers["x-console-background"] !== undefined && method === "GET";
}

/** Headers that are of one request alone. */
const own = new Set(["x-request-id", "set-cookie"]);

function answeredBy(reply: FastifyReply, payload: unknown): Answered | null {
  const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
  if (reply.statusCode !== 200 || !isWhole) return null;
  const headers = Object.entries(reply.getHeaders()).flatMap(([name, value]): [string, string][] =>
    value === undefined || own.has(name) ? [] : [[name, String(value)]],
  );
  return { headers, payload };
}
