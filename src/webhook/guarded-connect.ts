import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, rootCertificates } from "node:tls";
import ipaddr from "ipaddr.js";
import type { buildConnector } from "undici";
import { asError } from "../runtime/as-error.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import type { ResolveHost } from "./resolve-host.ts";
import { checkAddress, type Target, type TargetPolicy } from "./target-guard.ts";

/** Why no connection was made, as the attempt's record says it. */
export class ConnectError extends Error {
  readonly kind: "timeout" | "dns" | "connection" | "tls" | "target_refused";
  constructor(kind: ConnectError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export type GuardedConnectOptions = {
  policy: TargetPolicy;
  resolve: ResolveHost;
  /** The limit for resolving, connecting and the TLS handshake together. */
  timeoutMs: number;
  /** PEM certificates trusted beside the public roots, or null. */
  extraCa: string | null;
  /** Called before a connection to a target that `webhooks.allow` opened is used. */
  onException: (origin: string) => void;
};

/**
 * undici's connector with the target guard in it. The name is resolved here, every address it has is checked, and
 * only checked ones are dialled, so there is no second look-up to rebind; a literal goes through the same check. What
 * was in fact dialled is checked once more. One bad address refuses the target whole.
 */
export function createGuardedConnect(options: GuardedConnectOptions): buildConnector.connector {
  const ca = options.extraCa === null ? undefined : [...rootCertificates, options.extraCa];
  return (wanted, callback) => {
    const target = targetOf(wanted);
    const deadline = createDeadline(options.timeoutMs, null);
    checkedAddresses(target, deadline, options)
      .then((addresses) => dial({ target, addresses, ca, signal: deadline.signal }))
      .finally(deadline.clear)
      .then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(asError(error), null),
      );
  };
}

// Node's own 250 ms gives up on receivers that are merely far away when a name has more than one address.
const familyTimeoutMs = 2_000;

type Dialled = Pick<Target, "protocol" | "hostname" | "port">;

function targetOf(wanted: buildConnector.Options): Dialled {
  const protocol = wanted.protocol === "https:" ? "https:" : "http:";
  const hostname = wanted.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const port = wanted.port === "" ? (protocol === "https:" ? 443 : 80) : Number(wanted.port);
  return { protocol, hostname, port };
}

async function checkedAddresses(
  target: Dialled,
  deadline: Deadline,
  options: GuardedConnectOptions,
): Promise<string[]> {
  const addresses =
    isIP(target.hostname) !== 0 ? [target.hostname] : await resolved(target, deadline, options);
  for (const address of addresses) {
    const verdict = checkAddress(address, target, options.policy);
    if (verdict.kind === "refused") throw new ConnectError("target_refused", verdict.reason);
    if (verdict.by === "allow") options.onException(originOf(target));
  }
  return addresses;
}

async function resolved(
  target: Dialled,
  deadline: Deadline,
  options: GuardedConnectOptions,
): Promise<string[]> {
  try {
    const asked = options.resolve(target.hostname, deadline.signal);
    const addresses = await Promise.race([asked, deadline.passed]);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    if (deadline.isOver()) throw timedOut();
    throw new ConnectError("dns", `'${target.hostname}' cannot be resolved`, { cause });
  }
  throw new ConnectError("dns", `'${target.hostname}' has no address`);
}

function timedOut(): ConnectError {
  return new ConnectError("timeout", "no connection in time");
}

type Dial = {
  target: Dialled;
  addresses: string[];
  ca: string[] | undefined;
  signal: AbortSignal;
};

function dial(call: Dial): Promise<Socket> {
  const { target, addresses, signal } = call;
  const isTls = target.protocol === "https:";
  const socket = openSocket(call);
  return new Promise((resolve, reject) => {
    let isConnected = false;
    const done = (error: ConnectError | null) => {
      signal.removeEventListener("abort", expire);
      socket.off("error", fail);
      // undici listens itself once it has the socket; until then an error must not end the process.
      socket.on("error", () => {});
      if (error === null) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(error);
    };
    const expire = () => done(timedOut());
    const fail = (cause: Error) =>
      done(new ConnectError(isTls && isConnected ? "tls" : "connection", cause.message, { cause }));
    signal.addEventListener("abort", expire, { once: true });
    socket.on("error", fail);
    socket.once("connect", () => {
      isConnected = true;
    });
    socket.once(isTls ? "secureConnect" : "connect", () => {
      const isChecked = addresses.some((address) => isSame(address, socket.remoteAddress ?? ""));
      done(isChecked ? null : new ConnectError("target_refused", "another address was dialled"));
    });
  });
}

function openSocket({ target, addresses, ca }: Dial): Socket {
  const tcp = {
    host: target.hostname,
    port: target.port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: familyTimeoutMs,
    // The answer that was checked, not a new one.
    lookup: answerWith(addresses),
  };
  if (target.protocol === "http:") return connectTcp(tcp);
  return connectTls({
    ...tcp,
    ...(ca === undefined ? {} : { ca }),
    servername: isIP(target.hostname) === 0 ? target.hostname : "",
    ALPNProtocols: ["http/1.1"],
  });
}

/** A look-up that always has the same answer, in the form net asks for. */
function answerWith(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family);
  };
}

// A dual-stack socket may call an IPv4 address by its mapped form.
function isSame(checked: string, dialled: string): boolean {
  return ipaddr.process(checked).toString() === ipaddr.process(dialled || "::").toString();
}

/** A target's origin as URL writes it. */
function originOf({ protocol, hostname, port }: Dialled): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}:${port}`).origin;
}
