// Fetch user, then fetch their repos
const userRes = call_tool('github', 'get_user', {username: input.username});
if (!userRes.ok) {
  return {error: userRes.error.message};
}

const reposRes = call_tool('github', 'list_repos', {user: input.username});
if (!reposRes.ok) {
  return {error: reposRes.error.message};
}

return {
  user: userRes.result,
  repos: reposRes.result,
  repo_count: reposRes.result.length
};
