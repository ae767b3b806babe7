// Batches of calls that all take a while; the value has the milliseconds of each batch.
const requests = [];
for (let number = 0; number < input.size; number++) {
  requests.push({server: 'bench', tool: 'wait', args: {millis: input.millis}});
}
const times = [];
for (let batch = 0; batch < input.batches; batch++) {
  const began = Date.now();
  const outcomes = call_tools(requests, {max_parallel: input.size});
  times.push(Date.now() - began);
  if (!outcomes.every(outcome => outcome.ok)) {
    throw new Error(JSON.stringify(outcomes));
  }
}
times
