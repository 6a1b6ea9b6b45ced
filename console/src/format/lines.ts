/** The lines of a text that comes in parts, without their line breaks. */
export async function* linesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, void, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let begun = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (begun + read.value).split("\n");
    begun = lines.pop() ?? "";
    yield* lines;
  }
  if (begun !== "") yield begun;
}
