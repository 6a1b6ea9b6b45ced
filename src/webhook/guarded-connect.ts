import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, rootCertificates } from "node:tls";
import ipaddr from "ipaddr.js";
import type { buildConnector } from "undici";
import { asError } from "../runtime/as-error.ts";
import { ConnectError } from "./connect-error.ts";
import type { ResolveHost } from "./resolve-host.ts";
import { checkAddress, type Target, type TargetPolicy } from "./target-guard.ts";
import type { Tunnel } from "./tunnel.ts";

export type GuardedConnectOptions = {
  policy: TargetPolicy;
  resolve: ResolveHost;
  /** The limit for resolving, connecting and the TLS handshake together. */
  timeoutMs: number;
  /** PEM certificates to trust in addition to the public roots, or null. */
  extraCa: string | null;
  /** PEM certificate and key that the client shows if a target asks for one, or null. */
  clientCertificate: string | null;
  /** Null: targets are dialled without a proxy. */
  tunnel: Tunnel | null;
  /** Called before the first use of a connection that only `webhooks.allow` permits. */
  onException: (origin: string) => void;
};

/**
 * undici's connector with the target guard. It resolves the name, checks every address, and dials
 * only checked addresses, so a second look-up cannot change the target. Literal addresses are
 * checked in the same way. After connecting, it checks the dialled address once more. One refused
 * address of a name refuses the whole target.
 */
export function createGuardedConnect(options: GuardedConnectOptions): buildConnector.connector {
  const { extraCa, clientCertificate, tunnel } = options;
  const tls: TlsOptions = {
    ...(extraCa === null ? {} : { ca: [...rootCertificates, extraCa] }),
    ...(clientCertificate === null ? {} : { cert: clientCertificate, key: clientCertificate }),
  };
  return (wanted, callback) => {
    const target = targetOf(wanted);
    const deadline = createDeadline(options.timeoutMs);
    const connect = async (): Promise<Socket> => {
      const addresses = await checkedAddresses(target, deadline, options);
      const call = { target, addresses, tls, signal: deadline.signal };
      return tunnel === null ? dial(call) : dialThrough(tunnel, call, deadline);
    };
    connect()
      .finally(deadline.clear)
      .then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(asError(error), null),
      );
  };
}

/** The time limit of one connection. It leaves no timer behind when that is made or has failed. */
type Deadline = {
  /** Aborted when the time is over. */
  signal: AbortSignal;
  /** Rejects when `signal` is aborted. */
  passed: Promise<never>;
  clear: () => void;
};

function createDeadline(timeoutMs: number): Deadline {
  const ending = new AbortController();
  const { signal } = ending;
  const timer = setTimeout(() => ending.abort(), timeoutMs);
  const passed = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  passed.catch(() => {});
  return { signal, passed, clear: () => clearTimeout(timer) };
}

// Node's default of 250 ms is too short for names with several addresses. It would give up on
// receivers that are only far away.
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
    if (deadline.signal.aborted) throw timedOut();
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
  tls: TlsOptions;
  signal: AbortSignal;
};

type TlsOptions = Pick<ConnectionOptions, "ca" | "cert" | "key">;

/** Connects through the proxy to the first checked address that it can reach. */
async function dialThrough(tunnel: Tunnel, call: Dial, deadline: Deadline): Promise<Socket> {
  const { target, addresses, signal } = call;
  let failure: unknown = new ConnectError("connection", "there is no address");
  for (const address of addresses) {
    try {
      const socket = await tunnel.open({ address, port: target.port }, signal);
      return target.protocol === "http:" ? socket : await secure(socket, call);
    } catch (error) {
      if (deadline.signal.aborted) throw timedOut();
      failure = error;
    }
  }
  throw failure;
}

function secure(socket: Socket, call: Dial): Promise<Socket> {
  const secured = connectTls({ ...tlsTo(call), socket });
  return settle(secured, { call, isConnected: true, isChecked: () => true });
}

function dial(call: Dial): Promise<Socket> {
  const socket = openSocket(call);
  const isChecked = () =>
    call.addresses.some((address) => isSame(address, socket.remoteAddress ?? ""));
  return settle(socket, { call, isConnected: false, isChecked });
}

/** Resolves once the socket is ready, and the address that it dialled was one of those checked. */
function settle(
  socket: Socket,
  given: { call: Dial; isConnected: boolean; isChecked: () => boolean },
): Promise<Socket> {
  const { target, signal } = given.call;
  const isTls = target.protocol === "https:";
  return new Promise((resolve, reject) => {
    let { isConnected } = given;
    const done = (error: ConnectError | null) => {
      signal.removeEventListener("abort", expire);
      socket.off("error", fail);
      // undici adds its own listener later. Until then an error must not end the process.
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
      done(
        given.isChecked()
          ? null
          : new ConnectError("target_refused", "another address was dialled"),
      );
    });
  });
}

function openSocket(call: Dial): Socket {
  const { target, addresses } = call;
  const tcp = {
    host: target.hostname,
    port: target.port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: familyTimeoutMs,
    // Answers with the checked addresses, without a new look-up.
    lookup: answerWith(addresses),
  };
  if (target.protocol === "http:") return connectTcp(tcp);
  return connectTls({ ...tcp, ...tlsTo(call) });
}

function tlsTo({ target, tls }: Dial): ConnectionOptions {
  const servername = isIP(target.hostname) === 0 ? target.hostname : "";
  // Without a server name, Node checks the certificate against `host`.
  return { ...tls, host: target.hostname, servername, ALPNProtocols: ["http/1.1"] };
}

/** A look-up that always returns these addresses, in the form that `net` asks for. */
function answerWith(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family);
  };
}

// A dual-stack socket may name an IPv4 address in its IPv6-mapped form.
function isSame(checked: string, dialled: string): boolean {
  return ipaddr.process(checked).toString() === ipaddr.process(dialled || "::").toString();
}

/** A target's origin, as `URL` writes it. */
function originOf({ protocol, hostname, port }: Dialled): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}:${port}`).origin;
}
