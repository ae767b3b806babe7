// Try primary server, fallback to secondary
let result = call_tool('primary-db', 'query', {sql: input.query});

if (!result.ok) {
  // Primary failed, try backup
  result = call_tool('backup-db', 'query', {sql: input.query});
}

return result.ok ? result.result : {error: 'Both databases unavailable'};
