/** The label of the provider of each URL that has one. */
export type Providers = ReadonlyMap<string, string>;

/** The providers of URLs without labels. */
export const noProviders: Providers = new Map();

/**
 * The host of a URL when hosts have to agree. It is the operator's label for its provider, else the
 * URL's host and port.
 */
export function endpointHost(url: string, providers: Providers): string {
  return providers.get(url) ?? new URL(url).host;
}
