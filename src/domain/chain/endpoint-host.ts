/** The label of the provider of each URL that has one. */
export type Providers = ReadonlyMap<string, string>;

/** The providers of URLs without labels. */
export const noProviders: Providers = new Map();

/**
 * The host that a URL counts as where endpoints are to agree: its provider by the operator's label,
 * or else the URL's own host and port.
 */
export function endpointHost(url: string, providers: Providers): string {
  return providers.get(url) ?? new URL(url).host;
}
