import { expect, test } from "vitest";
import { canonical } from "../../../scripts/attestation/verify.ts";
import { canonicalJson } from "../../../src/domain/evidence/canonical-json.ts";

// The example of RFC 8785, 3.2.2 to 3.2.3, and the order of its 3.2.3.
test.each<[string, string]>([
  [
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  [
    String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew","1":"One","\ud83d\ude00":"Emoji","\u0080":"Control","\u00f6":"Latin"}`,
    `{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin","€":"Euro Sign","😀":"Emoji","\ufb33":"Hebrew"}`,
  ],
  [`{"9":"nine","10":"ten"}`, `{"10":"ten","9":"nine"}`],
  [`{"a":null,"b":"flat","c":[]}`, `{"a":null,"b":"flat","c":[]}`],
  [`{"a":1,"b":2,"bb":3}`, `{"a":1,"b":2,"bb":3}`],
])("a document has one text: %s", (given, text) => {
  expect(canonicalJson(JSON.parse(given))).toBe(text);
  // The verifier has a hand of its own.
  expect(canonical(JSON.parse(given))).toBe(text);
});
