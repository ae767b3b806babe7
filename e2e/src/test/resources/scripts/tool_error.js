// Tool returns error - handled in JavaScript
var res = call_tool('github', 'get_user', {username: 'nonexistent-user-12345'});
if (!res.ok) {
  return {error: 'User not found: ' + res.error.message};
}
return res.result;
