// Waits for a call that others end, and then computes.
const outcome = call_tool('bench', 'hold', {id: input.id});
if (!outcome.ok) {
  throw new Error(JSON.stringify(outcome));
}
let sum = 0;
for (let number = 1; number <= input.count; number++) {
  sum += number;
}
sum
