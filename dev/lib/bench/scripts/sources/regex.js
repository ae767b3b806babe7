// Reads the lines of an access log, and rewrites their paths.
const methods = ['GET', 'POST', 'PUT', 'DELETE'];
const parts = ['orders', 'users', 'invoices', 'reports'];
const lines = [];
for (let i = 0; i < input.size; i++) {
  const address = `10.${i % 256}.${(i * 7) % 256}.${(i * 13) % 256}`;
  const path = `/api/v${i % 3}/${parts[i % 4]}/${i * 17}`;
  lines.push(`${address} - - [01/Feb/2026:10:${10 + i % 50}:${10 + (i * 3) % 50}] ` +
    `"${methods[i % 4]} ${path}?page=${i % 9}&sort=name" ${200 + (i % 5) * 100} ${i * 31}`);
}
const entry = /^(\d+\.\d+\.\d+\.\d+) - - \[([^\]]+)\] "([A-Z]+) (\/[^ ?]*)(?:\?([^ "]*))?" (\d{3}) (\d+)$/;
const counts = {};
let bytes = 0;
let parameters = 0;
let hidden = 0;
for (const line of lines) {
  const match = entry.exec(line);
  const key = match[3] + ' ' + match[6];
  counts[key] = (counts[key] || 0) + 1;
  bytes += Number(match[7]);
  parameters += match[5].split('&').filter(text => /^page=[0-4]$/.test(text)).length;
  hidden += match[4].replace(/\/\d+/g, '/:id').replace(/[aeiou]/g, '').length;
}
({counts, bytes, parameters, hidden})
