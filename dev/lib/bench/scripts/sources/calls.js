// One call after the other; the value has the times before and after each, in milliseconds.
const now = typeof Temporal === 'undefined'
  ? () => Date.now()
  : () => Number(Temporal.Now.instant().epochNanoseconds) / 1e6;
const times = [];
for (let number = 0; number < input.calls; number++) {
  const before = now();
  const outcome = call_tool('bench', 'timed', {series: input.series, number});
  times.push([before, now()]);
  if (!outcome.ok) {
    throw new Error(JSON.stringify(outcome));
  }
}
times
