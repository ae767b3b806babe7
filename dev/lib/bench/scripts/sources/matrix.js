// Multiplies two square matrices.
const size = input.size;
const make = seed => {
  const rows = [];
  for (let i = 0; i < size; i++) {
    const row = [];
    for (let j = 0; j < size; j++) {
      row.push((i * seed + j * 3) % 17 - 8);
    }
    rows.push(row);
  }
  return rows;
};
const a = make(5);
const b = make(7);
let trace = 0;
let sum = 0;
for (let i = 0; i < size; i++) {
  for (let j = 0; j < size; j++) {
    let cell = 0;
    for (let k = 0; k < size; k++) {
      cell += a[i][k] * b[k][j];
    }
    sum += cell % 1000;
    if (i === j) {
      trace += cell;
    }
  }
}
({trace, sum})
