import { readOptional } from "../../wire/optional.ts";
import { useAnswer } from "../../wire/use-answer.ts";

/** What a business sees of a chain. */
export type Chain = {
  name: string;
  explorer: string | null;
  stopped: boolean;
  held: boolean;
  lag_seconds: number | null;
};

/** The chains that are watched; none while they are not known. */
export function useChains(): readonly Chain[] {
  const { answer } = useAnswer("chains", ["chains"], (as) =>
    readOptional<{ data: Chain[] }>("/chains", {}, as),
  );
  return answer.state === "ready" ? (answer.value?.data ?? []) : [];
}
