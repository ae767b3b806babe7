// Fetch details for multiple items
const results = [];
const errors = [];

for (const id of input.ids) {
  const res = call_tool('api-server', 'get_item', {id});

  if (res.ok) {
    results.push(res.result);
  } else {
    errors.push({id, error: res.error});
  }
}

return {
  success: results,
  failed: errors,
  success_count: results.length,
  error_count: errors.length
};
