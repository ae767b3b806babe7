const repos = call_tool('github', 'list_repos', {user: input.username});
if (!repos.ok) return repos;

// Filter and transform
const activeRepos = repos.result
  .filter(r => !r.archived && r.pushed_at > input.since)
  .map(r => ({name: r.name, stars: r.stargazers_count, language: r.language}));

return {repos: activeRepos, total: activeRepos.length};
