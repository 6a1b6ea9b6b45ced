import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";

/** The chains that are watched; none while they are not known. */
export function useChains(): readonly Schema<"Chain">[] {
  const { answer } = useAnswer("chains", ["chains"], (as) => answered(api.GET("/chains", as)));
  return answer.state === "ready" ? answer.value.data : [];
}
