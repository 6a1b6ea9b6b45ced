// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests assert.
type Json = any;

export type Answer = { status: number; body: Json; text: string; headers: Headers };

export type ApiClient = ReturnType<typeof client>;

/** Calls the HTTP interface as any client would, and answers whatever was answered. */
export function client(url: string, headers: Record<string, string>) {
  const call = async (method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? null : JSON.parse(text),
      text,
      headers: response.headers,
    };
  };
  /** The same, where anything but success is a failure of the test; answers `data`. */
  const must = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await call(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body.data;
  };
  return {
    call,
    must,
    get: (path: string) => must("GET", path),
    post: (path: string, body?: object) => must("POST", path, body),
  };
}
