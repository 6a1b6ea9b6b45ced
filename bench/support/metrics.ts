/** A metric of a daemon that has one value, now. Rejects where there is no such metric. */
export async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, "m").exec(text);
  if (found === null) throw new Error(`There is no metric ${name}.`);
  return Number(found[1]);
}
