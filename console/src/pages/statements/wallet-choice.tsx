import { useEffect, useId, useRef, useState } from "preact/hooks";
import { shorten } from "../../format/short.ts";
import { fill, text } from "../../text/text.ts";
import { Button } from "../../ui/act/button.tsx";
import { unturned } from "../../ui/show/turned.ts";
import { answered, api, type Schema } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";

/** The most that are offered below the field. A longer text narrows them. */
const offered = 20;
// The wait after the last letter, in ms: not every letter asks anew.
const pauseMs = 250;

type Wallet = Schema<"Wallet">;
type Shown = { value: string; onChange: (id: string) => void };

/**
 * A choice among any number of wallets: by the beginning of its address, or a part of its reference
 * or label. Taking one that is offered chooses it, and so does Enter where only one is found.
 */
export function WalletChoice({ value, onChange }: Shown) {
  const [written, setWritten] = useState("");
  const [sought, setSought] = useState("");
  const [isEntered, setEntered] = useState(false);
  const timer = useRef(0);
  const [id, listId] = [useId(), useId()];
  useEffect(() => () => clearTimeout(timer.current), []);
  const { answer } = useAnswer(`wallets ${sought}`, ["wallets"], (as) => {
    const query = { limit: offered, ...(sought !== "" && { q: sought }) };
    return answered(api.GET("/wallets", { params: { query }, ...as }));
  });
  const isKnown = answer.state === "ready" && !answer.isStale;
  const wallets = isKnown ? answer.value.data : [];
  const choose = (wallet: Wallet) => {
    setWritten("");
    setSought("");
    setEntered(false);
    onChange(wallet.wallet_id);
  };
  const write = (next: string) => {
    const taken = wallets.find((wallet) => nameOf(wallet) === next);
    clearTimeout(timer.current);
    if (taken !== undefined) {
      choose(taken);
      return;
    }
    setWritten(next);
    setEntered(false);
    timer.current = window.setTimeout(() => setSought(next.trim()), pauseMs);
  };
  const enter = () => {
    clearTimeout(timer.current);
    setSought(written.trim());
    setEntered(written.trim() !== "");
  };
  // Enter during a search chooses when the answer has come.
  useEffect(() => {
    const [only, ...others] = wallets;
    const isAnswered = isEntered && isKnown && sought === written.trim();
    if (isAnswered && only !== undefined && others.length === 0) choose(only);
  }, [answer, isEntered]);
  return (
    <div class="filter filter-wide">
      <label htmlFor={id}>{text.statements.wallet}</label>
      <input
        class="input"
        id={id}
        list={listId}
        value={written}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") enter();
        }}
      />
      <datalist id={listId}>
        {wallets.map((wallet) => (
          <option key={wallet.wallet_id} value={nameOf(wallet)}>
            {unturned(wallet.reference ?? "")}
          </option>
        ))}
      </datalist>
      <span class="small muted" role="status">
        {isKnown && sought !== "" && wallets.length === 0 && text.statements.noWallet}
        {value !== "" && written === "" && <Chosen key={value} id={value} />}
      </span>
      {value !== "" && (
        <Button look="quiet" onClick={() => onChange("")}>
          {text.statements.noneChosen}
        </Button>
      )}
    </div>
  );
}

function Chosen({ id }: { id: string }) {
  const { answer } = useAnswer(id, ["wallets"], (as) =>
    answered(api.GET("/wallets/{wallet_id}", { params: { path: { wallet_id: id } }, ...as })),
  );
  const name = answer.state === "ready" ? nameOf(answer.value.data) : id;
  return <bdi>{fill(text.statements.chosen, { name })}</bdi>;
}

/** Tells a wallet from every other one of its business. */
function nameOf({ label, address, blockchain }: Wallet): string {
  const short = shorten(address, 10, 8);
  const names = label === null ? [short, blockchain] : [label, blockchain, short];
  return unturned(names.join(" · "));
}
