import { useState } from "preact/hooks";
import { chosenZone, zoneOf } from "../../format/zone.ts";
import { fill, text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { showToast } from "../../ui/act/toasts.tsx";
import { answered, api } from "../../wire/api.ts";
import { WalletChoice } from "./wallet-choice.tsx";

type Shown = { month: string; onMade: () => void; onClose: () => void };

type Wish = {
  from: string;
  to: string;
  time_zone: string;
  wallet_id: string;
  label: string;
  reference_prefix: string;
  asset: string;
};

/**
 * Makes a signed statement of a period, for all wallets or for some. Shows progress until the
 * statement is stored.
 */
export function MakeDialog({ month, onMade, onClose }: Shown) {
  const [wish, setWish] = useState<Wish>({
    ...daysOf(month),
    time_zone: zoneOf(chosenZone()),
    wallet_id: "",
    label: "",
    reference_prefix: "",
    asset: "",
  });
  const [isBusy, setBusy] = useState(false);
  const change = (name: keyof Wish) => (value: string) =>
    setWish((before) => ({ ...before, [name]: value }));
  const make = async () => {
    setBusy(true);
    try {
      await makeStatement(wish);
    } finally {
      setBusy(false);
    }
    showToast("good", text.signed.stored);
    onMade();
  };
  const zone = wish.time_zone;
  return (
    <Confirm
      title={text.signed.make}
      action={text.signed.make}
      isDisabled={wish.from === "" || wish.to === ""}
      onConfirm={make}
      onClose={onClose}
    >
      <p class="muted">{text.signed.makeMore}</p>
      <Field
        label={fill(text.common.from, { zone })}
        type="date"
        value={wish.from}
        onInput={change("from")}
      />
      <Field
        label={fill(text.common.to, { zone })}
        type="date"
        value={wish.to}
        onInput={change("to")}
      />
      <Field
        label={text.signed.zone}
        hint={text.signed.zoneHint}
        value={zone}
        onInput={change("time_zone")}
      />
      <WalletChoice value={wish.wallet_id} onChange={change("wallet_id")} />
      <Field label={text.signed.label} value={wish.label} onInput={change("label")} />
      <Field
        label={text.webhooks.wish.references}
        value={wish.reference_prefix}
        onInput={change("reference_prefix")}
      />
      <Field
        label={text.overview.asset}
        hint={text.signed.emptyHint}
        value={wish.asset}
        onInput={change("asset")}
      />
      {isBusy && (
        <div class="stack-tight" role="status">
          <progress class="progress" aria-label={text.signed.progress} />
          <p class="small muted">{text.signed.progressMore}</p>
        </div>
      )}
    </Confirm>
  );
}

/**
 * Returns when the statement is stored. Its lines are not read: the list has them.
 * @throws WireFault
 */
async function makeStatement(wish: Wish): Promise<void> {
  const written = Object.entries(wish).filter(([, value]) => value.trim() !== "");
  const query = Object.fromEntries(written.map(([name, value]) => [name, value.trim()]));
  const lines = await answered(api.GET("/statements", { params: { query }, parseAs: "stream" }));
  await lines?.cancel();
}

/** The first day of a month, and that of the next one. */
function daysOf(month: string): { from: string; to: string } {
  const [year, ordinal] = [Number(month.slice(0, 4)), Number(month.slice(5))];
  const next = new Date(Date.UTC(year, ordinal)).toISOString().slice(0, 10);
  return { from: `${month}-01`, to: next };
}
