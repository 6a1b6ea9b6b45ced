import { useState } from "preact/hooks";
import { text } from "../../text/text.ts";
import { Confirm } from "../../ui/act/confirm.tsx";
import { Field } from "../../ui/act/field.tsx";
import { Amount } from "../../ui/show/amount.tsx";
import { Badge } from "../../ui/show/badge.tsx";
import { When } from "../../ui/show/when.tsx";
import { type Column, Table } from "../../ui/table/table.tsx";
import { answered, api, type Schema } from "../../wire/api.ts";
import { ChangeButton } from "../parts/change-button.tsx";
import { thresholdsIn, thresholdsText } from "./written-thresholds.ts";

type Threshold = Schema<"Threshold">;

const words = text.thresholds;

const columns: readonly Column<Threshold>[] = [
  {
    name: "below",
    head: words.below,
    cell: ({ asset, below }) => <Amount amount={below} asset={asset} />,
  },
  {
    name: "restored",
    head: words.restoredFrom,
    cell: ({ asset, restored_from: from }) => <Amount amount={from} asset={asset} />,
  },
  {
    name: "state",
    head: words.state,
    cell: ({ is_below: isBelow, since }) => (
      <>
        {isBelow === null && <Badge tone="plain">{words.unknown}</Badge>}
        {isBelow === true && <Badge tone="warn">{words.isBelow}</Badge>}
        {isBelow === false && <Badge tone="good">{words.isReached}</Badge>}
        <span class="second">
          <When at={since} />
        </span>
      </>
    ),
  },
];

/** The balances of a wallet below which its business is notified. */
export function Thresholds({ of }: { of: readonly Threshold[] }) {
  return of.length === 0 ? (
    <p class="muted">
      {words.none} {words.noneOwn}
    </p>
  ) : (
    <ThresholdsTable of={of} />
  );
}

type Owned = { of: readonly Threshold[]; walletId: string; again: () => void };

/** The same for an operator, who sets them. */
export function OwnedThresholds({ of, walletId, again }: Owned) {
  const [isSetting, setSetting] = useState(false);
  return (
    <>
      {of.length === 0 ? <p class="muted">{words.none}</p> : <ThresholdsTable of={of} />}
      <div>
        <ChangeButton needs={{ operator: "wallets" }} onClick={() => setSetting(true)}>
          {words.set}
        </ChangeButton>
      </div>
      {isSetting && (
        <SetDialog of={of} walletId={walletId} again={again} onClose={() => setSetting(false)} />
      )}
    </>
  );
}

function ThresholdsTable({ of }: { of: readonly Threshold[] }) {
  const idOf = ({ asset, below }: Threshold) => `${asset} ${below}`;
  return <Table caption={words.title} columns={columns} rows={of} idOf={idOf} />;
}

function SetDialog({ of, walletId, again, onClose }: Owned & { onClose: () => void }) {
  const [written, setWritten] = useState(() => thresholdsText(of));
  const thresholds = thresholdsIn(written);
  return (
    <Confirm
      title={words.set}
      action={text.webhooks.save}
      isDisabled={thresholds === null}
      onClose={onClose}
      onConfirm={async () => {
        const params = { path: { id: walletId } };
        const body = { thresholds: thresholds ?? [] };
        await answered(api.PUT("/admin/wallets/{id}/thresholds", { params, body }));
        again();
      }}
    >
      <Field label={words.title} value={written} onInput={setWritten} hint={words.hint} />
    </Confirm>
  );
}
