import { shorten } from "../../format/short.ts";
import { text } from "../../text/text.ts";
import { unturned } from "../../ui/show/turned.ts";
import { answered, api } from "../../wire/api.ts";
import { useAnswer } from "../../wire/use-answer.ts";

const most = 500;

/**
 * A choice of a wallet. A wallet that is not among the newest is shown by the id in the address.
 */
export function WalletChoice({
  value,
  onChange,
}: {
  value: string;
  onChange: (id: string) => void;
}) {
  const { answer } = useAnswer("wallets", ["wallets"], (as) =>
    answered(api.GET("/wallets", { params: { query: { limit: most } }, ...as })),
  );
  const wallets = answer.state === "ready" ? answer.value.data : [];
  const isListed = wallets.some(({ wallet_id: id }) => id === value);
  return (
    <label class="filter filter-wide">
      <span>{text.wallets.one}</span>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{text.statements.choose}</option>
        {value !== "" && !isListed && <option value={value}>{value}</option>}
        {wallets.map(({ wallet_id: id, label, address, blockchain }) => (
          <option key={id} value={id}>
            {unturned(label ?? shorten(address, 10, 8))} · {blockchain}
          </option>
        ))}
      </select>
    </label>
  );
}
