// Builds a table of text, escapes it, and takes it apart again.
const quoted = cell => {
  let text = '';
  for (const character of cell) {
    text += character === '"' ? '""' : character;
  }
  return '"' + text + '"';
};
let table = '';
for (let i = 0; i < input.size; i++) {
  table += [i, quoted('name "' + i + '"'), quoted('of city ' + i % 40), (i * 37 % 1000) / 8].join(',') + '\n';
}
let hash = 0;
for (let i = 0; i < table.length; i++) {
  hash = (hash * 31 + table.charCodeAt(i)) % 1000003;
}
let words = 0;
let longest = '';
for (const line of table.split('\n')) {
  const cells = line.split(',').map(cell => cell.trim().toLowerCase());
  words += cells.join(' ').split(' ').length;
  if (line.length > longest.length) {
    longest = line;
  }
}
({length: table.length, hash, words, longest: longest.padEnd(60, '.').slice(0, 60)})
