/** Says why there is no connection, in the words of the attempt's record. */
export class ConnectError extends Error {
  readonly kind: "timeout" | "dns" | "connection" | "tls" | "target_refused";
  constructor(kind: ConnectError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
