/** The reason why no connection was made, as the attempt's record says it. */
export class ConnectError extends Error {
  readonly kind: "timeout" | "dns" | "connection" | "tls" | "target_refused";
  constructor(kind: ConnectError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
