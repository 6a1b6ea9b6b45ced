import { Fault } from "./fault.ts";

/** Where a business is rung, and how that goes. Never the secret. */
export type WebhookRegistration = {
  id: string;
  url: string;
  isActive: boolean;
  createdAt: Date;
  lastSuccessAt: Date | null;
  consecutiveFailures: number;
  disabledAt: Date | null;
  disabledReason: string | null;
};

/** Longer than any URL a receiver needs, shorter than what proxies begin to refuse. */
const maxUrlLength = 2_048;

/**
 * The form in which URLs are compared and kept: as WHATWG URL writes it, without the fragment, which is never sent.
 * @throws Fault `invalid_url`
 */
export function normaliseWebhookUrl(text: string): string {
  if (text.length > maxUrlLength || !URL.canParse(text)) {
    throw new Fault(
      "invalid_url",
      "The url is not a URL: give one such as https://example.com/hook.",
      {
        facts: { field: "url" },
      },
    );
  }
  const url = new URL(text);
  url.hash = "";
  return url.href;
}
