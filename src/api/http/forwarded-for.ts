import type { IncomingHttpHeaders } from "node:http";

const name = "x-forwarded-for";

/**
 * Takes the ports off the addresses that proxies name. Azure Application Gateway adds them, and so
 * does an Application Load Balancer of AWS on request. With its port, each connection would be an
 * address of its own, which is in no network. Call it before the first look at a request's address.
 */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const given = headers[name];
  if (typeof given !== "string") return;
  headers[name] = given
    .split(",")
    .map((one) => withoutPort(one.trim()))
    .join(", ");
}

function withoutPort(text: string): string {
  const v4 = /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1];
  const v6 = /^\[([\da-f:.]+)\](?::\d+)?$/i.exec(text)?.[1];
  return v4 ?? v6 ?? text;
}
