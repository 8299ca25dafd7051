// Runs the trace processor of Perfetto's page in node: requests from one file, answers to another.
const fs = require("fs"), path = require("path");
const {MessageChannel} = require("worker_threads");
const [folder, requests, answers] = process.argv.slice(2);
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = function () {};
globalThis.location = {href: "file://" + folder + "/engine_bundle.js"};
globalThis.XMLHttpRequest = class {
  open(_method, url) { this.file = path.join(folder, path.basename(String(url).split("?")[0])); }
  send() { this.status = 200; this.response = new Uint8Array(fs.readFileSync(this.file)).buffer; }
};
// The bundle refuses to run where it sees node's own objects.
const bundle = fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8");
new Function("process", "require", bundle)(undefined, undefined);
const {port1, port2} = new MessageChannel();
const parts = [];
let last = 0;
port1.onmessage = (event) => { parts.push(Buffer.from(event.data)); last = Date.now(); };
globalThis.onmessage({data: port2});
setTimeout(() => port1.postMessage(new Uint8Array(fs.readFileSync(requests))), 50);
setInterval(() => {
  if (!last || Date.now() - last < 300) return;
  fs.writeFileSync(answers, Buffer.concat(parts));
  process.exit(0);
}, 50);
setTimeout(() => process.exit(1), 40000);
