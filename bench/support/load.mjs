// The load maker, in a process of its own: keeps `connections` requests under way for `ms` and says what came of them.
import { Pool } from "undici";

process.on("message", async ({ url, paths, headers, connections, ms }) => {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const latencies = [];
  const state = { sent: 0, bytes: 0 };
  const one = () => {
    const path = paths[state.sent++ % paths.length];
    return get(pool, { path, headers, state });
  };
  const beganAtMs = performance.now();
  const endsAtMs = beganAtMs + ms;
  const loop = async () => {
    while (performance.now() < endsAtMs) {
      const sentAtMs = performance.now();
      await one();
      latencies.push(performance.now() - sentAtMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, loop));
    const perSecond = (latencies.length * 1_000) / (performance.now() - beganAtMs);
    latencies.sort((a, b) => a - b);
    const at = (share) => latencies[Math.floor((latencies.length - 1) * share)];
    const bytes = Math.round(state.bytes / state.sent);
    process.send({ perSecond, p50: at(0.5), p99: at(0.99), bytes });
  } catch (error) {
    process.send({ error: error.message });
  } finally {
    await pool.destroy();
  }
});
process.on("disconnect", () => process.exit());
process.send("ready");

/** The least that a client can do: the bytes are counted and dropped. */
function get(pool, { path, headers, state }) {
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method: "GET", path, headers },
      {
        onRequestStart() {},
        onResponseStart(_controller, status) {
          if (status !== 200) reject(new Error(`GET ${path} answered ${status}`));
        },
        onResponseData(_controller, chunk) {
          state.bytes += chunk.length;
        },
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
