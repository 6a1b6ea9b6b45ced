import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { useSession } from "../../wire/use-session.ts";

/** The chains that are watched, as they are now; none while they are not known. For a business. */
export function useChains(): readonly Schema<"Chain">[] {
  const { answer } = useAnswer("chains", ["chains"], (as) => answered(api.GET("/chains", as)));
  return answer.state === "ready" ? answer.value.data : [];
}

type NamedChain = { name: string; assets: readonly string[]; explorer: string | null };

/**
 * The names and assets of the watched chains, with the explorers that a business is shown. None
 * while they are not known. Asked once: a new chain needs a start of the process, after which pages
 * read everything again.
 */
export function useNamedChains(): readonly NamedChain[] {
  const { kind } = useSession().session;
  const { answer } = useAnswer(`chains ${kind}`, [], async (as): Promise<NamedChain[]> => {
    if (kind === "business") return (await answered(api.GET("/chains", as))).data;
    const { chains } = (await answered(api.GET("/admin/status", as))).data;
    return chains.map(({ name, assets }) => ({ name, assets, explorer: null }));
  });
  return answer.state === "ready" ? answer.value : [];
}
