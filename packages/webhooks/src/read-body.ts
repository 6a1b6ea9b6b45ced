/**
 * The reason why a body did not arrive whole: too large (413), too slow (408), or broken off
 * (null). After a broken body nobody waits for an answer.
 */
export type BodyFault = { status: 413 | 408 | null };

export type BodyLimits = { maxBodyBytes: number; bodyTimeoutMs: number };

export const defaultLimits: BodyLimits = { maxBodyBytes: 262_144, bodyTimeoutMs: 10_000 };

/**
 * Reads a body within its limits, whatever the sender does. Never throws. Does not read the rest of
 * a refused body.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  limits: BodyLimits,
): Promise<Buffer | BodyFault> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), limits.bodyTimeoutMs);
  });
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), late]);
      if (next === "late") return { status: 408 };
      if (next.done === true) return Buffer.concat(chunks);
      bytes += next.value.length;
      if (bytes > limits.maxBodyBytes) return { status: 413 };
      chunks.push(next.value);
    }
  } catch {
    return { status: null };
  } finally {
    clearTimeout(timer);
  }
}
