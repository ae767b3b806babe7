const user = call_tool('github', 'get_user', {username: 'octocat'});
const repos = call_tool('github', 'list_repos', {user: 'octocat'});
const repo = call_tool('github', 'get_repo', {repo: 'Hello-World', name: 'Hello-World'});
return {login: user.result.login, repos: repos.result.length, stars: repo.result.stargazers_count};
