package dev.assay.jvm.javascript;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.control.ToolRequest;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code call_tool} and {@code call_tools} send, and what scripts get. */
class CallToolTest {
  private static final String RESULT =
      "{\"ok\":true,\"result\":{\"rows\":[1]},\"raw\":{\"content\":[{\"type\":\"text\"}]}}";

  private static final String ERROR =
      "{\"ok\":false,\"error\":{\"code\":\"UPSTREAM_ERROR\",\"message\":\"no\",\"sent\":\"yes\"}}";

  private static final String LAST =
      "{\"ok\":false,\"terminate\":true,\"error\":"
          + "{\"code\":\"MAX_TOOL_CALLS_EXCEEDED\",\"message\":\"over\",\"sent\":\"no\"}}";

  private final List<ToolRequest> sent = new ArrayList<>();
  private final List<Integer> parallel = new ArrayList<>();
  private String outcome = RESULT;
  private final TestScripts scripts = new TestScripts(this::answer, 16);

  private byte[][] answer(List<ToolRequest> requests, int maxParallel) throws IOException {
    sent.addAll(requests);
    parallel.add(maxParallel);
    if (outcome.isEmpty()) {
      throw new IOException("the connection is closed");
    }
    return requests.stream().map(request -> outcome.getBytes(UTF_8)).toArray(byte[][]::new);
  }

  @Test
  void aCallIsSentWithItsArgumentsAndReturnsTheOutcome() throws Exception {
    assertThat(scripts.value("call_tool('store', 'list', {city: 'é', n: [1.5, null]})"))
        .isEqualTo("{\"ok\":true,\"result\":{\"rows\":[1]}}");
    assertThat(sent)
        .containsExactly(new ToolRequest("store", "list", "{\"city\":\"é\",\"n\":[1.5,null]}"));
    assertThat(parallel).containsExactly(0);
  }

