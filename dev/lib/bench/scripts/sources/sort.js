// Sorts numbers by a function, and objects by two members.
let state = 12345;
const random = () => {
  state = (state * 16807) % 2147483647;
  return state / 2147483647;
};
const numbers = [];
for (let i = 0; i < input.size; i++) {
  numbers.push(random());
}
numbers.sort((a, b) => a - b);
const rows = [];
for (let i = 0; i < input.size / 4; i++) {
  rows.push({city: Math.floor(random() * 50), amount: Math.floor(random() * 1000)});
}
rows.sort((a, b) => a.city - b.city || b.amount - a.amount);
let sum = 0;
for (let i = 0; i < numbers.length; i += 97) {
  sum += Math.floor(numbers[i] * 1000000);
}
({sum, first: rows[0], last: rows[rows.length - 1]})
