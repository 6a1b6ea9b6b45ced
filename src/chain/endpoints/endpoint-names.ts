/**
 * The names of endpoints in logs and status: the host, with a number if several share it. Path,
 * query and user are left out, because they may hold a provider's key.
 */
export function endpointNames(urls: readonly string[]): string[] {
  const hosts = urls.map((url) => new URL(url).host);
  return hosts.map((host, index) => {
    const isShared = hosts.indexOf(host) !== hosts.lastIndexOf(host);
    return isShared ? `${host} (${index + 1})` : host;
  });
}