  @Test
  void wholeNumbersOfAResultAndOfArgumentsAreExact() throws Exception {
    outcome = "{\"ok\":true,\"result\":{\"id\":9007199254740993,\"n\":1}}";
    assertThat(
            scripts.value(
                "const {id, n} = call_tool('s', 'get', {}).result;"
                    + " call_tool('s', 'put', {id, n, all: [2n]}); id"))
        .isEqualTo("\"9007199254740993\"");
    assertThat(sent.getLast().args()).isEqualTo("{\"id\":9007199254740993,\"n\":1,\"all\":[2]}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", undefined", ", null", ", {}"})
  void omittedArgumentsAreAnEmptyObject(String args) throws Exception {
    scripts.value("call_tool('s', 't'" + args + ")");
    assertThat(sent).containsExactly(new ToolRequest("s", "t", "{}"));
  }

  @Test
  void whatTheToolReturnedIsThereWithoutBeingListed() throws Exception {
    assertThat(
            scripts.value(
                "const r = call_tool('s', 't');"
                    + "[Object.keys(r), r.raw.content, r.result.content, Object.keys(r.result)]"))
        .isEqualTo("[[\"ok\",\"result\"],[{\"type\":\"text\"}],[{\"type\":\"text\"}],[\"rows\"]]");
  }

  @Test
  void dataThatHasContentOfItsOwnKeepsIt() throws Exception {
    outcome = "{\"ok\":true,\"result\":{\"content\":\"own\"},\"raw\":{\"content\":[]}}";
    assertThat(scripts.value("call_tool('s', 't').result")).isEqualTo("{\"content\":\"own\"}");
  }

  @Test
  void resultsThatAreNoObjectsAreAsTheyCame() throws Exception {
    for (String value : List.of("1", "\"text\"", "null", "[1,2]", "true")) {
      outcome = "{\"ok\":true,\"result\":" + value + ",\"raw\":{\"content\":[]}}";
      assertThat(scripts.value("call_tool('s', 't').result")).isEqualTo(value);
    }
  }

  @Test
  void anErrorIsAnOutcomeAndTheScriptGoesOn() throws Exception {
    outcome = ERROR;
    assertThat(scripts.value("const r = call_tool('s', 't'); [r.ok, r.error.code, r.error.sent]"))
        .isEqualTo("[false,\"UPSTREAM_ERROR\",\"yes\"]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "call_tool() | server",
        "call_tool('', 't') | server",
        "call_tool(new String('s'), 't') | server",
        "call_tool('s', 7) | tool",
        "call_tool('s', 'x'.repeat(257)) | tool",
        "call_tool('s', 'é'.repeat(129)) | tool",
        "call_tool('s', '\\ud800') | tool",
        "call_tool('s', 't', 'text') | args",
        "call_tool('s', 't', []) | args",
        "call_tool('s', 't', 1) | args",
        "call_tool('s', 't', () => 1) | args",
        "call_tool('s', 't', {toJSON() { return [1] }}) | args",
        "call_tool('s', 't', {toJSON() { return undefined }}) | args",
        "call_tool('s', 't', {a: Symbol()}) | args",
        "call_tool('s', 't', {get a() { throw new Error('no') }}) | args",
        "call_tool('s', 't', new Map()) | args",
        "call_tool('s', 't', {a: 'x'.repeat(300 * 1024)}) | args",
        "call_tool('s', 't', {a: 'é'.repeat(140 * 1024)}) | args",
        "call_tool('s', 't', JSON.parse('{\"a\":'.repeat(10000) + '1' + '}'.repeat(10000))) | args",
        "call_tool('s', 't', JSON.parse('{\"a\":'.repeat(64) + '{}' + '}'.repeat(64))) | args",
        "const a = {}; a.a = a; call_tool('s', 't', a) | args",
      })
  void aMalformedCallIsAnOutcomeThatNamesTheParameter(String code, String member) throws Exception {
    String value = scripts.value(code);
    assertThat(value)
        .startsWith("{\"ok\":false,\"error\":{\"code\":\"INVALID_ARGS\",\"message\":\"")
        .contains("\"message\":\"" + (member.equals("args") ? "" : member))
        .contains(member)
        .endsWith("\"sent\":\"no\",\"member\":\"" + member + "\"}}");
    assertThat(sent).isEmpty();
  }

  @Test
  void theLargestArgumentsAreSent() throws Exception {
    scripts.value("call_tool('s', 't', {a: 'x'.repeat(262144 - 8)}).ok");
    assertThat(sent.getFirst().args()).hasSize(262144);
    scripts.value(
        "call_tool('s', 't', JSON.parse('{\"a\":'.repeat(63) + '{}' + '}'.repeat(63))).ok");
    assertThat(sent.getLast().args()).startsWith("{\"a\":{").hasSize(63 * 6 + 2);
  }

  @Test
  void anAwaitThatIsNotNeededChangesNothing() throws Exception {
    assertThat(scripts.value("const r = await call_tool('s', 't'); r.result.rows"))
        .isEqualTo("[1]");
    assertThat(scripts.value("(await call_tools([{server: 's', tool: 't'}])).length"))
        .isEqualTo("1");
    assertThat(scripts.value("(await Promise.all([call_tool('s', 't')])).map(r => r.ok)"))
        .isEqualTo("[true]");
    assertThat(sent).hasSize(3);
  }

  @Test
  void aBatchHasOneOutcomeForEachRequestInOrder() throws Exception {
    assertThat(
            scripts.value(
                "call_tools([{server: 'a', tool: 't', args: {n: 1}}, {server: 'b', tool: 'u'}])"
                    + ".map(r => r.ok)"))
        .isEqualTo("[true,true]");
    assertThat(sent)
        .containsExactly(new ToolRequest("a", "t", "{\"n\":1}"), new ToolRequest("b", "u", "{}"));
    assertThat(parallel).containsExactly(8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "undefined | 8",
        "{} | 8",
        "{max_parallel: undefined} | 8",
        "{max_parallel: 1} | 1",
        "{max_parallel: 16} | 16",
        "{max_parallel: 32} | 16"
      })
  void maxParallelIsLoweredToWhatTheRunMay(String options, int expected) throws Exception {
    scripts.value("call_tools([{server: 's', tool: 't'}], " + options + ").length");
    assertThat(parallel).containsExactly(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "null",
        "7",
        "'x'",
        "{max_parallel: 0}",
        "{max_parallel: 33}",
        "{max_parallel: 1.5}",
        "{max_parallel: '4'}",
        "{max_parallel: null}",
        "{max_parallel: NaN}",
        "{maxParallel: 4}",
        "{get max_parallel() { throw new Error('no') }}",
        "new Proxy({}, {ownKeys() { throw new Error('no') }})"
      })
  void malformedOptionsAreOneOutcomeThatNamesThem(String options) throws Exception {
    assertThat(scripts.value("call_tools([{server: 's', tool: 't'}], " + options + ")"))
        .contains("\"code\":\"INVALID_ARGS\"", "\"member\":\"max_parallel\"");
    assertThat(sent).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[OK, 7] | requests[1] must be an object | 1 |",
        "[OK, , OK] | requests[1] must be an object | 1 |",
        "[OK, null] | requests[1] must be an object | 1 |",
        "[OK, {tool: 't'}] | requests[1].server must be text | 1 | server",
        "[OK, {server: 's'}] | requests[1].tool must be text | 1 | tool",
        "[OK, {server: 's', tool: 't', args: 'x'}] | requests[1].args must be an object | 1 | args",
        "[{server: 's', tool: 't', args: {f() {}}}] | requests[0].args.f | 0 | args",
        "[OK, {server: 's', tool: 't', arguments: {}}] | unknown member arguments | 1 | arguments",
        "[{get server() { throw new Error('no') }}] | requests[0].server could not be | 0 | server",
        "[{server: 's', tool: 't', get args() { throw 1 }}] | requests[0].args could | 0 | args",
        "[OK, new Proxy({}, {get() { throw 1 }})] | requests[1].server could not | 1 | server",
        "Object.defineProperty([], 0, {get() { throw 1 }}) | requests[0] could not be | 0 |",
      })
  void aMalformedBatchIsOneOutcomeThatNamesIndexAndMember(
      String requests, String message, int index, String member) throws Exception {
    String value =
        scripts.value("const OK = {server: 's', tool: 't'}; call_tools(" + requests + ")");
    assertThat(value)
        .startsWith("{\"ok\":false,\"error\":{\"code\":\"INVALID_ARGS\"")
        .contains(message)
        .endsWith(
            "\"sent\":\"no\",\"index\":"
                + index
                + (member == null ? "" : ",\"member\":\"" + member + "\"")
                + "}}");
    assertThat(sent).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "undefined | must be an array",
        "{length: 1} | must be an array",
        "new Array(101).fill({server: 's', tool: 't'}) | has 101 entries, and the limit is 100",
        "new Proxy([], {get() { return 1.5 }}) | requests has no length",
        "Array.from({length: 5}, () => ({server: 's', tool: 't', args: {a: 'x'.repeat(250000)}}))"
            + " | The args of all requests take 1250040 bytes",
      })
  void aBatchThatIsTooLargeIsOneOutcome(String requests, String message) throws Exception {
    assertThat(scripts.value("call_tools(" + requests + ")"))
        .contains("INVALID_ARGS", message, "\"member\":\"requests\"");
    assertThat(sent).isEmpty();
  }

