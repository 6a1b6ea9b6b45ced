import type { Asked, ConsolePage } from "./pages.ts";

/** Somebody who is signed in to the console of a daemon, as a browser is. */
export type Visitor = {
  /**
   * ms until everything that the page asks is answered, all of it asked at once. Rejects where
   * something is refused.
   */
  open: (page: ConsolePage) => Promise<number>;
  /**
   * Keeps the page open: it listens, and asks again what an event names, and everything once a
   * minute.
   */
  keepOpen: (page: ConsolePage) => Promise<OpenPage>;
  get: (path: string) => Promise<unknown>;
};

/** How many questions it has asked since it was opened, and how many of them were refused. */
type Asking = { asked: number; refused: number };

type OpenPage = { count: () => Asking; close: () => Promise<void> };

const rereadMs = 60_000;

/** Signs in with an API key or an admin token. */
export async function visit(
  url: string,
  credential: { api_key: string } | { admin_token: string },
): Promise<Visitor> {
  const answer = await fetch(`${url}/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify(credential),
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (!answer.ok || cookie === undefined)
    throw new Error(`Signing in was answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
  const ask = async (path: string, byItself: object = {}): Promise<string> => {
    const given = await fetch(`${url}/console/api${path}`, { headers: { cookie, ...byItself } });
    const body = await given.text();
    if (!given.ok) throw new Error(`${path} was answered ${given.status}: ${body}`);
    return body;
  };
  return {
    get: async (path) => JSON.parse(await ask(path)),
    async open({ asks }) {
      const beganMs = performance.now();
      await Promise.all(asks.map(({ path }) => ask(path)));
      return performance.now() - beganMs;
    },
    async keepOpen({ asks }) {
      const count: Asking = { asked: 0, refused: 0 };
      const again = async (which: readonly Asked[]) => {
        count.asked += which.length;
        const answers = await Promise.allSettled(
          which.map(({ path }) => ask(path, { "x-console-background": "1" })),
        );
        // As a page does: it keeps what it shows, and asks again in a while.
        count.refused += answers.filter(({ status }) => status === "rejected").length;
      };
      const leaving = new AbortController();
      const { signal } = leaving;
      const stream = await fetch(`${url}/console/events`, { headers: { cookie }, signal });
      await again(asks);
      const timer = setInterval(() => void again(asks), rereadMs);
      const listening = listen(stream, (topics) =>
        again(asks.filter((one) => one.topics.some((topic) => topics.includes(topic)))),
      );
      return {
        count: () => ({ ...count }),
        async close() {
          clearInterval(timer);
          leaving.abort();
          await listening;
        },
      };
    },
  };
}

/** Ends when the stream does, however it does. */
async function listen(
  { body }: Response,
  changed: (topics: readonly string[]) => Promise<void>,
): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body ?? []) {
      for (const [, data = "{}"] of decoder
        .decode(chunk)
        .matchAll(/^event: changed\ndata: (.*)$/gm)) {
        const { topics = [] } = JSON.parse(data) as { topics?: string[] };
        await changed(topics);
      }
    }
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
