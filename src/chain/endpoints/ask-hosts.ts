import { faultIn } from "../../domain/fault.ts";
import { type AgreementRule, type Answers, judge } from "../../domain/watch/agreement.ts";

type OfHost = { host: string };

/**
 * Collects what hosts say to one question: the first answer, which is there already, and those of
 * other hosts, asked one after the other until they are enough. `ask` answers with null where a
 * host does not answer this now, as with any Fault. It answers with `cannot` where the host has no
 * say in it, and with `refused` where the host refuses what it answered before.
 */
export async function askHosts<E extends OfHost, T extends OfHost>(
  endpoints: readonly E[],
  first: T,
  of: {
    ask: (endpoint: E) => Promise<T | "cannot" | "refused" | null>;
    isEnough: (values: readonly T[]) => boolean;
  },
): Promise<Answers<T>> {
  const values = [first];
  const answered = new Set([first.host]);
  const silent = new Set<string>();
  const refused = new Set<string>();
  for (const endpoint of endpoints) {
    const { host } = endpoint;
    if (answered.has(host)) continue;
    const said = await silentOnFault(() => of.ask(endpoint));
    if (said === null || said === "refused") {
      (said === null ? silent : refused).add(host);
      continue;
    }
    answered.add(host);
    silent.delete(host);
    refused.delete(host);
    if (said === "cannot") continue;
    values.push(said);
    if (of.isEnough(values)) break;
  }
  return { values, silent: [...silent], refused: [...refused] };
}

/** Stands for those that have not been asked yet. */
export const notAsked: readonly string[] = ["others"];

/** When no further host need be asked. */
export const isAgreed =
  <T>(rule: AgreementRule<T>) =>
  (values: readonly T[]): boolean =>
    judge({ values, silent: notAsked }, rule).kind === "agreed";

/** Answers null for a Fault: the failure is in the endpoint's health. */
async function silentOnFault<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return null;
  }
}