  @Test
  void anEmptyBatchSendsNothing() throws Exception {
    assertThat(scripts.value("call_tools([])")).isEqualTo("[]");
    assertThat(parallel).isEmpty();
  }

  @Test
  void aRunWithoutToolsIsDeniedEachCallAfterItsArgumentsWereChecked() throws Exception {
    TestScripts none = new TestScripts(this::answer, 0);
    assertThat(none.value("call_tool('s', 't')"))
        .startsWith("{\"ok\":false,\"error\":{\"code\":\"ACCESS_DENIED\"")
        .endsWith("\"sent\":\"no\"}}");
    assertThat(none.value("call_tools(Array(2).fill({server: 's', tool: 't'})).map(r => r.ok)"))
        .isEqualTo("[false,false]");
    assertThat(none.value("call_tool('s').error.code")).isEqualTo("\"INVALID_ARGS\"");
    assertThat(sent).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "try { call_tool('s', 't') } catch {} finally { console.log('on') } 'value'",
        "call_tools([{server: 's', tool: 't'}, {server: 's', tool: 't'}]); console.log('on')",
        "await Promise.resolve().then(() => call_tool('s', 't')).catch(() => 1); console.log('on')",
        "(async () => { try { await null; call_tool('s', 't') } catch {} console.log('on') })()",
        "new Proxy({}, {get: () => { for (;;) { try { call_tool('s', 't') } catch {} } }}).a",
        "Error.prepareStackTrace = () => { throw 1 }; call_tool('s', 't'); console.log('on')",
        "Object.prototype.error = 1; call_tool('s', 't'); console.log('on')",
        "JSON.parse = () => ({ok: true}); call_tool('s', 't'); console.log('on')",
      })
  void anOutcomeThatEndsTheRunCannotBeCaught(String code) {
    outcome = LAST;
    JobFailure failure = scripts.failure(code);
    assertThat(failure.code()).isEqualTo(ErrorCode.MAX_TOOL_CALLS_EXCEEDED);
    assertThat(failure.message()).isEqualTo("over");
    assertThat(scripts.output()).isEmpty();
  }

  @Test
  void aScriptWithoutStackForItsEndDoesNothingMore() {
    outcome = LAST;
    String code =
        """
        function deep() { try { deep() } catch { call_tool('s', 't') } }
        try { deep() } catch { }
        console.log('on');
        'value'
        """;
    JobFailure failure = scripts.failure(code);
    assertThat(failure.code()).isEqualTo(ErrorCode.MAX_TOOL_CALLS_EXCEEDED);
    assertThat(scripts.output()).isEmpty();
    assertThat(sent.size()).isLessThanOrEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"ok\":true,\"result\":\"terminate\"}",
        "{\"ok\":true,\"result\":{\"terminate\":true}}",
        "{\"ok\":false,\"terminate\":false,\"error\":{\"code\":\"X\"}}",
      })
  void onlyAMemberOfTheOutcomeItselfEndsTheRun(String text) throws Exception {
    outcome = text;
    assertThat(scripts.value("typeof call_tool('s', 't').ok")).isEqualTo("\"boolean\"");
  }

  @Test
  void theEndOfTheRunHasThePlaceOfTheCall() {
    outcome = LAST;
    JobFailure failure =
        scripts.failure("let a = 1;\nfunction f() {\n  call_tool('s', 't')\n}\nf()");
    assertThat(failure.place()).isEqualTo(new JobFailure.Place(3, 3, ""));
    assertThat(failure.traceback()).doesNotContain("prelude").contains("at f (script:3:3)");
  }

  @Test
  void aConnectionThatIsLostEndsTheScript() {
    outcome = "";
    JobFailure failure = scripts.failure("try { call_tool('s', 't') } catch {} 1");
    assertThat(failure.code()).isEqualTo(ErrorCode.RUNTIME_ERROR);
    assertThat(failure.message()).contains("the connection is closed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "[]", "null", "{}", "{\"ok\""})
  void anOutcomeThatCannotBeReadIsUnknown(String text) throws Exception {
    outcome = text;
    assertThat(scripts.value("const r = call_tool('s', 't'); [r.ok, r.error.code, r.error.sent]"))
        .isEqualTo("[false,\"OUTCOME_UNKNOWN\",\"unknown\"]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "call_tool = () => 'forged'",
        "JSON.stringify = () => 'forged'; JSON.parse = () => 'forged'",
        "Object.prototype.toJSON = undefined; Object.prototype.raw = Object.prototype.result = 1",
        "Object.defineProperty(Object.prototype, '0', {set() { throw new Error('set') }})",
        "for (const name of ['server', 'tool', 'args', 'text', 'problem', 'ok', 'error', 'value'])"
            + " Object.defineProperty(Object.prototype, name, {set() { throw 1 }, get() { throw 1"
            + " }, configurable: true})",
        "Object.prototype.enumerable = Object.prototype.get = true",
        "Array.prototype[Symbol.iterator] = () => { throw new Error('iterator') }",
        "Function.prototype.call = Function.prototype.apply = () => { throw new Error('call') }",
        "Reflect.apply = Object.hasOwn = Object.keys = Array.isArray = () => { throw 1 }",
        "String.prototype.isWellFormed = String.prototype.charCodeAt = () => { throw 1 }",
        "Error = null; String = null; Object = null; Array = null; JSON = null; Reflect = null",
      })
  void whatIsReplacedChangesNoCall(String hostile) throws Exception {
    String code =
        "const one = call_tool, many = call_tools;\n"
            + hostile
            + ";\none('s', 't', {a: [1]}); many([{server: 's', tool: 't', args: {a: [1]}}]).length";
    assertThat(scripts.value(code)).isEqualTo("1");
    ToolRequest request = new ToolRequest("s", "t", "{\"a\":[1]}");
    assertThat(sent).containsExactly(request, request);
  }

  @Test
  void argumentsThatCallToolsThemselvesAreOneCallAfterTheOther() throws Exception {
    String code =
        "call_tool('outer', 't', {get a() { return call_tool('inner', 't').result.rows[0] }})";
    assertThat(scripts.value(code)).contains("\"ok\":true");
    assertThat(sent)
        .containsExactly(
            new ToolRequest("inner", "t", "{}"), new ToolRequest("outer", "t", "{\"a\":1}"));
  }
}
