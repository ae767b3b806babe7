package dev.assay.e2e.upstream;

import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tools that the examples of the requirements call. */
public final class SampleTools {
  private static final List<Map<String, Object>> REPOS =
      List.of(
          repo("Hello-World", 80, "C", false, "2024-03-01"),
          repo("Spoon-Knife", 20, "HTML", false, "2023-01-01"),
          repo("old", 5, null, true, "2024-05-01"));

  private static final List<Map<String, Object>> ORDERS =
      List.of(Map.of("id", 17, "total", 2.5), Map.of("id", 18, "total", 4));

  private SampleTools() {}

  private static Map<String, Object> repo(
      String name, int stars, @Nullable String language, boolean archived, String pushed) {
    Map<String, Object> repo = new TreeMap<>();
    repo.put("name", name);
    repo.put("stargazers_count", stars);
    repo.put("language", language);
    repo.put("archived", archived);
    repo.put("pushed_at", pushed);
    return repo;
  }

  /** Adds them to a server. */
  public static void addTo(CountingUpstream upstream) {
    upstream.tool(
        "get_user",
        "Gets a user.",
        null,
        CountingUpstream.arguments("username"),
        (exchange, request) ->
            argument(request, "username").equals("octocat")
                ? CountingUpstream.structured(Map.of("login", "octocat", "id", 583231))
                : error("Not Found: " + argument(request, "username")));
    upstream.tool(
        "list_repos",
        "Lists the repositories of a user.",
        null,
        CountingUpstream.arguments("user"),
        // A list is no structured content: some servers wrap it, which call_tool takes off again.
        (exchange, request) -> CountingUpstream.structured(Map.of("result", REPOS)));
    upstream.tool(
        "get_repo",
        "Gets a repository.",
        null,
        CountingUpstream.arguments("name"),
        (exchange, request) ->
            REPOS.stream()
                .filter(repo -> repo.get("name").equals(argument(request, "name")))
                .findFirst()
                .map(CountingUpstream::structured)
                .orElseGet(() -> error("Not Found: " + argument(request, "name"))));
    upstream.tool(
        "query",
        "Runs a query.",
        null,
        CountingUpstream.arguments("sql"),
        (exchange, request) ->
            CountingUpstream.structured(Map.of("rows", List.of(argument(request, "sql")))));
    upstream.tool(
        "ping",
        "Replies.",
        null,
        CountingUpstream.arguments(),
        (exchange, request) -> CountingUpstream.text("pong"));
    upstream.tool(
        "list_orders",
        "Lists the orders of a year.",
        null,
        CountingUpstream.arguments("year"),
        (exchange, request) -> CountingUpstream.structured(Map.of("orders", ORDERS)));
    upstream.tool(
        "get_order",
        "Gets an order.",
        null,
        CountingUpstream.arguments("id"),
        (exchange, request) ->
            ORDERS.stream()
                .filter(order -> argument(request, "id").equals(String.valueOf(order.get("id"))))
                .findFirst()
                .map(CountingUpstream::structured)
                .orElseGet(() -> error("no order " + argument(request, "id"))));
    upstream.tool(
        "get_item",
        "Gets an item; those above 100 do not exist.",
        null,
        CountingUpstream.arguments("id"),
        (exchange, request) ->
            Integer.parseInt(argument(request, "id")) <= 100
                ? CountingUpstream.structured(Map.of("item", argument(request, "id")))
                : error("no item " + argument(request, "id")));
  }

  private static String argument(CallToolRequest request, String name) {
    return String.valueOf(request.arguments().get(name));
  }

  private static CallToolResult error(String message) {
    return CallToolResult.builder().addTextContent(message).isError(true).build();
  }
}
