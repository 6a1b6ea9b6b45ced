import { startRpcProxy } from "../../../test/support/chain/rpc-proxy.ts";

/** What was asked of an endpoint, and what it answered and announced. */
export type Questions = {
  calls: Map<string, number>;
  announced: number;
  /** Of answers and announcements. */
  bytes: number;
  announcedBytes: number;
};

/** An endpoint that counts what is asked of it. Whoever starts it stops it. */
export async function countQuestions(target: string) {
  const proxy = await startRpcProxy(target);
  let asked = none();
  proxy.misbehave(async ({ method }, forward) => {
    asked.calls.set(method, (asked.calls.get(method) ?? 0) + 1);
    const result = await forward();
    asked.bytes += JSON.stringify(result ?? null).length;
    return { result };
  });
  proxy.announce((head) => {
    const bytes = JSON.stringify(head).length;
    asked.announced += 1;
    asked.announcedBytes += bytes;
    asked.bytes += bytes;
    return head;
  });
  return {
    url: proxy.url,
    wsUrl: proxy.wsUrl,
    /** What was asked since this was called last. */
    take(): Questions {
      const taken = asked;
      asked = none();
      return taken;
    },
    stop: () => proxy.stop(),
  };
}

function none(): Questions {
  return { calls: new Map(), announced: 0, bytes: 0, announcedBytes: 0 };
}

export function countOf({ calls }: Questions): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}
