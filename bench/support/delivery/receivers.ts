import { startProgram } from "../../process/start-program.ts";

export type Receivers = Awaited<ReturnType<typeof openReceivers>>;

/** Fewer, and nothing arrives any more: what was lost fails the benchmark instead of hanging it. */
const arrivalTimeoutMs = 120_000;

/** So many receivers that count and answer after a while. */
export async function openReceivers(given: { count: number; answerAfterMs: number }) {
  const program = await startProgram("counting-receivers", given);
  const { ports } = program.ready;
  return {
    ports,
    urls: ports.map((port) => `http://127.0.0.1:${port}/hook`),
    /**
     * Resolves, once so many distinct deliveries have come, with when the last of them came and
     * how many requests there were. May be called before it is awaited.
     */
    waitFor(expect: number): Promise<{ lastAtMs: number; requests: number }> {
      const arrived = program.ask({ expect }, arrivalTimeoutMs);
      arrived.catch(() => {});
      return arrived;
    },
    end: program.stop,
  };
}
