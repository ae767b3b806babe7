package dev.assay.operator.tool;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.api.v1alpha1.RunTools.ToolGrants;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.operator.Samples;
import dev.assay.operator.runner.RunnerEvent.Batch;
import dev.assay.operator.runner.RunnerEvent.ToolCall;
import dev.assay.operator.tool.CallPolicy.Allowed;
import dev.assay.operator.tool.CallPolicy.Decision;
import dev.assay.operator.tool.CallPolicy.Refused;
import dev.assay.operator.tool.CallPolicy.Undecided;
import dev.assay.operator.tool.CallPolicy.Usage;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallPolicyTest {
  private static final Usage NONE = new Usage(0, 0, Optional.empty());
  private static final AnalyticsRunSpec SCRIPT =
      Samples.spec("1", null, null, null).withLanguage(Language.JAVASCRIPT);
  private static final RunClassSpec CLASS = Samples.classSpec(Purpose.Run);

  @Test
  void aScriptMayCallEveryServerOfItsNamespaceWhereNobodySaysOtherwise() {
    assertThat(decide(policy(null, null), call(1, "crm", "{}"))).isEqualTo(new Allowed());
  }

  @Test
  void anEmptyListOfAllowedServersMeansAllAndAnEmptyGrantNone() {
    assertThat(decide(policy(tools(List.of(), null, null), null), call(1, "crm", "{}")))
        .isEqualTo(new Allowed());
    assertThat(code(policy(tools(null, null, List.of()), null), "crm"))
        .isEqualTo(CallCode.ACCESS_DENIED);
    assertThat(code(policy(null, classTools(List.of())), "crm")).isEqualTo(CallCode.ACCESS_DENIED);
  }

  @Test
  void aServerOutsideTheRunsOwnListIsNamedBeforeOneThatIsDenied() {
    RunToolPolicy policy = policy(tools(List.of("crm"), null, List.of("erp")), null);
    assertThat(code(policy, "erp")).isEqualTo(CallCode.SERVER_NOT_ALLOWED);
    assertThat(code(policy, "crm")).isEqualTo(CallCode.ACCESS_DENIED);
  }

  @Test
  void aStarInAListMeansAll() {
    assertThat(
            decide(
                policy(tools(List.of("*"), null, List.of("*")), classTools(List.of("*"))),
                call(1, "any", "{}")))
        .isEqualTo(new Allowed());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "\"{}\"", "1", "null", "{} {}", "{", "{\"a\":}", "{\"a\":NaN}"})
  void argumentsThatAreNoObjectAreInvalidBeforeAnythingElse(String args) {
    RunToolPolicy policy = policy(tools(List.of("other"), 1, List.of()), null);
    assertThat(
            refused(
                    CallPolicy.decide(
                        call(1, "crm", args), policy, new Usage(1, 0, Optional.empty())))
                .code())
        .isEqualTo(CallCode.INVALID_ARGS);
  }

  @Test
  void argumentsAreInvalidThatAreNestedTooDeepOrNoUtf8() {
    String deep = "{\"a\":" + "[".repeat(64) + "]".repeat(64) + "}";
    assertThat(CallArguments.problem(deep.getBytes(UTF_8))).isPresent();
    assertThat(CallArguments.problem(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'}))
        .isPresent();
    assertThat(CallArguments.problem("{\"a\":\"\uFFFD\"}".getBytes(UTF_8))).isEmpty();
    assertThat(CallArguments.problem("{}".getBytes(UTF_16))).isPresent();
  }

  @Test
  void theFirstExcessIsAnEnvelopeAndTheSecondEndsTheCode() {
    RunToolPolicy policy = policy(tools(null, 2, null), null);
    Refused first =
        refused(CallPolicy.decide(call(3, "crm", "{}"), policy, new Usage(2, 0, Optional.empty())));
    assertThat(first.code()).isEqualTo(CallCode.MAX_TOOL_CALLS_EXCEEDED);
    assertThat(first.terminate()).isFalse();
    Refused second =
        refused(CallPolicy.decide(call(4, "crm", "{}"), policy, new Usage(2, 0, Optional.of(3))));
    assertThat(second.terminate()).isTrue();
  }

  @Test
  void theExcessOfABatchIsOne() {
    RunToolPolicy policy = policy(tools(null, 2, null), null);
    ToolCall inBatch = new ToolCall(9, 5, new Batch(3, 4, 8), "crm", "find", "{}".getBytes(UTF_8));
    assertThat(
            refused(CallPolicy.decide(inBatch, policy, new Usage(2, 0, Optional.of(3))))
                .terminate())
        .isFalse();
  }

  @Test
  void callsInFlightMayLeaveRoomInTheBudget() {
    RunToolPolicy policy = policy(tools(null, 2, null), null);
    assertThat(CallPolicy.decide(call(3, "crm", "{}"), policy, new Usage(1, 1, Optional.empty())))
        .isEqualTo(new Undecided());
    assertThat(CallPolicy.decide(call(3, "crm", "{}"), policy, new Usage(0, 1, Optional.empty())))
        .isEqualTo(new Allowed());
  }

  @Test
  void noBudgetMeansThatOfTheClassWhichCountsRefusedCallsAndEndsTheCodeAtOnce() {
    RunToolPolicy policy = policy(tools(null, 0, null), new ClassTools(null, null, 3, null));
    assertThat(CallPolicy.decide(call(3, "crm", "{}"), policy, NONE)).isEqualTo(new Allowed());
    Refused over = refused(CallPolicy.decide(call(4, "crm", "[]"), policy, NONE));
    assertThat(over.code()).isEqualTo(CallCode.MAX_TOOL_CALLS_EXCEEDED);
    assertThat(over.terminate()).isTrue();
  }

  @Test
  void permissionsAreThoseThatKeyAndClassBothGrant() {
    ClassTools reading =
        new ClassTools(null, List.of(ToolPermission.READ, ToolPermission.WRITE), null, null);
    assertThat(policy(null, null).permissions()).isNull();
    assertThat(policy(null, reading).permissions())
        .containsExactly(ToolPermission.READ, ToolPermission.WRITE);
    RunTools granted =
        new RunTools(
            null,
            null,
            null,
            new ToolGrants(null, List.of(ToolPermission.DESTRUCTIVE, ToolPermission.READ)));
    assertThat(policy(granted, reading).permissions()).containsExactly(ToolPermission.READ);
  }

  @Test
  void aPermissionOfANewerVersionGrantsNothing() {
    RunTools granted =
        new RunTools(
            null,
            null,
            null,
            new ToolGrants(null, List.of(ToolPermission.READ, ToolPermission.UNKNOWN)));
    assertThat(policy(granted, null).permissions()).containsExactly(ToolPermission.READ);
  }

  @Test
  void pythonHasToolsOnlyWhereItsClassNamesServers() {
    AnalyticsRunSpec python = Samples.spec("1", null, null, null).withTools(tools(null, 5, null));
    assertThat(RunToolPolicy.refusal(python, CLASS, "python"))
        .contains(
            "spec.tools requires a class that offers tools to python: class 'python' has no"
                + " tools.servers");
    assertThat(RunToolPolicy.refusal(python.withTools(null), CLASS, "python")).isEmpty();
    assertThat(
            RunToolPolicy.refusal(
                python.withTools(tools(null, null, List.of("crm"))), CLASS, "python"))
        .as("what a key grants asks for nothing")
        .isEmpty();
    RunClassSpec offering = CLASS.with().tools(classTools(List.of("crm"))).build();
    assertThat(RunToolPolicy.refusal(python, offering, "python")).isEmpty();
    assertThat(CLASS.offersToolsTo(Language.PYTHON)).isFalse();
    assertThat(CLASS.offersToolsTo(Language.TYPESCRIPT)).isTrue();
    assertThat(offering.offersToolsTo(Language.SQL)).isFalse();
  }

  @Test
  void theOutcomeOfACallHasRoomForItsResultTwiceWithinWhatARunnerTakes() {
    assertThat(policy(null, new ClassTools(null, null, null, 1024)).outcomeBytes())
        .isEqualTo(64 * 1024);
    assertThat(policy(null, null).outcomeBytes()).isEqualTo(3 << 20);
    assertThat(policy(null, new ClassTools(null, null, null, 8 << 20)).outcomeBytes())
        .isEqualTo(8 << 20);
  }

  private static RunTools tools(
      @Nullable List<String> allowed, @Nullable Integer maxCalls, @Nullable List<String> granted) {
    return new RunTools(
        allowed, maxCalls, null, granted == null ? null : new ToolGrants(granted, null));
  }

  private static ClassTools classTools(List<String> servers) {
    return new ClassTools(servers, null, null, null);
  }

  private static RunToolPolicy policy(@Nullable RunTools tools, @Nullable ClassTools classTools) {
    return RunToolPolicy.of(SCRIPT.withTools(tools), CLASS.with().tools(classTools).build());
  }

  private static ToolCall call(int number, String server, String args) {
    return new ToolCall(number, number, null, server, "find", args.getBytes(UTF_8));
  }

  private static Decision decide(RunToolPolicy policy, ToolCall call) {
    return CallPolicy.decide(call, policy, NONE);
  }

  private static Refused refused(Decision decision) {
    return (Refused) decision;
  }

  private static CallCode code(RunToolPolicy policy, String server) {
    return refused(decide(policy, call(1, server, "{}"))).code();
  }
}
