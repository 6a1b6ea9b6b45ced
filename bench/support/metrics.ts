import { setTimeout as sleep } from "node:timers/promises";

/** A metric of a daemon that has one value, now. Rejects where there is no such metric. */
export async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "m").exec(text);
  if (found === null) throw new Error(`There is no metric ${name}.`);
  return Number(found[1]);
}

/** How much of one core a daemon takes from now on, in %. */
export async function cpuShare(url: string, forMs: number): Promise<number> {
  const cpuMs = async () => 1_000 * (await readMetric(url, "chainbell_process_cpu_seconds_total"));
  const [usedMs, atMs] = [await cpuMs(), performance.now()];
  await sleep(forMs);
  return (100 * ((await cpuMs()) - usedMs)) / (performance.now() - atMs);
}
