// What a script finds around it, and how its value and its errors become text.
//
// It runs before the code of the user, which may replace anything that scripts share: it keeps the
// functions that it needs, calls them without looking up a property, and stores nothing in an
// object whose prototype the user can change. Strict code, so that its functions and their
// arguments cannot be reached from a stack.
(function (host, limits) {
  'use strict';

  const { write, call, result, stop, normalize } = host;
  const global = globalThis;
  const { apply, getPrototypeOf } = Reflect;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { isError } = Error;
  const { isInteger, isSafeInteger } = Number;
  const BigIntOfHost = BigInt;
  const NumberOfHost = Number;
  const bigIntToString = BigInt.prototype.toString;
  const { rawJSON } = JSON;
  const evaluate = eval;
  const ErrorOfHost = Error;
  const RangeErrorOfHost = RangeError;
  const ReferenceErrorOfHost = ReferenceError;
  const objectPrototype = Object.prototype;
  const arrayPrototype = Array.prototype;
  const keysOf = Object.keys;
  const hasOwn = Object.hasOwn;
  const defineProperty = Object.defineProperty;
  const slice = String.prototype.slice;
  const charCodeAt = String.prototype.charCodeAt;
  const isWellFormed = String.prototype.isWellFormed;
  const symbolToString = Symbol.prototype.toString;
  const dateToISOString = Date.prototype.toISOString;
  const dateGetTime = Date.prototype.getTime;
  const regExpSource = Object.getOwnPropertyDescriptor(RegExp.prototype, 'source').get;
  const promiseThen = Promise.prototype.then;
  const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size').get;
  const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size').get;
  const mapSet = Map.prototype.set;
  const mapDelete = Map.prototype.delete;
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
  const MAX_REQUESTS = 100;
  const MAX_NORMALIZED = 1048576;
  const MAX_ARGS_BYTES = 262144;
  const MAX_BATCH_ARGS_BYTES = 1048576;
  const MAX_NAME_BYTES = 256;
  const MAX_PARALLEL = 32;
  const MAX_UNHANDLED = 100;
  const DEFAULT_PARALLEL = 8;

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

  /** The words as they begin a sentence; names of parameters stay as they are. */
  const sentence = (words) => (words === 'the value' ? 'The value' : words);

  /** How many bytes a text has in UTF-8. */
  const bytesOf = (text) => {
    let bytes = text.length;
    for (let i = 0; i < text.length; i++) {
      const unit = apply(charCodeAt, text, [i]);
      if (unit > 0x7f) {
        // Each half of a character in two parts is two of its four bytes.
        bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
      }
    }
    return bytes;
  };

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

  // Locales

  const NO_LOCALES = 'there are no locales and no time zones here: use UTC and ISO 8601, or format,' +
    ' sort and convert in the SQL of a tool';
  defineProperty(global, 'Intl', {
    __proto__: null,
    get: () => {
      throw new ReferenceErrorOfHost('Intl is not defined: ' + NO_LOCALES);
    },
    set: (value) => define('Intl', value),
    enumerable: false,
    configurable: true,
  });

  /** Has a method refuse a locale or options, which V8 would ignore without a word. */
  const refuseLocales = (prototype, name, position) => {
    const original = prototype[name];
    const method = {
      [name](...values) {
        for (let i = position; i < values.length; i++) {
          if (values[i] !== undefined) {
            throw new RangeErrorOfHost(name + ' takes no locale and no options: ' + NO_LOCALES);
          }
        }
        return apply(original, this, values);
      },
    }[name];
    defineProperty(method, 'length', { __proto__: null, value: original.length, configurable: true });
    defineProperty(prototype, name, {
      __proto__: null, value: method, writable: true, enumerable: false, configurable: true,
    });
  };
  for (const { prototype } of [
    Number, BigInt, Array, Date, getPrototypeOf(Int8Array), Temporal.Duration, Temporal.Instant,
    Temporal.PlainDate, Temporal.PlainDateTime, Temporal.PlainMonthDay, Temporal.PlainTime,
    Temporal.PlainYearMonth, Temporal.ZonedDateTime,
  ]) {
    refuseLocales(prototype, 'toLocaleString', 0);
  }
  refuseLocales(Date.prototype, 'toLocaleDateString', 0);
  refuseLocales(Date.prototype, 'toLocaleTimeString', 0);
  refuseLocales(String.prototype, 'localeCompare', 1);
  refuseLocales(String.prototype, 'toLocaleLowerCase', 0);
  refuseLocales(String.prototype, 'toLocaleUpperCase', 0);

  /** Has a method of texts normalize them, which V8 without locales returns as they are. */
  const originalNormalize = String.prototype.normalize;
  const normalizeText = {
    normalize(form) {
      const wanted = form === undefined ? 'NFC' : `${form}`;
      // Throws what V8 throws, such as for a form that is none.
      const text = apply(originalNormalize, this, [wanted]);
      // It is done outside of the limits of V8, and a text may become many times as long.
      if (text.length > MAX_NORMALIZED) {
        throw new RangeErrorOfHost('normalize takes at most ' + MAX_NORMALIZED + ' characters');
      }
      return normalize(text, wanted);
    },
  }.normalize;
  defineProperty(normalizeText, 'length', { __proto__: null, value: 0, configurable: true });
  defineProperty(String.prototype, 'normalize', {
    __proto__: null, value: normalizeText, writable: true, enumerable: false, configurable: true,
  });

  // Values

  const REMEDIES = {
    __proto__: null,
    function: '',
    symbol: '',
    Error: 'use String(error), or error.message',
    RegExp: 'use String(pattern)',
    Map: 'use Object.fromEntries(map)',
    Set: 'use Array.from(set)',
    Promise: 'await it first',
    WeakMap: '',
  };

  /** The kind of a value that JSON cannot hold, or only as an empty object; empty for others. */
  const refusedKind = (value) => {
    const type = typeof value;
    if (type === 'function' || type === 'symbol') {
      return type;
    }
    if (type !== 'object' || value === null) {
      return '';
    }
    if (isError(value)) {
      return 'Error';
    }
    const prototype = getPrototypeOf(value);
    if (prototype === objectPrototype || prototype === arrayPrototype || prototype === null) {
      return '';
    }
    if (accepts(regExpSource, value, [])) {
      return 'RegExp';
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

  /** Keeps a whole number that a double would round: its digits are in the source. */
  const reviver = (key, value, context) => {
    if (typeof value !== 'number' || isSafeInteger(value) || !isInteger(value)) {
      return value;
    }
    const digits = context.source;
    for (let i = 0; i < digits.length; i++) {
      const unit = apply(charCodeAt, digits, [i]);
      // What has a point or an exponent is meant as a double.
      if (unit !== 0x2d && (unit < 0x30 || unit > 0x39)) {
        return value;
      }
    }
    return BigIntOfHost(digits);
  };
  const parseExact = (json) => parse(json, reviver);

  /**
   * Writes a value as JSON.
   *
   * Returns an object with its text, which is undefined where there is nothing to write, or with
   * the problem. The subject is what the value is called, and the verb what the script does with it.
   */
  const encode = (value, subject, verb) => {
    // A tool takes numbers as such; readers of a value may take all of them for doubles.
    const isExact = verb === 'pass';
    let problem = '';
    let depth = 0;
    // The objects that are being written, from the outermost on, and their names.
    const objects = { __proto__: null };
    const names = { __proto__: null };

    const path = (key, holder) => {
      let text = subject;
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
      if (typeof item === 'bigint') {
        const digits = apply(bigIntToString, item, []);
        return isExact || isSafeInteger(NumberOfHost(item)) ? rawJSON(digits) : digits;
      }
      const kind = refusedKind(item);
      if (kind !== '') {
        refuse('JSON cannot hold the ' + kind + ' at ' + path(key, this) + ': ' +
          (REMEDIES[kind] || verb + ' data only'));
      }
      if (typeof item === 'object' && item !== null) {
        for (let i = 0; i < depth; i++) {
          if (objects[i] === item) {
            refuse('JSON cannot hold the cycle at ' + path(key, this) +
              ', which is an object that contains it: leave it out');
          }
        }
        if (depth >= MAX_DEPTH) {
          refuse(sentence(subject) + ' is nested deeper than ' + MAX_DEPTH + ': ' + verb +
            ' less of it');
        }
        names[depth] = depth === 0 ? '' : name(key, this);
        objects[depth++] = item;
      }
      return item;
    };

    try {
      return { __proto__: null, text: stringify(value, replacer), problem: '' };
    } catch (error) {
      return {
        __proto__: null,
        text: undefined,
        problem: problem ||
          sentence(subject) + ' could not be written as JSON: ' + messageOf(error),
      };
    }
  };

  const toJson = (value) => {
    const written = encode(value, 'the value', 'return');
    if (written.problem !== '') {
      return failed('SERIALIZATION_ERROR', 'SerializationError', written.problem, '');
    }
    // What is undefined, or what toJSON returns as undefined.
    const text = written.text === undefined ? 'null' : written.text;
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

  // Tools

  /** How many tools may be called at once; 0 where none may be called. */
  let parallelLimit = 0;

  const shown = (value) => ({
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });
  const hidden = (value) => ({
    __proto__: null, value, writable: true, enumerable: false, configurable: true,
  });

  /** The outcome of a call that is not made. */
  const refusal = (code, message, index, member) => {
    const error = { code, message, sent: 'no' };
    if (index !== undefined) {
      defineProperty(error, 'index', shown(index));
    }
    if (member !== undefined) {
      defineProperty(error, 'member', shown(member));
    }
    return { ok: false, error };
  };

  const denied = () =>
    refusal('ACCESS_DENIED', 'This run may call no tools: its class, or the caller, allows none');

  /** Whether a value is the name of a server or a tool. */
  const isName = (value) =>
    typeof value === 'string' && value !== '' && value.length <= MAX_NAME_BYTES &&
    bytesOf(value) <= MAX_NAME_BYTES && apply(isWellFormed, value, []);
  const NAME_PROBLEM = ' must be text of 1 to ' + MAX_NAME_BYTES + ' bytes';

  /** The arguments of a call as JSON, or what is wrong with them. */
  const argsOf = (value, subject) => {
    if (value === undefined || value === null) {
      return { __proto__: null, text: '{}', problem: '' };
    }
    const wrong = (problem) => ({ __proto__: null, text: '', problem });
    const written = encode(value, subject, 'pass');
    if (written.problem !== '') {
      return wrong(written.problem);
    }
    const text = written.text;
    // What toJSON returns counts, too.
    if (text === undefined || apply(charCodeAt, text, [0]) !== 0x7b) {
      return wrong(subject + ' must be an object');
    }
    // No character takes more than three bytes for each unit.
    const bytes = text.length * 3 > MAX_ARGS_BYTES ? bytesOf(text) : 0;
    return bytes > MAX_ARGS_BYTES
      ? wrong(subject + ' takes ' + bytes + ' bytes as JSON, and the limit is ' + MAX_ARGS_BYTES)
      : { __proto__: null, text, problem: '' };
  };

  /** Calls tools; ends the script where one of the results says so. */
  const callAll = (texts) => {
    if (apply(call, undefined, texts) !== '') {
      stop(textOf(new ErrorOfHost(), 'stack'));
      // V8 ends the script where a loop begins again.
      for (;;) {}
    }
  };

  /** The outcome of a call as the script gets it. */
  const outcomeOf = (index) => {
    let envelope;
    try {
      envelope = parseExact(result('' + index));
    } catch {
      // Not expected; the call has been made.
    }
    if (typeof envelope !== 'object' || envelope === null || !hasOwn(envelope, 'ok')) {
      const message = 'The outcome of the call could not be read';
      return { ok: false, error: { code: 'OUTCOME_UNKNOWN', message, sent: 'unknown' } };
    }
    if (hasOwn(envelope, 'raw')) {
      const raw = envelope.raw;
      defineProperty(envelope, 'raw', hidden(raw));
      const value = hasOwn(envelope, 'result') ? envelope.result : undefined;
      const isObject = typeof value === 'object' && value !== null;
      const hasContent = typeof raw === 'object' && raw !== null && hasOwn(raw, 'content');
      if (isObject && hasContent && !hasOwn(value, 'content')) {
        defineProperty(value, 'content', hidden(raw.content));
      }
    }
    return envelope;
  };

  const callTool = (server, tool, args) => {
    if (!isName(server)) {
      return refusal('INVALID_ARGS', 'server' + NAME_PROBLEM, undefined, 'server');
    }
    if (!isName(tool)) {
      return refusal('INVALID_ARGS', 'tool' + NAME_PROBLEM, undefined, 'tool');
    }
    const { text, problem } = argsOf(args, 'args');
    if (problem !== '') {
      return refusal('INVALID_ARGS', problem, undefined, 'args');
    }
    if (parallelLimit === 0) {
      return denied();
    }
    callAll(['0', server, tool, text]);
    return outcomeOf(0);
  };

  /** A property of a request, or what is wrong with it. */
  const read = (object, key) => {
    try {
      return { __proto__: null, value: object[key], problem: '' };
    } catch (error) {
      return { __proto__: null, value: undefined, problem: ' could not be read: ' + messageOf(error) };
    }
  };

  /** A member of an object that is none of those that it may have; empty where there is none. */
  const unknownMember = (object, isKnown) => {
    const keys = keysOf(object);
    for (let i = 0; i < keys.length; i++) {
      if (!isKnown(keys[i])) {
        return keys[i];
      }
    }
    return '';
  };
  const isOption = (name) => name === 'max_parallel';
  const isRequestMember = (name) => name === 'server' || name === 'tool' || name === 'args';

  const callTools = (requests, options) => {
    // Nothing is sent before all of it has been read.
    const invalid = (problem, index, member) =>
      refusal('INVALID_ARGS', problem, index, member);
    const parallel = parallelOf(options);
    if (typeof parallel === 'string') {
      return invalid(parallel, undefined, 'max_parallel');
    }
    const length = lengthOf(requests);
    if (typeof length === 'string') {
      return invalid(length, undefined, 'requests');
    }
    const texts = { __proto__: null, length: 1 + 3 * length };
    texts[0] = '' + (parallel < parallelLimit ? parallel : parallelLimit);
    let most = 0;
    for (let i = 0; i < length; i++) {
      const subject = 'requests[' + i + ']';
      const request = read(requests, i);
      if (request.problem !== '') {
        return invalid(subject + request.problem, i);
      }
      const value = request.value;
      if (typeof value !== 'object' || value === null) {
        return invalid(subject + ' must be an object {server, tool, args}', i);
      }
      for (let place = 0; place < 2; place++) {
        const member = place === 0 ? 'server' : 'tool';
        const name = read(value, member);
        if (name.problem !== '' || !isName(name.value)) {
          return invalid(subject + '.' + member + (name.problem || NAME_PROBLEM), i, member);
        }
        texts[1 + 3 * i + place] = name.value;
      }
      const args = read(value, 'args');
      const written = argsOf(args.value, subject + '.args');
      if (args.problem !== '' || written.problem !== '') {
        return invalid(args.problem === '' ? written.problem : subject + '.args' + args.problem,
          i, 'args');
      }
      texts[3 + 3 * i] = written.text;
      most += written.text.length * 3;
      const other = unknownOf(value);
      if (other !== '') {
        return invalid(subject + ' has the unknown member ' + cut(other, PATH_LENGTH) +
          ': use server, tool and args', i, cut(other, PATH_LENGTH));
      }
    }
    if (most > MAX_BATCH_ARGS_BYTES) {
      let bytes = 0;
      for (let i = 0; i < length; i++) {
        bytes += bytesOf(texts[3 + 3 * i]);
      }
      if (bytes > MAX_BATCH_ARGS_BYTES) {
        return invalid('The args of all requests take ' + bytes + ' bytes as JSON, and the limit is ' +
          MAX_BATCH_ARGS_BYTES + ': make two batches', undefined, 'requests');
      }
    }
    const outcomes = [];
    if (length > 0 && parallelLimit > 0) {
      callAll(texts);
    }
    for (let i = 0; i < length; i++) {
      defineProperty(outcomes, i, shown(parallelLimit > 0 ? outcomeOf(i) : denied()));
    }
    return outcomes;
  };

  const unknownOf = (request) => {
    try {
      return unknownMember(request, isRequestMember);
    } catch {
      return '';
    }
  };

  /** How many calls the options allow at once, or what is wrong with them. */
  const parallelOf = (options) => {
    if (options === undefined) {
      return DEFAULT_PARALLEL;
    }
    if (typeof options !== 'object' || options === null) {
      return 'options must be an object {max_parallel}';
    }
    try {
      const other = unknownMember(options, isOption);
      if (other !== '') {
        return 'options has the unknown member ' + cut(other, PATH_LENGTH) + ': use max_parallel';
      }
      const value = options.max_parallel;
      if (value === undefined) {
        return DEFAULT_PARALLEL;
      }
      return typeof value === 'number' && value >= 1 && value <= MAX_PARALLEL && value % 1 === 0
        ? value
        : 'max_parallel must be a whole number from 1 to ' + MAX_PARALLEL;
    } catch (error) {
      return 'options could not be read: ' + messageOf(error);
    }
  };

  /** How many requests there are, or what is wrong with them. */
  const lengthOf = (requests) => {
    try {
      if (!isArray(requests)) {
        return 'requests must be an array of {server, tool, args}';
      }
      const length = requests.length;
      if (typeof length !== 'number' || !(length >= 0) || length % 1 !== 0) {
        return 'requests has no length';
      }
      return length <= MAX_REQUESTS
        ? length
        : 'requests has ' + length + ' entries, and the limit is ' + MAX_REQUESTS;
    } catch (error) {
      return 'requests could not be read: ' + messageOf(error);
    }
  };

  define('call_tool', callTool);
  define('call_tools', callTools);

  // The run

  let outcome = '';

  /** The errors of the promises that were rejected and that nothing handles, by promise. */
  const unhandled = new Map();

  /** What became of the script: its own error comes first, then that of a promise that it lost. */
  const outcomeOfAll = () => {
    let text = outcome;
    if (text === '' || apply(charCodeAt, text, [0]) !== 0x65) {
      let isFirst = true;
      apply(mapForEach, unhandled, [(error) => {
        text = isFirst ? failure(error) : text;
        isFirst = false;
      }]);
    }
    return text;
  };

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
    provide: (json, maxParallel) => {
      define('input', parseExact(json));
      parallelLimit = maxParallel;
    },
    runScript: (text) => run(evaluate, text),
    runFunction: (code) => run(code),
    rejected: (promise, error) => {
      if (apply(mapSize, unhandled, []) < MAX_UNHANDLED) {
        apply(mapSet, unhandled, [promise, error]);
      }
    },
    handled: (promise) => {
      apply(mapDelete, unhandled, [promise]);
    },
    outcome: outcomeOfAll,
  };
});
