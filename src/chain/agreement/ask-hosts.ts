import { faultIn } from "../../domain/fault.ts";
import { type AgreementRule, type Answers, judge } from "../../domain/watch/agreement.ts";
import type { Clock } from "../../runtime/clock.ts";

type OfHost = { host: string };

/**
 * Collects the answers of hosts to one question. The first answer is given. Those of other hosts
 * follow one after another until `isEnough`. `ask` answers null, or throws a Fault, for a host that
 * does not answer now. It answers `cannot` for a host that has no say, and `refused` for a host
 * that refuses what it answered before.
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

/** A placeholder for hosts that have not been asked yet. */
export const notAsked: readonly string[] = ["others"];

/** Decides when no further host need be asked. */
export const isAgreed =
  <T>(rule: AgreementRule<T>) =>
  (values: readonly T[]): boolean =>
    judge({ values, silent: notAsked }, rule).kind === "agreed";

/**
 * A host may get a new block later than the one that gave it. It is asked this often, with this
 * pause in ms.
 */
const timesAsked = 8;
const betweenMs = 250;

/** Asks again, for about two seconds, until `isThere`. Answers the last answer. */
export async function untilThere<Answer>(
  clock: Clock,
  ask: () => Promise<Answer>,
  isThere: (answer: Answer) => boolean,
): Promise<Answer> {
  for (let asked = 1; ; asked += 1) {
    const answer = await ask();
    if (isThere(answer) || asked === timesAsked) return answer;
    await clock.sleep(betweenMs, new AbortController().signal);
  }
}

/** Answers null for a Fault: the failure is in the endpoint's record. */
async function silentOnFault<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return null;
  }
}
