import { fill, text } from "../../text/text.ts";
import { Area } from "../../ui/act/area.tsx";
import type { Schema } from "../../wire/api.ts";
import type { WebhookSecrets } from "./webhook-secrets.ts";

type Shown = {
  present: Schema<"Webhook">;
  of: WebhookSecrets;
  change: (secrets: WebhookSecrets) => void;
};

/** The fields of a webhook's own headers and client certificate. No stored secret is shown. */
export function SecretFields({ present, of, change }: Shown) {
  const words = text.webhooks.secrets;
  const names = present.header_names.join(", ");
  return (
    <>
      <Area
        label={words.headers}
        value={of.headers}
        placeholder="Authorization: Bearer …"
        hint={names === "" ? words.headersHint : fill(words.headersReplace, { names })}
        onInput={(headers) => change({ ...of, headers })}
      />
      {names !== "" && (
        <label class="check">
          <input
            type="checkbox"
            checked={of.isWithoutHeaders}
            onChange={() => change({ ...of, isWithoutHeaders: !of.isWithoutHeaders })}
          />
          {words.noHeaders}
        </label>
      )}
      <Area
        label={words.certificate}
        value={of.certificate}
        placeholder="-----BEGIN CERTIFICATE-----"
        hint={words.certificateHint}
        onInput={(certificate) => change({ ...of, certificate })}
      />
      <Area
        label={words.privateKey}
        value={of.privateKey}
        placeholder="-----BEGIN PRIVATE KEY-----"
        onInput={(privateKey) => change({ ...of, privateKey })}
      />
      {present.client_certificate !== null && (
        <label class="check">
          <input
            type="checkbox"
            checked={of.isWithoutCertificate}
            onChange={() => change({ ...of, isWithoutCertificate: !of.isWithoutCertificate })}
          />
          {words.noCertificate}
        </label>
      )}
    </>
  );
}
