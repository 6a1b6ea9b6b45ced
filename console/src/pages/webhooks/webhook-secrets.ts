/**
 * The form of what a webhook is sent with and nobody is shown again. Empty fields keep what there
 * is.
 */
export type WebhookSecrets = {
  /** One a line, as `Name: value`. */
  headers: string;
  isWithoutHeaders: boolean;
  /** PEM. */
  certificate: string;
  privateKey: string;
  isWithoutCertificate: boolean;
};

export const unchanged: WebhookSecrets = {
  headers: "",
  isWithoutHeaders: false,
  certificate: "",
  privateKey: "",
  isWithoutCertificate: false,
};

type Change = {
  headers?: Record<string, string> | null;
  client_certificate?: { certificate: string; private_key: string } | null;
};

type ReadChange =
  | { kind: "change"; change: Change }
  /** This line is no header, or its name stands in a line before it. */
  | { kind: "bad_line"; line: string }
  /** There is a certificate without its key, or a key without its certificate. */
  | { kind: "alone" };

/** The fields of a change as the API takes them, or the first fault of the form. */
export function changeOf(of: WebhookSecrets): ReadChange {
  const headers = new Map<string, [name: string, value: string]>();
  for (const line of of.headers.split("\n").filter((one) => one.trim() !== "")) {
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*\S)\s*$/.exec(line) ?? [];
    const isNew = name !== undefined && !headers.has(name.toLowerCase());
    if (!isNew || value === undefined) return { kind: "bad_line", line: line.trim() };
    headers.set(name.toLowerCase(), [name, value]);
  }
  const [certificate, key] = [of.certificate.trim(), of.privateKey.trim()];
  if ((certificate === "") !== (key === "")) return { kind: "alone" };
  const change = {
    ...(of.isWithoutHeaders && { headers: null }),
    ...(headers.size > 0 && { headers: Object.fromEntries(headers.values()) }),
    ...(of.isWithoutCertificate && { client_certificate: null }),
    ...(certificate !== "" && { client_certificate: { certificate, private_key: key } }),
  };
  return { kind: "change", change };
}
