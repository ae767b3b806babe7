// Conditional logic
const user = call_tool('github', 'get_user', {username: input.username});
if (!user.ok) {
  return {error: 'User not found'};
}

// Loop with accumulation
const results = [];
for (const repoName of input.repos) {
  const repo = call_tool('github', 'get_repo', {name: repoName});
  if (repo.ok) {
    results.push(repo.result);
  }
}
return {repos: results, count: results.length};
