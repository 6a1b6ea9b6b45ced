type Fields = Record<string, unknown>;

export type Caller = {
  /** Answers `data`. Throws where the answer is no success. */
  (method: string, path: string, body?: object): Promise<Fields>;
  headers: Record<string, string>;
};

/** Calls the HTTP interface as any client would. */
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
