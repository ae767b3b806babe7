package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemberPatchTest {
  private static final String VERSION =
      "{\"op\":\"replace\",\"path\":\"/metadata/resourceVersion\",\"value\":\"7\"}";

  @Test
  void aPartThatWasNotThereIsAddedWhole() {
    assertThat(deep(null, Map.of("a", 1)))
        .hasToString("[" + VERSION + ",{\"op\":\"add\",\"path\":\"/s\",\"value\":{\"a\":1}}]");
  }

  @Test
  void membersThatDoNotChangeAreInNoPatch() {
    assertThat(deep(Map.of("a", List.of(Map.of("b", 1))), Map.of("a", List.of(Map.of("b", 1)))))
        .hasToString("[" + VERSION + "]");
  }

  @Test
  void nestedMembersAreAddedChangedAndRemovedEachByItself() {
    assertThat(operations(deep(Map.of("a", Map.of("b", 1)), Map.of("a", Map.of("b", 2)))))
        .containsExactly("add /s/a/b 2");
    assertThat(operations(deep(Map.of("a", Map.of("b/~", 1)), Map.of("a", Map.of("c", 2)))))
        .containsExactly("remove /s/a/b~1~0 ", "add /s/a/c 2");
  }

  @Test
  void anElementOfTheSameNameIsChangedAndAnotherOneReplaced() {
    assertThat(
            operations(
                deep(
                    List.of(Map.of("type", "A", "x", 1), Map.of("type", "B")),
                    List.of(Map.of("type", "A", "x", 2), Map.of("type", "C")))))
        .containsExactly("add /s/0/x 2", "replace /s/1 {\"type\":\"C\"}");
  }

  @Test
  void listsGrowAndShrinkAtTheirEnds() {
    assertThat(operations(deep(List.of(1), List.of(1, 2, 3))))
        .containsExactly("add /s/- 2", "add /s/- 3");
    assertThat(operations(deep(List.of(1, 2, 3), List.of(1))))
        .containsExactly("remove /s/2 ", "remove /s/1 ");
  }

  @Test
  void aShallowPatchHasWholeMembers() {
    assertThat(
            operations(
                MemberPatch.shallow(
                    "7", "/s", Map.of("a", Map.of("b", 1)), Map.of("a", Map.of("b", 1, "c", 2)))))
        .singleElement()
        .asString()
        .startsWith("add /s/a {");
  }

  private static ArrayNode deep(Object before, Object after) {
    return MemberPatch.deep("7", "/s", before, after);
  }

  private static List<String> operations(ArrayNode patch) {
    return patch
        .valueStream()
        .skip(1)
        .map(
            operation ->
                operation.path("op").asText()
                    + " "
                    + operation.path("path").asText()
                    + " "
                    + (operation.has("value") ? operation.get("value").toString() : ""))
        .toList();
  }
}
