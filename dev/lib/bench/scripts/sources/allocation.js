// Fills memory until something ends it.
const kept = [];
for (;;) {
  kept.push(new Array(1000).fill(kept.length + 0.5));
}
