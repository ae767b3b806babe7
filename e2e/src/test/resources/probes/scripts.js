// Each part that begins with "// probe NAME" is a script of its own, behind the lines before the
// first one. Its value names what was possible and must not be.

const broken = [];
const expectAbsent = (names) => {
  for (const name of names) {
    if (name in globalThis) broken.push(name);
  }
};
const expectError = (what, attempt) => {
  try {
    broken.push(`${what} gave ${String(attempt())}`);
  } catch {
    // Refused, as it has to be.
  }
};
const expectRefusal = (what, outcome, code) => {
  const isRefusal = outcome.ok === false && outcome.error.code === code && outcome.error.sent === 'no';
  if (!isRefusal) broken.push(`${what}: ${JSON.stringify(outcome)}`);
};

// probe script-modules
expectAbsent(['require', 'module', 'exports', 'importScripts', '__dirname', '__filename', 'load']);
for (const name of ['fs', 'node:fs', './main.js', 'file:///etc/passwd', 'http://198.51.100.1/a.js',
  'data:text/javascript,export default 1']) {
  try {
    await import(name);
    broken.push(`import('${name}')`);
  } catch {
    // Refused, as it has to be.
  }
}
for (const code of ["import fs from 'fs'", 'export const a = 1', 'import.meta.url']) {
  expectError(code, () => (0, eval)(code));
}
broken

// probe script-globals
expectAbsent(['process', 'global', 'window', 'self', 'Buffer', 'Deno', 'Bun', 'os', 'std', 'scriptArgs',
  'read', 'readFile', 'readline', 'print', 'quit', 'open', 'localStorage', 'indexedDB', 'caches',
  'FileReader', 'performance']);
broken

// probe script-network
expectAbsent(['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'RTCPeerConnection',
  'navigator', 'URL', 'Request']);
broken

// probe script-timers
expectAbsent(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'requestAnimationFrame',
  'requestIdleCallback', 'scheduler']);
broken

// probe script-threads
expectAbsent(['Worker', 'SharedWorker', 'MessageChannel', 'BroadcastChannel', 'postMessage',
  'structuredClone']);
// There is shared memory, and nobody to share it with: a wait ends by its own timeout only.
if (Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) !== 'timed-out') {
  broken.push('something else has the memory');
}
broken

// probe script-webassembly
expectAbsent(['WebAssembly', 'ShadowRealm']);
const typeOf = (code) => `return typeof ${code}`;
if (Function(typeOf('WebAssembly'))() !== 'undefined') broken.push('by Function');
if ((0, eval)('typeof WebAssembly') !== 'undefined') broken.push('by eval');
const AsyncFunction = (async () => {}).constructor;
if (await AsyncFunction(typeOf('WebAssembly'))() !== 'undefined') broken.push('by AsyncFunction');
broken

// probe script-made-code
const makers = {
  eval: (code) => (0, eval)(code),
  Function: (code) => Function(`return ${code}`)(),
  generator: (code) => (function* () {}).constructor(`yield ${code}`)().next().value,
};
for (const [name, make] of Object.entries(makers)) {
  if (make('globalThis') !== globalThis) broken.push(`${name} has other globals`);
  for (const word of ['require', 'process', 'fetch', 'Java', 'host', 'limits', 'parallelLimit']) {
    if (make(`typeof ${word}`) !== 'undefined') broken.push(`${name} finds ${word}`);
  }
}
broken

// probe script-engine
expectAbsent(['gc', 'd8', 'v8', 'version', 'internalBinding', 'externalizeString', 'testRunner']);
for (const code of ['%DebugPrint(1)', '%SystemBreak()', '%GetOptimizationStatus(eval)']) {
  expectError(code, () => (0, eval)(code));
}
broken

// probe script-java
const seen = new Set();
const walk = (object, path) => {
  const isObject = typeof object === 'object' || typeof object === 'function';
  if (!isObject || object === null || seen.has(object) || path.length > 6) return;
  seen.add(object);
  if (/java|javet|host|write|prelude|assay|runScript|provide/i.test(path.at(-1))) {
    broken.push(path.join('.'));
  }
  for (const key of Reflect.ownKeys(object)) {
    const { value, get, set } = Object.getOwnPropertyDescriptor(object, key);
    for (const found of [value, get, set]) walk(found, [...path, String(key)]);
  }
  walk(Object.getPrototypeOf(object), [...path, '__proto__']);
};
walk(globalThis, ['globalThis']);
broken

