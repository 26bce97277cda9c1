#!/bin/sh
# profile_node.sh BINDIR: Node.js programs and npm under `profile: node`.
. "$(dirname "$0")/jail.inc"
node=$(command -v node) || { skip "profile node: no node"; finish; }
case $(readlink -f "$node") in /usr/*) ;; *) skip "profile node: node is not below /usr"; finish ;; esac

mkdir -p "$here/program" "$here/dependency"
cat >"$here/program/main.mjs" <<'P'
import assert from "node:assert";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { execFileSync, fork, spawn } from "node:child_process";
import { createServer, get } from "node:http";
import { createHash, randomBytes } from "node:crypto";
import { promises as fs, watch } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { gzipSync, gunzipSync } from "node:zlib";
import cluster from "node:cluster";

const here = new URL(import.meta.url);
if (process.argv[2] === "child") { process.on("message", (n) => { process.send(n * 2); process.disconnect(); }); }
else if (!isMainThread) parentPort.postMessage(workerData * workerData);
else {
    const workers = await Promise.all([...Array(6).keys()].map((n) => new Promise((done, failed) => {
        const w = new Worker(here, { workerData: n }); w.on("message", done); w.on("error", failed); })));
    assert.deepEqual(workers, [0, 1, 4, 9, 16, 25]);
    assert.equal(await new Promise((done) => { const c = fork(here.pathname, ["child"]); c.on("message", done); c.send(21); }), 42);
    assert.equal(execFileSync("tr", ["a-z", "A-Z"], { input: "shout" }).toString(), "SHOUT");
    const server = createServer((q, a) => a.end("hello " + q.url)).listen(0, "127.0.0.1");
    await new Promise((done) => server.on("listening", done));
    assert.equal(await new Promise((done) => get({ port: server.address().port, host: "127.0.0.1", path: "/x" }, (a) => {
        let text = ""; a.on("data", (d) => text += d).on("end", () => done(text)); })), "hello /x");
    server.close();
    assert.equal(gunzipSync(gzipSync(randomBytes(1 << 20))).length, 1 << 20);
    await fs.writeFile(tmpdir() + "/file", "x"); assert.equal(createHash("sha256").update("").digest("hex").slice(0, 4), "e3b0");
    assert.ok(networkInterfaces().lo);
    const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]); await WebAssembly.instantiate(wasm);
    console.log("all passed");
}
P
cat >"$here/program/cluster.cjs" <<'P'
const cluster = require("node:cluster"), http = require("node:http");
if (cluster.isPrimary) {
    for (let i = 0; i < 2; i++) cluster.fork();
    cluster.on("message", (w, port) => http.get({ port, host: "127.0.0.1" }, () => { console.log("cluster"); process.exit(0); }));
} else { const s = http.createServer((q, a) => a.end("x")).listen(0, "127.0.0.1", () => process.send(s.address().port)); }
P
echo '{"name":"program","version":"1.0.0","dependencies":{"dependency":"file:../dependency"}}' >"$here/program/package.json"
echo '{"name":"dependency","version":"2.0.0","main":"i.js","bin":{"dependency":"i.js"}}' >"$here/dependency/package.json"
printf '#!/usr/bin/env node\nconsole.log("from the dependency")\nmodule.exports = 7\n' >"$here/dependency/i.js"
chmod -R a+rX "$here/program" "$here/dependency"

for caller in $callers; do
    printf 'profile: node\ninputs: [{from: %s, to: /src/program}, {from: %s, to: /src/dependency}]\n' \
        "$here/program" "$here/dependency" | policy "$caller" node
    tried=$((tried + 2))
    in_jail "$caller" node node /src/program/main.mjs
    grep -qx 'all passed' "$here/out" || { fail "workers, children, http, files as $caller"; cat "$here/out" "$here/err"; }
    in_jail "$caller" node node /src/program/cluster.cjs
    grep -qx cluster "$here/out" || { fail "cluster as $caller"; cat "$here/out" "$here/err"; }

    if command -v npm >/dev/null; then
        tried=$((tried + 2))
        in_jail "$caller" node sh -c 'cp -r /src/program /src/dependency . && cd program && npm install --install-links &&
            node -p "require(\"dependency\")" && node_modules/.bin/dependency && npm pack 2>/dev/null'
        grep -qx 7 "$here/out" && [ "$(grep -c 'from the dependency' "$here/out")" -eq 2 ] && grep -q 'program-1.0.0.tgz' "$here/out" ||
            { fail "npm install from a folder as $caller"; cat "$here/out" "$here/err"; }
        # What docs/jail.md says of it: no registry is asked.
        in_jail "$caller" node sh -c 'npm install nonesuch'
        grep -q ENOTCACHED "$here/err" || { fail "npm without a registry as $caller"; cat "$here/err"; }
    else
        skip "npm: not installed"
    fi
done
finish
