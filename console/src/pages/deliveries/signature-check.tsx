import { useEffect, useState } from "preact/hooks";
import { fill, text } from "../../text/text.ts";
import { Field } from "../../ui/act/field.tsx";
import { Banner } from "../../ui/frame/banner.tsx";
import { checkSignature, type SignatureVerdict } from "./check-signature.ts";
import type { Sent } from "./sent.ts";

/** Checks a signature that a receiver was sent. Neither it nor the secret leaves the page. */
export function SignatureCheck({ of }: { of: Sent }) {
  const [header, setHeader] = useState("");
  const [secret, setSecret] = useState("");
  const [verdict, setVerdict] = useState<SignatureVerdict | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const check = async () => {
      const isAsked = header.trim() !== "" && secret.trim() !== "";
      const next = isAsked ? await checkSignature(of, header, secret) : null;
      if (isCurrent) setVerdict(next);
    };
    void check();
    return () => {
      isCurrent = false;
    };
  }, [of, header, secret]);
  const words = text.signature;
  return (
    <>
      <p class="small muted">{words.what}</p>
      <Field label={words.header} value={header} onInput={setHeader} placeholder="v1,…" />
      <Field label={words.secret} type="password" value={secret} onInput={setSecret} />
      <div role="status">
        {verdict !== null && (
          <Banner tone={verdict.kind === "right" ? "good" : "bad"}>{wordsFor(verdict)}</Banner>
        )}
      </div>
    </>
  );
}

function wordsFor(verdict: SignatureVerdict): string {
  return verdict.kind === "right"
    ? fill(text.signature.right, { number: verdict.attempt })
    : text.signature[verdict.kind];
}
