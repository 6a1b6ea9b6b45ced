import { text } from "../../../text/text.ts";
import { answered, api } from "../../../wire/api.ts";
import { type Asking, useAnswer } from "../../../wire/use-answer.ts";
import { useSession } from "../../../wire/use-session.ts";
import { ChosenFilter, type Filtering } from "./filter-bar.tsx";

/** The choice of one chain, of those that are watched and the chosen one. */
export function ChainFilter({ of }: { of: Filtering<"blockchain"> }) {
  const { session } = useSession();
  const { answer } = useAnswer(`chains ${session.kind}`, ["chains"], (as) =>
    namesOf(session.kind, as),
  );
  const chosen = of.filters.blockchain;
  const names = new Set(answer.state === "ready" ? answer.value : []);
  if (chosen !== undefined) names.add(chosen);
  const options = Object.fromEntries([...names].map((one) => [one, one]));
  return (
    <ChosenFilter of={of} name="blockchain" label={text.wallets.blockchain} options={options} />
  );
}

async function namesOf(kind: "business" | "operator", as: Asking): Promise<string[]> {
  const chains =
    kind === "business"
      ? (await answered(api.GET("/chains", as))).data
      : (await answered(api.GET("/admin/status", as))).data.chains;
  return chains.map(({ name }) => name);
}
