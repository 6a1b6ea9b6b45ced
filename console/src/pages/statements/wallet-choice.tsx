import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { mostOffered, SoughtChoice } from "../../ui/act/sought-choice.tsx";
import { unturned } from "../../ui/show/turned.ts";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";
import { walletName } from "./wallet-name.ts";

type Shown = { value: string; onChange: (id: string) => void };

/**
 * A choice among any number of wallets. It finds the beginning of an address, and parts of a
 * reference or label.
 */
export function WalletChoice({ value, onChange }: Shown) {
  const [sought, setSought] = useState("");
  const { answer } = useAnswer(`wallets ${sought}`, ["wallets"], (as) => {
    const query = { limit: mostOffered, ...(sought !== "" && { q: sought }) };
    return answered(api.GET("/wallets", { params: { query }, ...as }));
  });
  const isKnown = answer.state === "ready" && !answer.isStale;
  return (
    <SoughtChoice
      label={text.statements.wallet}
      chosen={useWalletName(value)}
      sought={sought}
      offered={
        isKnown
          ? answer.value.data.map((wallet) => ({
              id: wallet.wallet_id,
              name: walletName(wallet),
              more: unturned(wallet.reference ?? ""),
            }))
          : null
      }
      nothing={text.statements.noWallet}
      onSeek={setSought}
      onChange={onChange}
    />
  );
}

/** The name of a wallet by its id; the id while the name is not known. */
function useWalletName(id: string): string {
  const { answer } = useAnswer(id, ["wallets"], async (as) => {
    if (id === "") return "";
    const params = { path: { wallet_id: id } };
    return walletName((await answered(api.GET("/wallets/{wallet_id}", { params, ...as }))).data);
  });
  return answer.state === "ready" && !answer.isStale ? answer.value : id;
}
