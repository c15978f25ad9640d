// Sets the values of a script as global variables, before the script starts.
// They stand in a file beside this one, as JSON: [name, text, literal] each. A
// value that is wanted as a literal is read from its text here; nothing of it is
// ever evaluated.
"use strict";

// literal reads a text that is one literal of the language: a number, a string,
// true, false, null, or an array or object of these. It throws when it is not.
function literal(text) {
  let at = 0;
  const bad = () => { throw new SyntaxError(); };
  const blank = /[\s\uFEFF]*/y, number = /0[xX][\da-fA-F](?:_?[\da-fA-F])*n?|0[oO][0-7](?:_?[0-7])*n?|0[bB][01](?:_?[01])*n?|(?:(?:0|[1-9](?:_?\d)*)(?:n|(?:\.(?:\d(?:_?\d)*)?)?(?:[eE][+-]?\d(?:_?\d)*)?)|\.\d(?:_?\d)*(?:[eE][+-]?\d(?:_?\d)*)?)(?![\w$])/y;
  const name = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found && found[0];
  };
  const skip = () => match(blank);
  const take = (mark) => {
    skip();
    if (text[at] !== mark) return false;
    at++;
    return true;
  };
  const simple = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", v: "\v", "\n": "", "\u2028": "", "\u2029": "" };
  const escapes = /x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]+)\}/y;
  function escape() {
    if (text.startsWith("\r\n", at)) { at += 2; return ""; }
    escapes.lastIndex = at;
    const digits = escapes.exec(text);
    if (digits) {
      at = escapes.lastIndex;
      return String.fromCodePoint(parseInt(digits[1] ?? digits[2] ?? digits[3], 16));
    }
    const c = text[at++];
    if (c === undefined || c === "x" || c === "u" || /[1-9]/.test(c)) bad();
    if (c === "\r") return "";
    if (c === "0") return /\d/.test(text[at] ?? "") ? bad() : "\0";
    return Object.hasOwn(simple, c) ? simple[c] : c;
  }
  function string(quote) {
    let out = "";
    for (at++; ; ) {
      const c = text[at++];
      if (c === undefined) bad();
      if (c === quote) return out;
      if (quote === "`" ? c === "$" && text[at] === "{" : c === "\n" || c === "\r") bad();
      out += c === "\\" ? escape() : c === "\r" ? (text[at] === "\n" && at++, "\n") : c;
    }
  }
  function array() {
    const out = [];
    for (at++; !take("]"); ) {
      out.push(value());
      if (!take(",") && (skip(), text[at] !== "]")) bad();
    }
    return out;
  }
  function object() {
    const out = {};
    for (at++; !take("}"); ) {
      const c = (skip(), text[at]);
      const key = c === '"' || c === "'" ? string(c) : match(name) ?? String(numeric());
      if (!take(":")) bad();
      Object.defineProperty(out, key, { value: value(), writable: true, enumerable: true, configurable: true });
      if (!take(",") && (skip(), text[at] !== "}")) bad();
    }
    return out;
  }
  function numeric() {
    const digits = match(number)?.replaceAll("_", "");
    if (!digits) bad();
    return digits.endsWith("n") ? BigInt(digits.slice(0, -1)) : Number(digits);
  }
  function value() {
    skip();
    const c = text[at];
    if (c === '"' || c === "'" || c === "`") return string(c);
    if (c === "[") return array();
    if (c === "{") return object();
    if (c === "-") {
      at++;
      skip();
      return -numeric();
    }
    const known = { true: true, false: false, null: null, undefined, NaN, Infinity };
    const word = match(name);
    if (word === null) return numeric();
    return Object.hasOwn(known, word) ? known[word] : bad();
  }
  const out = value();
  skip();
  return at === text.length ? out : bad();
}

function read(text) {
  for (const reader of [JSON.parse, literal]) {
    try {
      return reader(text);
    } catch {}
  }
  return text;
}

for (const [name, text, isLiteral] of JSON.parse(require("fs").readFileSync(__filename + "on", "utf8"))) {
  Object.defineProperty(globalThis, name, { value: isLiteral ? read(text) : text });
}
