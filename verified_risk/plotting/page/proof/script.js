"use strict";
(() => {
  const part = (id) => document.getElementById(id);
  const text = (id) => part(id).textContent;
  const certificate = text("certificate").slice(1), checker = text("checker").slice(1);  // behind the line break
  const LIMITS = /too wide for the stack|not enough memory|more than the \d+|a number too long/;

  const judge = (verdict, look, words) => {
    const line = part("verdict");
    line.className = `status ${look}`;
    line.textContent = words;
    line.dataset.verdict = verdict;
  };

  // Writes what was found beside what the page says; true if they agree.
  const compare = (key, found) => {
    const agrees = found === text(`said-${key}`);
    const cell = part(`found-${key}`);
    cell.textContent = agrees ? "✓ the same" : `✗ ${found}`;
    cell.className = agrees ? "agrees" : "differs";
    return agrees;
  };

  const sha256 = async (words) => {
    const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(words));
    return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };

  // "-3/2", "1.25" and "1.2E-7" as numerator and positive denominator.
  const rational = (words) => {
    const [, sign, whole, decimals = "", below = "1", power = "0"] =
      /^([-−]?)(\d+)(?:\.(\d+))?(?:\/(\d+))?(?:[eE]([-+]?\d+))?$/.exec(words);
    const shift = BigInt(power) - BigInt(decimals.length), ten = 10n ** (shift < 0n ? -shift : shift);
    const top = BigInt(whole + decimals) * (sign ? -1n : 1n);
    return shift < 0n ? [top, BigInt(below) * ten] : [top * ten, BigInt(below)];
  };
  const atMost = (a, b) => a[0] * b[1] <= b[0] * a[1];

  // The numbers of the statement are the claim's, rounded outward if they are rounded.
  const statementFits = (claim) => {
    const [lower, upper] = claim.split(" ").map(rational);
    const shown = (name) => [...document.querySelectorAll(`.${name}`)].map((e) => rational(e.textContent));
    return shown("lower").every((x) => atMost(x, lower)) && shown("upper").every((x) => atMost(upper, x));
  };

  const weigh = async (line) => {
    const [theorem, asked = "", model = "", policy = ""] = line.split("; ");
    if (!theorem.startsWith("proved by ")) {
      if (LIMITS.test(line)) judge("limits", "limits", `Not checked here, it takes more than a browser has: ${line}.`);
      else judge("refused", "bad", `✗ The certificate in this page is not proved. The checker says: ${line}.`);
      return;
    }
    const [objective, claim = ""] = asked.replace(/^objective /, "").split(" claim ");
    const found = {
      theorem: theorem.slice("proved by ".length), objective, claim,
      model: model.replace(/^model /, ""), policy: policy.replace(/^policy /, ""),
    };
    if (globalThis.crypto && crypto.subtle)
      Object.assign(found, { certificate: await sha256(certificate), checker: await sha256(checker) });
    const same = Object.keys(found).filter((key) => !compare(key, found[key])).length === 0;
    if (same && statementFits(claim))
      judge("same", "good", `✓ Proved again, here and now, ${line.split("; ").pop()}. The checker says what this page says.`);
    else judge("different", "bad", "✗ The checker proved something else than this page says: see the rows marked ✗, or the numbers above.");
  };

  const bytes = unescape(encodeURIComponent(certificate));  // as characters

  // A worker leaves the page alive but has half the stack of the page itself, which is asked if that did not suffice.
  const ask = () => new Promise((resolve, reject) => {
    const source = `${checker}\nonmessage = (message) => postMessage(answerOf(message.data));`;
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const worker = new Worker(address);
    const end = (settle) => (event) => { worker.terminate(); URL.revokeObjectURL(address); settle(event); };
    worker.onmessage = end((message) => resolve(message.data));
    worker.onerror = end((error) => reject(error));
    worker.postMessage(bytes);
  });
  const askHere = () => {
    const script = document.createElement("script");
    script.textContent = checker;
    document.head.append(script);
    return answerOf(bytes);
  };

  const run = async () => {
    judge("running", "", "Checking the certificate in this browser …");
    try {
      const line = await ask();
      await weigh(/too wide for the stack/.test(line) ? askHere() : line);
    } catch (error) {
      judge("limits", "limits", `Not checked here, the checker did not end: ${error.message}.`);
    }
  };

  part("save").hidden = false;
  part("save").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([certificate], { type: "text/plain" }));
    link.download = "certificate.txt";
    link.click();
  });
  if (!checker) return;  // it was not built
  part("run").hidden = false;
  part("run").addEventListener("click", run);
  run();
})();
