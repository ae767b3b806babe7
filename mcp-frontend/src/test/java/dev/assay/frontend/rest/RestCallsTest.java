package dev.assay.frontend.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.run.ToolCallRecord;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The records of the calls of tools, by REST. */
@Tag("slow")
class RestCallsTest {
  private static final String CALLS = "/api/v1/runs/{name}/calls";

  private final TestEndpoint endpoint = new TestEndpoint();
  private final RestClient client = new RestClient(endpoint);

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private static ToolCallRecord sent(int call, String tool) {
    return new ToolCallRecord(
        call,
        "store",
        tool,
        "d",
        2,
        "a",
        "{}",
        "2026-01-02T03:04:05Z",
        "OK",
        "yes",
        17,
        "r",
        "2026-01-02T03:04:06Z",
        5L);
  }

  private static ToolCallRecord refused(int call) {
    return new ToolCallRecord(
        call,
        "other",
        "t",
        "d",
        2,
        "a",
        null,
        null,
        "ACCESS_DENIED",
        "no",
        60,
        "r",
        "2026-01-02T03:04:06Z",
        null);
  }

  @Test
  void eachCallHasARecordAlsoOneThatWasRefused() {
    endpoint.runs.with(Fixtures.run("run-a", Fixtures.succeeded("")));
    endpoint.outputs.call("uid-1", sent(1, "find\u0007")).call("uid-1", refused(2));

    JsonNode page = RestClient.json(client.get(CALLS, "run-a"));

    assertThat(page.has("continue")).isFalse();
    assertThat(page.at("/items/0"))
        .hasToString(
            "{\"call\":1,\"server\":\"store\",\"tool\":\"find\uFFFD\",\"digest\":\"d\","
                + "\"argumentBytes\":2,\"argumentSha256\":\"a\",\"arguments\":\"{}\","
                + "\"begun\":\"2026-01-02T03:04:05Z\",\"outcome\":\"OK\",\"sent\":\"yes\","
                + "\"resultBytes\":17,\"resultSha256\":\"r\",\"ended\":\"2026-01-02T03:04:06Z\","
                + "\"millis\":5}");
    assertThat(page.at("/items/1/outcome").asString()).isEqualTo("ACCESS_DENIED");
    assertThat(page.at("/items/1").has("begun")).isFalse();
  }

  @Test
  void aPageContinuesAfterTheLastCallOfTheOneBefore() {
    endpoint.runs.with(Fixtures.run("run-a", Fixtures.running()));
    for (int call = 1; call <= 5; call++) {
      endpoint.outputs.call("uid-1", sent(call, "t"));
    }

    JsonNode first = RestClient.json(client.get(CALLS, "run-a?limit=2"));
    JsonNode last = RestClient.json(client.get(CALLS, "run-a?limit=3&continue=2"));

    assertThat(first.get("items").size()).isEqualTo(2);
    assertThat(first.get("continue").asString()).isEqualTo("2");
    assertThat(last.at("/items/0/call").asInt()).isEqualTo(3);
    assertThat(last.get("items").size()).isEqualTo(3);
    assertThat(last.has("continue")).isFalse();
  }

  @Test
  void aRunThatHasCalledNothingHasNoneAndOneWhoseRecordsAreGoneSaysSo() {
    endpoint.runs.with(Fixtures.run("run-a", Fixtures.succeeded("")));
    assertThat(client.get(CALLS, "run-a").body()).isEqualTo("{\"items\":[]}");
    endpoint.runs.with(
        Fixtures.run("run-b", Fixtures.succeeded("").withToolCalls(new ToolCallCounts(1, 0, 0))));
    HttpResponse<String> gone = client.get(CALLS, "run-b");
    assertThat(gone.statusCode()).isEqualTo(404);
    assertThat(RestClient.message(gone))
        .isEqualTo("The records of the calls of this run are not stored any more");

    endpoint.outputs.reachable(false);
    HttpResponse<String> unreachable = client.get(CALLS, "run-a");
    assertThat(unreachable.statusCode()).isEqualTo(503);
    assertThat(RestClient.message(unreachable))
        .isEqualTo(
            "The records of the calls cannot be read now: the output store could not be reached;"
                + " retry");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "run-a?limit=0|400|The parameter 'limit' must be a whole number between 1 and 1000",
        "run-a?limit=1001|400|The parameter 'limit' must be a whole number between 1 and 1000",
        "run-a?continue=x|400|The parameter 'continue' must be a whole number between 1 and"
            + " 2147483647",
        "run-a?after=1|400|Unknown parameter 'after'; the parameters are limit, continue",
        "run-b|404|There is no run 'run-b' in your namespace; GET /api/v1/runs lists the existing"
            + " ones",
        "elsewhere|404|There is no run 'elsewhere' in your namespace; GET /api/v1/runs lists the"
            + " existing ones",
      })
  void whatIsWrongIsNamed(String name, int status, String message) {
    endpoint.runs.with(Fixtures.run("run-a", null));
    var other = Fixtures.run("elsewhere", null);
    other.getMetadata().setNamespace("other");
    endpoint.runs.with(other);

    HttpResponse<String> answer = client.get(CALLS, name);

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(RestClient.message(answer)).isEqualTo(message);
  }

  @Test
  void theRunHasTheNumbersOfItsCalls() {
    endpoint.runs.with(
        Fixtures.run("run-a", Fixtures.succeeded("").withToolCalls(new ToolCallCounts(3, 1, 2))));

    assertThat(RestClient.json(client.get("/api/v1/runs/{name}", "run-a")).get("toolCalls"))
        .hasToString("{\"sent\":3,\"failed\":1,\"refused\":2}");
  }
}
