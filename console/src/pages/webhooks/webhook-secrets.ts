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

/** The fields of a change as the API takes them. Null: a line is no header, or a key is alone. */
export function changeOf(of: WebhookSecrets): Change | null {
  const lines = of.headers.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => /^\s*([^\s:]+)\s*:\s*(.*\S)\s*$/.exec(line));
  const headers = pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""] as const);
  const [certificate, key] = [of.certificate.trim(), of.privateKey.trim()];
  if (pairs.includes(null) || (certificate === "") !== (key === "")) return null;
  return {
    ...(of.isWithoutHeaders && { headers: null }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(of.isWithoutCertificate && { client_certificate: null }),
    ...(certificate !== "" && { client_certificate: { certificate, private_key: key } }),
  };
}
