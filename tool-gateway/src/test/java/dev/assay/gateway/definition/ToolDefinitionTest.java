package dev.assay.gateway.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.api.v1alpha1.ToolServerSpec.ToolRules;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolDefinitionTest {
  private static ToolDefinition read(String json) throws InvalidListException {
    return read(json, ToolRules.ALL);
  }

  private static ToolDefinition read(String json, ToolRules rules) throws InvalidListException {
    return ToolDefinition.read(Json.MAPPER.readTree(json), rules, Set.of());
  }

  private static final String TOOL =
      """
      {"name": "a", "description": "d", "inputSchema": {"type": "object", "x": 1.0}}\
      """;

  @Test
  void theDigestDoesNotDependOnTheOrderOfMembers() throws Exception {
    assertThat(
            read("{\"inputSchema\": {\"x\": 1.0, \"type\": \"object\"}, \"description\": \"d\","
                    + " \"name\": \"a\", \"title\": \"T\"}")
                .digest())
        .isEqualTo(read(TOOL).digest())
        .matches("[0-9a-f]{64}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "\"d\";\"e\"",
        "\"d\";\"d\u200b\"",
        "1.0;1.1",
        "\"a\";\"b\"",
        "\"type\": \"object\";\"type\": \"string\"",
        "\"inputSchema\";\"annotations\": {\"readOnlyHint\": true}, \"inputSchema\"",
        "\"inputSchema\";\"outputSchema\": {}, \"inputSchema\""
      })
  void theDigestChangesWithNameDescriptionSchemasAndTier(String from, String to) throws Exception {
    assertThat(read(TOOL.replace(from, to)).digest()).isNotEqualTo(read(TOOL).digest());
  }

  @Test
  void hintsThatAreNoTierChangeNoDigest() throws Exception {
    assertThat(
            read(TOOL.replace(
                    "\"inputSchema\"", "\"annotations\": {\"title\": \"x\"}, \"inputSchema\""))
                .digest())
        .isEqualTo(read(TOOL).digest());
  }

  @Test
  void invisibleCharactersAreRemovedFromAllTexts() throws Exception {
    ToolDefinition tool =
        read(
            "{\"name\": \"a\", \"description\": \"one\\u0000\\u202etwo\\nthree\","
                + " \"inputSchema\": {\"description\": \"\\u200bx\", \"p\\u0007\": 1}}");
    assertThat(tool.description()).isEqualTo("onetwo\nthree");
    assertThat(tool.inputSchema().toString()).isEqualTo("{\"description\":\"x\",\"p\":1}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{};DESTRUCTIVE",
        "{\"readOnlyHint\": false};DESTRUCTIVE",
        "{\"readOnlyHint\": true};READ",
        "{\"readOnlyHint\": true, \"destructiveHint\": true};READ",
        "{\"destructiveHint\": true};DESTRUCTIVE",
        "{\"destructiveHint\": false};WRITE",
        "{\"readOnlyHint\": \"yes\"};DESTRUCTIVE",
        "{\"destructiveHint\": \"false\"};DESTRUCTIVE"
      })
  void thePermissionFollowsFromHints(String annotations, ToolPermission permission) {
    assertThat(ToolDefinition.permission("a", Json.MAPPER.readTree(annotations), ToolRules.ALL))
        .isEqualTo(permission);
  }

  /** It was write, and its approval was of that. */
  @Test
  void anApprovalThatAToolWithoutHintsHadWhenItWasTakenForOneThatWritesHolds() throws Exception {
    String approved = read(TOOL, ruled(ToolPermission.WRITE)).digest();
    ToolDefinition tool =
        ToolDefinition.read(Json.MAPPER.readTree(TOOL), ToolRules.ALL, Set.of(approved));
    assertThat(tool.digest()).isEqualTo(approved);
    assertThat(tool.permission()).isEqualTo("destructive");
    assertThat(read(TOOL).digest()).isNotEqualTo(approved);
  }

  /** A server that takes such a hint back, and a team that says something else, change a tool. */
  @Test
  void noOtherPermissionHasThatApproval() throws Exception {
    String approved = read(TOOL, ruled(ToolPermission.WRITE)).digest();
    assertThat(
            ToolDefinition.read(
                    Json.MAPPER.readTree(TOOL), ruled(ToolPermission.DESTRUCTIVE), Set.of(approved))
                .digest())
        .isNotEqualTo(approved);
    for (String hint : List.of("\"destructiveHint\": true", "\"readOnlyHint\": true")) {
      assertThat(
              ToolDefinition.read(
                      Json.MAPPER.readTree(
                          TOOL.replace(
                              "\"inputSchema\"",
                              "\"annotations\": {" + hint + "}, \"inputSchema\"")),
                      ToolRules.ALL,
                      Set.of(approved))
                  .digest())
          .as(hint)
          .isNotEqualTo(approved);
    }
  }

  /** Else a server could make a tool that was approved as destructive one that writes. */
  @Test
  void aToolWithoutHintsHasAnotherDigestThanOneThatDestroysNothing() throws Exception {
    assertThat(
            read(TOOL.replace(
                    "\"inputSchema\"",
                    "\"annotations\": {\"destructiveHint\": false}, \"inputSchema\""))
                .digest())
        .isNotEqualTo(read(TOOL).digest());
  }

  private static ToolRules ruled(ToolPermission permission) {
    return new ToolRules(null, null, Map.of("a", permission));
  }

  @Test
  void theSpecOverridesHintsByNameAndThenByTheHighestPattern() {
    ToolRules rules =
        new ToolRules(
            null,
            null,
            Map.of(
                "get_*", ToolPermission.READ,
                "*_all", ToolPermission.DESTRUCTIVE,
                "get_all", ToolPermission.WRITE));
    var none = Json.MAPPER.createObjectNode();
    assertThat(ToolDefinition.permission("get_one", none, rules)).isEqualTo(ToolPermission.READ);
    assertThat(ToolDefinition.permission("get_all", none, rules)).isEqualTo(ToolPermission.WRITE);
    assertThat(ToolDefinition.permission("get_x_all", none, rules))
        .isEqualTo(ToolPermission.DESTRUCTIVE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"name\": \"a b\"};name",
        "{\"name\": \"\"};name",
        "{};name",
        "{\"name\": \"a\", \"description\": 1};description of a tool",
        "{\"name\": \"a\", \"inputSchema\": []};inputSchema of a tool",
        "{\"name\": \"a\", \"outputSchema\": \"x\"};outputSchema of a tool"
      })
  void whatIsNoDefinitionIsRefusedByTheNameOfItsMember(String json, String part) {
    assertThatThrownBy(() -> read(json))
        .isInstanceOf(InvalidListException.class)
        .hasMessageContaining(part);
  }

  @ParameterizedTest
  @CsvSource({
    "a, a, true", "a*, abc, true", "*c, abc, true", "a*c*e, abcde, true", "*, '', true",
    "a, ab, false", "a*d, abc, false", "a.c, abc, false", "'', a, false", "**a, bca, true"
  })
  void anAsteriskStandsForAnyCharacters(String pattern, String name, boolean matches) {
    assertThat(ToolPattern.matches(pattern, name)).isEqualTo(matches);
  }

  @Test
  void aListHidesWhatTheRulesDoNotAllowAndKnowsNearNames() throws Exception {
    ToolRules rules = new ToolRules(List.of("get_*", "put"), List.of("get_secret"), null);
    ToolList list =
        ToolList.of(
            List.of(
                read("{\"name\": \"get_user\"}"),
                read("{\"name\": \"get_secret\"}"),
                read("{\"name\": \"drop\"}"),
                read("{\"name\": \"put\"}")),
            rules);
    assertThat(list.all()).extracting(ToolDefinition::name).containsExactly("get_user", "put");
    assertThat(list.near("getUser", any -> true)).containsExactly("get_user");
    assertThat(list.near("get_secret", any -> true)).doesNotContain("get_secret");
    assertThat(list.near("something_else", any -> true)).isEmpty();
  }

  @Test
  void twoToolsOfOneNameAreRefused() throws Exception {
    ToolDefinition tool = read(TOOL);
    assertThatThrownBy(() -> ToolList.of(List.of(tool, tool), ToolRules.ALL))
        .hasMessage("two tools have the same name");
  }
}
