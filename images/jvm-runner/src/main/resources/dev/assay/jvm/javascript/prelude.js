// What a script finds around it, and how its value and its errors become text.
//
// It runs before the code of the user, which may replace anything that scripts share: it keeps the
// functions that it needs, calls them without looking up a property, and stores nothing in an
// object whose prototype the user can change. Strict code, so that its functions and their
// arguments cannot be reached from a stack.
(function (write, limits) {
  'use strict';

  const global = globalThis;
  const { apply, getPrototypeOf } = Reflect;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { isError } = Error;
  const evaluate = eval;
  const ErrorOfHost = Error;
  const objectPrototype = Object.prototype;
  const arrayPrototype = Array.prototype;
  const keysOf = Object.keys;
  const defineProperty = Object.defineProperty;
  const slice = String.prototype.slice;
  const charCodeAt = String.prototype.charCodeAt;
  const symbolToString = Symbol.prototype.toString;
  const dateToISOString = Date.prototype.toISOString;
  const dateGetTime = Date.prototype.getTime;
  const regExpSource = Object.getOwnPropertyDescriptor(RegExp.prototype, 'source').get;
  const promiseThen = Promise.prototype.then;
  const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;
  const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;
  const mapForEach = Map.prototype.forEach;
  const setForEach = Set.prototype.forEach;
  const weakMapHas = WeakMap.prototype.has;
  const weakSetHas = WeakSet.prototype.has;

  const MAX_DEPTH = limits.depth;
  const MAX_LENGTH = limits.bytes;
  const WRITE_LENGTH = 16384;
  const LOG_DEPTH = 8;
  const LOG_ENTRIES = 10000;
  const LOG_KEY_LENGTH = 256;
  const MESSAGE_LENGTH = 8192;
  const STACK_LENGTH = 32768;
  const TYPE_LENGTH = 256;
  const PATH_LENGTH = 200;

  const cut = (text, length) =>
    text.length <= length ? text : apply(slice, text, [0, length]) + '…';

  /** Whether a function of a built-in class accepts an object, which only its own do. */
  const accepts = (method, object, parameters) => {
    try {
      apply(method, object, parameters);
      return true;
    } catch {
      return false;
    }
  };
  const isMap = (object) => accepts(mapSize, object, []);
  const isSet = (object) => accepts(setSize, object, []);
  const isDate = (object) => accepts(dateGetTime, object, []);
  const isWeak = (object) =>
    accepts(weakMapHas, object, [objectPrototype]) ||
    accepts(weakSetHas, object, [objectPrototype]);

  /** A property that is text; empty for any other. */
  const textOf = (object, key) => {
    try {
      const text = object[key];
      return typeof text === 'string' ? text : '';
    } catch {
      return '';
    }
  };

  // Text for people

  const inspector = () => {
    let entries = 0;
    // Objects that are being shown, by depth.
    const open = { __proto__: null };

    const list = (object, length, depth, of) => {
      let text = '';
      for (let i = 0; i < length; i++) {
        if (++entries > LOG_ENTRIES) {
          return text + (i > 0 ? ', …' : '…');
        }
        text += (i > 0 ? ', ' : '') + of(i, depth);
      }
      return text;
    };

    const members = (object, depth) => {
      const keys = keysOf(object);
      return list(object, keys.length, depth, (i) =>
        stringify(cut(keys[i], LOG_KEY_LENGTH)) + ': ' + show(object[keys[i]], depth + 1));
    };

    const elements = (forEach, object, depth, between) => {
      let text = '';
      apply(forEach, object, [(value, key) => {
        if (++entries <= LOG_ENTRIES) {
          text += (text === '' ? '' : ', ') +
            (between === '' ? '' : show(key, depth + 1) + between) + show(value, depth + 1);
        }
      }]);
      return text + (entries > LOG_ENTRIES ? ', …' : '');
    };

    const showObject = (object, depth) => {
      if (isError(object)) {
        return textOf(object, 'stack') || textOf(object, 'name') + ': ' + textOf(object, 'message');
      }
      if (isArray(object)) {
        return '[' + list(object, object.length, depth, (i) => show(object[i], depth + 1)) + ']';
      }
      const prototype = getPrototypeOf(object);
      if (prototype !== objectPrototype && prototype !== null) {
        if (isDate(object)) {
          return apply(dateToISOString, object, []);
        }
        if (isMap(object)) {
          return 'Map {' + elements(mapForEach, object, depth, ' => ') + '}';
        }
        if (isSet(object)) {
          return 'Set {' + elements(setForEach, object, depth, '') + '}';
        }
        if (accepts(regExpSource, object, [])) {
          return '/' + apply(regExpSource, object, []) + '/';
        }
      }
      return '{' + members(object, depth) + '}';
    };

    const show = (value, depth) => {
      switch (typeof value) {
        case 'string':
          return depth === 0 ? value : stringify(value);
        case 'bigint':
          return value + 'n';
        case 'symbol':
          return apply(symbolToString, value, []);
        case 'function':
          return '[Function ' + (textOf(value, 'name') || 'anonymous') + ']';
        case 'object':
          break;
        default:
          return '' + value;
      }
      if (value === null) {
        return 'null';
      }
      if (depth > LOG_DEPTH) {
        return '…';
      }
      for (let i = 0; i < depth; i++) {
        if (open[i] === value) {
          return '[Circular]';
        }
      }
      open[depth] = value;
      try {
        return showObject(value, depth);
      } catch {
        return '[object]';
      } finally {
        open[depth] = undefined;
      }
    };
    return (value) => show(value, 0);
  };

  const print = (text) => {
    let start = 0;
    while (start < text.length) {
      let end = start + WRITE_LENGTH;
      // Both halves of a character go together.
      if (end < text.length) {
        const last = apply(charCodeAt, text, [end - 1]);
        end -= last >= 0xd800 && last <= 0xdbff ? 1 : 0;
      }
      write(apply(slice, text, [start, end]));
      start = end;
    }
  };

  const log = (...values) => {
    const show = inspector();
    let text = '';
    for (let i = 0; i < values.length; i++) {
      text += (i > 0 ? ' ' : '') + show(values[i]);
    }
    // Text of some length is not copied for the sake of its end.
    if (text.length < WRITE_LENGTH) {
      print(text + '\n');
    } else {
      print(text);
      print('\n');
    }
  };
  const nothing = () => {};

  const define = (name, value) =>
    defineProperty(global, name, {
      __proto__: null, value, writable: true, enumerable: false, configurable: true,
    });
  define('log', log);
  define('console', {
    log, info: log, debug: log, warn: log, error: log, dir: log, table: log, trace: log,
    assert: (condition, ...values) => {
      if (!condition) {
        apply(log, undefined, values.length > 0 ? values : ['Assertion failed']);
      }
    },
    group: nothing, groupCollapsed: nothing, groupEnd: nothing, clear: nothing, count: nothing,
    countReset: nothing, time: nothing, timeEnd: nothing, timeLog: nothing,
  });
  // Its memory is no part of the heap, and nothing would run what it does asynchronously.
  delete global.WebAssembly;

  // Values

  const REMEDIES = {
    __proto__: null,
    function: 'return data only',
    symbol: 'return data only',
    bigint: 'use String(value), or Number(value) where it is small enough',
    Map: 'use Object.fromEntries(map)',
    Set: 'use Array.from(set)',
    Promise: 'await it first',
    WeakMap: 'return data only',
  };

  /** The kind of a value that JSON cannot hold, or only as an empty object; empty for others. */
  const refusedKind = (value) => {
    const type = typeof value;
    if (type === 'function' || type === 'symbol' || type === 'bigint') {
      return type;
    }
    if (type !== 'object' || value === null) {
      return '';
    }
    const prototype = getPrototypeOf(value);
    if (prototype === objectPrototype || prototype === arrayPrototype || prototype === null) {
      return '';
    }
    if (isMap(value)) {
      return 'Map';
    }
    if (isSet(value)) {
      return 'Set';
    }
    if (isWeak(value)) {
      return 'WeakMap';
    }
    return accepts(promiseThen, value, [nothing, nothing]) ? 'Promise' : '';
  };

  const toJson = (value) => {
    let problem = '';
    let depth = 0;
    // The objects that are being written, from the outermost on, and their names.
    const objects = { __proto__: null };
    const names = { __proto__: null };

    const path = (key, holder) => {
      let text = 'the value';
      for (let i = 1; i < depth; i++) {
        text += names[i];
      }
      return cut(depth === 0 ? text : text + name(key, holder), PATH_LENGTH);
    };
    const name = (key, holder) => (isArray(holder) ? '[' + key + ']' : '.' + key);
    const refuse = (text) => {
      problem = text;
      throw new ErrorOfHost(text);
    };

    const replacer = function (key, item) {
      while (depth > 0 && objects[depth - 1] !== this) {
        depth--;
      }
      const kind = refusedKind(item);
      if (kind !== '') {
        refuse('JSON cannot hold the ' + kind + ' at ' + path(key, this) + ': ' + REMEDIES[kind]);
      }
      if (typeof item === 'object' && item !== null) {
        for (let i = 0; i < depth; i++) {
          if (objects[i] === item) {
            refuse('JSON cannot hold the cycle at ' + path(key, this) +
              ', which is an object that contains it: leave it out');
          }
        }
        if (depth >= MAX_DEPTH) {
          refuse('The value is nested deeper than ' + MAX_DEPTH + ': return less of it');
        }
        names[depth] = depth === 0 ? '' : name(key, this);
        objects[depth++] = item;
      }
      return item;
    };

    let text;
    try {
      text = stringify(value, replacer);
    } catch (error) {
      const message = problem || 'The value could not be written as JSON: ' + messageOf(error);
      return failed('SERIALIZATION_ERROR', 'SerializationError', message, '');
    }
    // What is undefined, or what toJSON returns as undefined.
    text = text === undefined ? 'null' : text;
    if (text.length > MAX_LENGTH) {
      return failed('SERIALIZATION_ERROR', 'SerializationError',
        'The value takes at least ' + text.length + ' bytes as JSON, and the limit is ' +
        MAX_LENGTH + ': return less of it', '');
    }
    return 'v' + text;
  };

  // Errors

  const messageOf = (error) => {
    try {
      if (error === null || typeof error !== 'object') {
        return inspector()(error);
      }
      return textOf(error, 'message') || (isError(error) ? '' : inspector()(error));
    } catch {
      return '';
    }
  };

  const failed = (code, type, message, stack) =>
    'e' + stringify({
      __proto__: null,
      code,
      type: cut(type, TYPE_LENGTH),
      message: cut(message, MESSAGE_LENGTH),
      stack: cut(stack, STACK_LENGTH),
    });

  const failure = (error) => {
    const isObject = typeof error === 'object' && error !== null;
    return failed('RUNTIME_ERROR', (isObject && textOf(error, 'name')) || 'Error',
      messageOf(error), isObject ? textOf(error, 'stack') : '');
  };

  // The run

  let outcome = '';

  const settle = async (value) => {
    let settled;
    try {
      settled = await value;
    } catch (error) {
      outcome = failure(error);
      return;
    }
    outcome = toJson(settled);
  };

  const run = (code, parameter) => {
    let value;
    try {
      value = code(parameter);
    } catch (error) {
      outcome = failure(error);
      return;
    }
    settle(value);
  };

  return {
    __proto__: null,
    provide: (json) => define('input', parse(json)),
    runScript: (text) => run(evaluate, text),
    runFunction: (code) => run(code),
    outcome: () => outcome,
  };
});
