/** A verified business with wallets on the chain `local`, notified at a port of this machine. */
export async function addCustomer({ daemon, adminToken, wallets, port }) {
  const admin = { authorization: `Bearer ${adminToken}` };
  const { data } = await post(`${daemon.url}/admin/businesses`, admin, {
    ...{ name: "bench", verified: true },
  });
  const at = `${daemon.url}/admin/businesses/${data.id}`;
  const { data: created } = await post(`${at}/api-keys`, admin, {});
  await post(`${at}/wallets`, admin, {
    wallets: wallets.map((address) => ({ blockchain: "local", address })),
  });
  const url = `http://127.0.0.1:${port}/hook`;
  await post(`${daemon.url}/webhooks`, { "x-api-key": created.key }, { url });
}

async function post(url, headers, body) {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
