/** A part has about so many characters. */
const partLength = 1_000_000;

/** A long text, kept in parts that a browser may hold on disk. */
export class LargeText {
  readonly #parts: Blob[] = [];
  #rest = "";

  add(text: string): void {
    this.#rest += text;
    if (this.#rest.length < partLength) return;
    this.#parts.push(new Blob([this.#rest]));
    this.#rest = "";
  }

  /** The texts that were added, in their order. */
  get parts(): readonly BlobPart[] {
    return [...this.#parts, this.#rest];
  }
}
