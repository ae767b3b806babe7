package dev.assay.gateway.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.api.v1alpha1.ToolServerSpec.ToolRules;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import dev.assay.gateway.definition.InvalidListException;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.definition.ToolDefinition;
import dev.assay.gateway.definition.ToolList;
import dev.assay.gateway.upstream.Servers;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerPolicyTest {
  private static final ToolServerSpec SPEC =
      new ToolServerSpec(
          "https://tools.example.com/mcp",
          Protocol.StreamableHttp,
          true,
          false,
          null,
          null,
          null,
          Approval.Baseline,
          null,
          Session.Shared,
          null,
          null);

  private static final ToolDefinition WRITE =
      tool("{\"name\": \"put_it\", \"annotations\": {\"destructiveHint\": false}}");

  private static ToolDefinition tool(String json) {
    try {
      return ToolDefinition.read(Json.MAPPER.readTree(json), ToolRules.ALL, Set.of());
    } catch (InvalidListException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static Optional<CallCode> server(@Nullable ToolServerSpec spec) {
    return ServerPolicy.ofServer("s", Optional.ofNullable(spec)).map(Refusal::code);
  }

  private static Optional<CallCode> call(
      ToolServerSpec spec,
      String tool,
      @Nullable String approved,
      @Nullable List<ToolPermission> permissions)
      throws InvalidListException {
    return ServerPolicy.ofTool(
            "s",
            spec,
            ToolList.of(List.of(WRITE), ToolRules.ALL),
            tool,
            approved,
            permissions,
            any -> true)
        .map(Refusal::code);
  }

  @Test
  void aServerThatAsksForWhatOnlyANewerVersionHasCannotBeCalled() {
    assertThat(server(SPEC.withApproval(Approval.Unknown))).contains(CallCode.SERVER_DISABLED);
    assertThat(server(SPEC.withProtocol(Protocol.Unknown))).contains(CallCode.SERVER_DISABLED);
    assertThat(server(SPEC.withSession(Session.Unknown))).contains(CallCode.SERVER_DISABLED);
  }

  @Test
  void aServerHasToExistToBeEnabledAndNotToBeInQuarantineInThisOrder() {
    assertThat(server(null)).contains(CallCode.SERVER_NOT_FOUND);
    assertThat(server(SPEC.withEnabled(false).withQuarantined(true)))
        .contains(CallCode.SERVER_DISABLED);
    assertThat(server(SPEC.withQuarantined(true))).contains(CallCode.SERVER_QUARANTINED);
    assertThat(server(SPEC)).isEmpty();
    assertThat(server(SPEC.withEnabled(null).withQuarantined(null))).isEmpty();
  }

  @Test
  void aToolHasToExistToBeApprovedAndToBePermittedInThisOrder() throws Exception {
    assertThat(call(SPEC, "x", null, List.of())).contains(CallCode.TOOL_NOT_FOUND);
    assertThat(call(SPEC, "put_it", null, List.of())).contains(CallCode.TOOL_NOT_APPROVED);
    assertThat(call(SPEC, "put_it", "another", List.of())).contains(CallCode.TOOL_NOT_APPROVED);
    assertThat(call(SPEC, "put_it", WRITE.digest(), List.of(ToolPermission.READ)))
        .contains(CallCode.PERMISSION_DENIED);
    assertThat(call(SPEC, "put_it", WRITE.digest(), List.of(ToolPermission.WRITE))).isEmpty();
    assertThat(call(SPEC, "put_it", WRITE.digest(), null)).isEmpty();
  }

  @Test
  void withoutApprovalAnyDefinitionWillDo() throws Exception {
    ToolServerSpec open = SPEC.withApproval(Approval.None);
    assertThat(call(open, "put_it", null, null)).isEmpty();
    assertThat(call(open, "put_it", null, List.of(ToolPermission.READ)))
        .contains(CallCode.PERMISSION_DENIED);
    assertThat(call(SPEC.withApproval(Approval.Pinned), "put_it", null, null))
        .contains(CallCode.TOOL_NOT_APPROVED);
  }

  @Test
  void anUnknownToolIsAnsweredWithNearNames() throws Exception {
    assertThat(
            ServerPolicy.ofTool(
                "s",
                SPEC,
                ToolList.of(List.of(WRITE), ToolRules.ALL),
                "putit",
                null,
                null,
                any -> true))
        .map(Refusal::message)
        .contains("Tool server s has no tool putit. Similar names: put_it.");
  }

  @Test
  void aNameThatNobodyApprovedIsNotTold() throws Exception {
    ToolList tools = ToolList.of(List.of(WRITE), ToolRules.ALL);
    ToolServer server = Servers.of(SPEC.withApproval(Approval.Baseline));
    assertThat(
            ServerPolicy.ofTool(
                "s", SPEC, tools, "putit", null, null, tool -> Approvals.has(server, tool)))
        .map(Refusal::message)
        .contains("Tool server s has no tool putit.");
    server.setStatus(
        ToolServerStatus.EMPTY.withTools(
            List.of(
                new ToolState("put_it", WRITE.digest(), WRITE.digest(), null, null, null, null))));
    assertThat(Approvals.has(server, WRITE)).isTrue();
    server.setStatus(
        ToolServerStatus.EMPTY.withTools(
            List.of(new ToolState("put_it", WRITE.digest(), "other", null, null, null, null))));
    assertThat(Approvals.has(server, WRITE)).isFalse();
    assertThat(tools.near("put_it".repeat(20), tool -> true)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'api.example.com', 'team', ''",
    "'other.com, API.example.com', 'a,team', ''",
    "'api.example.com:443', '*', ''",
    "'api.example.com:8443', 'team', 'does not name api.example.com'",
    "'http://api.example.com:443', 'team', 'does not name api.example.com'",
    "'example.com', 'team', 'does not name api.example.com'",
    "'*', 'team', 'does not name api.example.com'",
    "'', 'team', 'does not name api.example.com'",
    "'api.example.com', 'other', 'does not name team'",
    "'api.example.com', '', 'does not name team'"
  })
  void aSecretGoesOnlyWhereItsAnnotationsSay(String hosts, String namespaces, String why) {
    Optional<String> refusal =
        CredentialBinding.refusal(
            "key",
            Map.of("assay.dev/hosts", hosts, "assay.dev/namespaces", namespaces),
            "team",
            URI.create("https://api.example.com/mcp"));
    assertThat(refusal.orElse("")).contains(why).matches(text -> text.isEmpty() == why.isEmpty());
  }

  @ParameterizedTest
  @CsvSource({
    "'api.example.com', /mcp, 'not name http://api.example.com:80, which a URL with http needs'",
    "'api.example.com:80', /mcp, 'does not name http://api.example.com:80'",
    "'http://api.example.com:8080', /mcp, 'does not name http://api.example.com:80'",
    "'http://api.example.com:80', :443/mcp, 'does not name http://api.example.com:443'",
    "'api.example.com:443', :443/mcp, 'does not name http://api.example.com:443'",
    "'other.com, HTTP://api.example.com:80', /mcp, ''",
    "'http://api.example.com:443', :443/mcp, ''"
  })
  void withoutTlsASecretGoesOnlyWhereThatIsSaid(String hosts, String target, String why) {
    Optional<String> refusal =
        CredentialBinding.refusal(
            "key",
            Map.of("assay.dev/hosts", hosts, "assay.dev/namespaces", "*"),
            "team",
            URI.create("http://api.example.com" + target));
    assertThat(refusal.orElse("")).contains(why).matches(text -> text.isEmpty() == why.isEmpty());
  }

  @Test
  void aSecretWithoutAnnotationsGoesNowhere() {
    assertThat(
            CredentialBinding.refusal(
                "key", null, "team", URI.create("https://api.example.com/mcp")))
        .isPresent();
  }
}
