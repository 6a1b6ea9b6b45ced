/**
 * The names of endpoints in logs and status: the host, numbered where several share one. Path,
 * query and user, which may hold a provider's key, are left out.
 */
export function endpointNames(urls: readonly string[]): string[] {
  const hosts = urls.map((url) => new URL(url).host);
  return hosts.map((host, index) => {
    const isShared = hosts.indexOf(host) !== hosts.lastIndexOf(host);
    return isShared ? `${host} (${index + 1})` : host;
  });
}