// probe script-errors
const attempts = [
  () => call_tool(),
  () => call_tool(Symbol(), null),
  () => call_tool('s', 't', 1n),
  () => call_tools({ get length() { throw new Error('length'); } }),
  () => call_tools([{ get server() { throw new Error('server'); } }]),
  () => console.log(new Proxy({}, { ownKeys() { throw new Error('keys'); } })),
  () => new call_tool('s', 't'),
  () => { throw new Error('own'); },
];
for (const attempt of attempts) {
  let text;
  try {
    text = JSON.stringify(attempt()) ?? '';
  } catch (error) {
    text = `${error} ${error.stack}`;
  }
  if (/javet|com\.caoccao|dev\.assay|java\./i.test(text)) broken.push(text);
}
broken

// probe script-stack
Error.prepareStackTrace = (error, sites) => {
  for (const site of sites) {
    const isForeign = site.getScriptNameOrSourceURL() !== 'script' && !site.isNative();
    if (isForeign && (site.getFunction() !== undefined || site.getThis() !== undefined)) {
      broken.push(String(site));
    }
  }
  return '';
};
const look = () => new Error().stack;
console.log({ get a() { look(); return 1; } });
call_tool('no-such-server', 't', { toJSON() { look(); return {}; } });
look();
delete Error.prepareStackTrace;
broken

// probe script-callers
for (const name of ['caller', 'arguments', 'callee']) {
  for (const own of [call_tool, call_tools, console.log, log]) {
    try {
      if (own[name] !== undefined && own[name] !== null) broken.push(`${name} of ${own.name}`);
    } catch {
      // Refused, as it has to be.
    }
  }
}
const args = { toJSON: function whoCalls() {
  if (whoCalls.caller) broken.push(`called by ${whoCalls.caller}`);
  return {};
} };
call_tool('no-such-server', 't', args);
broken

// probe script-prototypes
const { defineProperty } = Object;
const add = (value) => defineProperty(broken, broken.length, {
  __proto__: null, value, writable: true, enumerable: true, configurable: true,
});
const names = ['ok', 'error', 'raw', 'code', 'result', 'terminate', 'value', '0'];
for (const name of names) {
  defineProperty(Object.prototype, name, {
    __proto__: null,
    configurable: true,
    get: () => undefined,
    set: () => add(`a setter of ${name} was called`),
  });
}
const replaced = (name) => () => { add(`${name} was called`); throw new Error(name); };
const kept = { parse: JSON.parse, stringify: JSON.stringify };
JSON.parse = replaced('JSON.parse');
JSON.stringify = replaced('JSON.stringify');
Reflect.apply = replaced('Reflect.apply');
Array.isArray = replaced('Array.isArray');
Object.keys = replaced('Object.keys');
Object.hasOwn = replaced('Object.hasOwn');
const outcome = call_tool('no-such-server', 't', { a: [1] });
for (const name of names) {
  delete Object.prototype[name];
}
JSON.parse = kept.parse;
JSON.stringify = kept.stringify;
expectRefusal('call_tool', outcome, 'SERVER_NOT_FOUND');
broken

// probe script-own-call-tool
const call = call_tool;
globalThis.call_tool = () => ({ ok: true, result: 'forged' });
delete globalThis.call_tools;
if (call_tool('no-such-server', 't').result !== 'forged') broken.push('it cannot be replaced');
expectRefusal('the one that was there', call('no-such-server', 't'), 'SERVER_NOT_FOUND');
broken

// probe script-arguments
const deep = (levels) => levels === 0 ? {} : { a: deep(levels - 1) };
const cases = {
  text: 'text',
  list: [1],
  number: 1,
  'a function': { a() {} },
  'a map': { a: new Map() },
  'a trap': new Proxy({}, { ownKeys() { throw new Error('trap'); } }),
  'a getter': { get a() { throw new Error('getter'); } },
  'toJSON to text': { toJSON: () => 'text' },
  depth: deep(1000),
  length: { a: 'x'.repeat(300 * 1024) },
};
cases.cycle = { a: cases };
for (const [what, value] of Object.entries(cases)) {
  expectRefusal(what, call_tool('no-such-server', 't', value), 'INVALID_ARGS');
  expectRefusal(what, call_tools([{ server: 's', tool: 't', args: value }]), 'INVALID_ARGS');
}
const batches = {
  'many requests': Array(101).fill({ server: 's', tool: 't' }),
  'a hole': [, { server: 's', tool: 't' }],
  'no array': { length: 1 },
  'a trap': new Proxy([], { get() { throw new Error('trap'); } }),
  'an unknown member': [{ server: 's', tool: 't', arguments: {} }],
};
for (const [what, requests] of Object.entries(batches)) {
  expectRefusal(what, call_tools(requests), 'INVALID_ARGS');
}
for (const max_parallel of [0, 33, 1.5, null, '8']) {
  expectRefusal(`max_parallel ${max_parallel}`, call_tools([], { max_parallel }), 'INVALID_ARGS');
}
broken
