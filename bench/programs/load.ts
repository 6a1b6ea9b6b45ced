// The load maker: keeps so many requests under way for so long, and answers what came of them.
import { Pool } from "undici";
import type { LoadQuestion } from "../process/protocol.ts";
import { serveParent } from "../process/serve-parent.ts";

serveParent<"load">(null, async (question: LoadQuestion) => {
  const { url, connections, ms } = question;
  const pool = new Pool(url, { connections, pipelining: 1 });
  const counts = { sent: 0, bytes: 0 };
  const beganAtMs = performance.now();
  const loop = async () => {
    while (performance.now() < beganAtMs + ms) await get(pool, question, counts);
  };
  try {
    await Promise.all(Array.from({ length: connections }, loop));
    const seconds = (performance.now() - beganAtMs) / 1_000;
    return { perSecond: counts.sent / seconds, bytes: Math.round(counts.bytes / counts.sent) };
  } finally {
    await pool.destroy();
  }
});

type Counts = { sent: number; bytes: number };

/** The least that a client can do: the bytes are counted and dropped. */
function get(pool: Pool, { paths, headers }: LoadQuestion, counts: Counts): Promise<void> {
  const path = paths[counts.sent % paths.length] ?? "/";
  counts.sent += 1;
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method: "GET", path, headers },
      {
        onRequestStart() {},
        onResponseStart(_controller, status) {
          if (status !== 200) reject(new Error(`GET ${path} answered ${status}`));
        },
        onResponseData(_controller, chunk) {
          counts.bytes += chunk.length;
        },
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
