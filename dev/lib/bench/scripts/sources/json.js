// Reads orders from JSON text, groups and changes them, and writes them again.
const orders = [];
for (let i = 0; i < input.size; i++) {
  orders.push({
    id: i,
    city: 'city ' + i % 40,
    tags: ['new', 'tag ' + i % 7],
    lines: [{sku: 'a' + i % 100, amount: i % 9 + 1, price: i % 50 + 0.25}, {sku: 'b', amount: 2, price: 3.5}],
    note: i % 3 === 0 ? null : 'ordered "by" phone\n',
  });
}
let text = JSON.stringify(orders);
let length = 0;
let total = 0;
for (let round = 0; round < input.rounds; round++) {
  const read = JSON.parse(text);
  const cities = {};
  for (const order of read) {
    const price = order.lines.reduce((sum, line) => sum + line.amount * line.price, 0);
    const city = cities[order.city] = cities[order.city] ?? {orders: 0, total: 0, tags: {}};
    city.orders++;
    city.total += price;
    order.tags.forEach(tag => { city.tags[tag] = (city.tags[tag] ?? 0) + 1; });
  }
  const changed = read
    .filter(order => order.note !== null || order.id % 2 === 0)
    .map(({id, city, lines, ...rest}) => ({...rest, id, city: city.toUpperCase(), count: lines.length, lines}));
  length += JSON.stringify(changed).length + JSON.stringify(cities).length;
  total += Object.values(cities).reduce((sum, city) => sum + city.total, 0);
}
({length, total})
