type Fields = Record<string, unknown>;

export type Caller = {
  /** Returns `data`. Throws unless the answer is a success. */
  (method: string, path: string, body?: object): Promise<Fields>;
  headers: Record<string, string>;
};

/**
 * Sends the demo's requests with one caller's credentials, each once.
 * @param headers of every request, such as `x-api-key`
 */
export function caller(apiUrl: string, headers: Record<string, string>): Caller {
  const call = async (method: string, path: string, body?: object) => {
    const { text } = await request(apiUrl, {
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const { data }: { data: Fields } = JSON.parse(text);
    return data;
  };
  return Object.assign(call, { headers });
}

/**
 * Sends one request once, and returns the body as text.
 * @throws Error with method, path, status and body unless it is a success
 */
export async function request(
  apiUrl: string,
  call: { method: string; path: string; headers: Record<string, string>; body?: object },
): Promise<{ text: string }> {
  const { method, path, headers, body } = call;
  const response = await fetch(`${apiUrl}${path}`, {
    method,
    headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return { text };
}
