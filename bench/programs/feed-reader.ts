// A reader of the feed: takes it from its start, or keeps requests open that wait for news. The
// least that a client can do: events are counted and dropped.
import { Pool } from "undici";
import { serveParent } from "../process/serve-parent.ts";

const limit = 500;
const longestWaitS = 30;
let waiting: { pool: Pool; answered: number } | null = null;

serveParent<"feed-reader">(null, async (question) => {
  if (question.kind === "wait") {
    await wait(question);
    return { perSecond: 0, answered: 0 };
  }
  if (question.kind === "leave") {
    const answered = waiting?.answered ?? 0;
    const left = waiting?.pool;
    waiting = null;
    await left?.destroy();
    return { perSecond: 0, answered };
  }
  const { url, key, as, events } = question;
  const pool = new Pool(url, { connections: 1, pipelining: 1 });
  try {
    const beganAtMs = performance.now();
    await (as === "pages" ? readPages : readStream)(pool, key, events);
    return { perSecond: (1_000 * events) / (performance.now() - beganAtMs), answered: 0 };
  } finally {
    await pool.destroy();
  }
});

async function readPages(pool: Pool, key: string, events: number): Promise<void> {
  let after = "";
  for (let seen = 0; seen < events; ) {
    const path = `/notifications/feed?limit=${limit}${after === "" ? "" : `&after=${after}`}`;
    const page = await get(pool, path, key);
    after = page.cursor;
    if (page.lines === 0) throw new Error(`The feed ended after ${seen} events.`);
    seen += page.lines;
  }
}

async function get(pool: Pool, path: string, key: string) {
  const { statusCode, headers, body } = await pool.request({
    method: "GET",
    path,
    headers: { "x-api-key": key },
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}: ${text}`);
  return { cursor: String(headers["chainbell-cursor"]), lines: text.split("\n").length - 1 };
}

async function readStream(pool: Pool, key: string, events: number): Promise<void> {
  const { statusCode, body } = await pool.request({
    method: "GET",
    path: `/notifications/feed?limit=${limit}`,
    headers: { "x-api-key": key, accept: "text/event-stream" },
  });
  if (statusCode !== 200) throw new Error(`The stream answered ${statusCode}.`);
  let seen = 0;
  let rest = "";
  body.setEncoding("utf8");
  for await (const chunk of body) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop() ?? "";
    seen += lines.filter((line) => line.startsWith("data: ")).length;
    if (seen >= events) break;
  }
  body.destroy();
}

type Waiting = { url: string; keys: string[]; each: number };

/** Each waits after the newest event. Resolves once every request is under way. */
async function wait({ url, keys, each }: Waiting): Promise<void> {
  const pool = new Pool(url, { connections: keys.length * each, pipelining: 1, headersTimeout: 0 });
  const mine = { pool, answered: 0 };
  waiting = mine;
  const isWaiting = () => waiting === mine;
  for (const key of keys) {
    const after = await newest(pool, key);
    const path = `/notifications/feed?wait=${longestWaitS}&after=${after}`;
    const loop = async () => {
      while (isWaiting()) {
        await get(pool, path, key);
        mine.answered += 1;
      }
    };
    for (let at = 0; at < each; at += 1)
      loop().catch((error: unknown) => {
        if (isWaiting()) throw error;
      });
  }
}

async function newest(pool: Pool, key: string): Promise<string> {
  for (let after = ""; ; ) {
    const query = after === "" ? "" : `&after=${after}`;
    const page = await get(pool, `/notifications/feed?limit=${limit}${query}`, key);
    after = page.cursor;
    if (page.lines < limit) return after;
  }
}
