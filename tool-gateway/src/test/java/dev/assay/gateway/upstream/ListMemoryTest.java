package dev.assay.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.ToolServerSpec.ToolRules;
import dev.assay.gateway.definition.InvalidListException;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.definition.ToolDefinition;
import dev.assay.gateway.definition.ToolList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ListMemoryTest {
  /** A list of this length takes about 22,000 bytes: nearly a quarter. */
  private static final int LENGTH = 10_000;

  private final ListMemory memory = new ListMemory(100_000);

  private static ToolListing listing(String letter, int length) {
    return listingOf(
        "{\"name\": \"a\", \"description\": \"%s\", \"inputSchema\": {\"type\": \"object\"}}"
            .formatted(letter.repeat(length)));
  }

  private static ToolListing listingOf(String tool) {
    try {
      ToolDefinition definition =
          ToolDefinition.read(Json.MAPPER.readTree(tool), ToolRules.ALL, Set.of());
      return new ToolListing("server", "1", ToolList.of(List.of(definition), ToolRules.ALL));
    } catch (InvalidListException e) {
      throw new AssertionError(e);
    }
  }

  private static ToolListing listing(String letter) {
    return listing(letter, LENGTH);
  }

  @Test
  void equalListsAreKeptOnceAndUntilTheLastIsReleased() throws Exception {
    ListMemory.Part part = memory.part("team");
    ToolListing first = part.keep(listing("x")).orElseThrow();
    for (int i = 0; i < 100; i++) {
      assertThat(part.keep(listing("x")).orElseThrow()).isSameAs(first);
    }
    for (int i = 0; i < 100; i++) {
      part.release(first);
    }
    assertThat(part.keep(listing("y"))).isEmpty();
    part.release(first);
    assertThat(part.keep(listing("y"))).isPresent();
  }

  @Test
  void listsThatDifferInAnnotationsOnlyAreNotTheSame() throws Exception {
    ListMemory.Part part = memory.part("team");
    String tool = "{\"name\": \"a\", \"annotations\": {\"openWorldHint\": %s}}";
    ToolListing open = part.keep(listingOf(tool.formatted("true"))).orElseThrow();
    ToolListing closed = part.keep(listingOf(tool.formatted("false"))).orElseThrow();
    assertThat(closed.tools().find("a").orElseThrow().dealsWithOpenWorld()).isFalse();
    assertThat(open.tools().find("a").orElseThrow().dealsWithOpenWorld()).isTrue();
  }

  @Test
  void oneServerTakesAQuarterANamespaceHalfAndAllTogetherAll() throws Exception {
    ListMemory.Part first = memory.part("team");
    ToolListing kept = first.keep(listing("x")).orElseThrow();
    assertThat(first.keep(listing("y"))).as("another of the server").isEmpty();
    assertThat(memory.part("team").keep(listing("x"))).isPresent();
    assertThat(memory.part("team").keep(listing("x"))).as("a third of the namespace").isEmpty();
    assertThat(memory.part("other").keep(listing("x"))).isPresent();
    assertThat(memory.part("third").keep(listing("x"))).isPresent();
    assertThat(memory.part("fourth").keep(listing("x"))).as("a fifth").isEmpty();
    first.release(kept);
    assertThat(memory.part("fourth").keep(listing("x"))).isPresent();
  }

  @Test
  void aListThatIsLongerThanTheQuarterIsTheOnlyOneOfItsServer() throws Exception {
    ListMemory.Part part = memory.part("team");
    ToolListing longer = listing("x", 2 * LENGTH);
    assertThat(part.keep(longer)).contains(longer);
    assertThat(part.keep(listing("y"))).isEmpty();
    part.release(longer);
    assertThat(part.keep(listing("y"))).isPresent();
  }

  @Test
  void aListThatIsLongerThanThoseOfANamespaceMayBeIsRefusedWithTheLimit() throws Exception {
    assertThatThrownBy(() -> memory.part("team").keep(listing("x", 3 * LENGTH)))
        .isInstanceOf(InvalidListException.class)
        .hasMessageContaining("a namespace may take 48 KiB")
        .hasMessageContaining("toolGateway.resources");
  }

  @Test
  void twoListsOfOneNamespaceLeaveMemoryToOthersHoweverLongTheyAre() throws Exception {
    assertThat(memory.part("hostile").keep(listing("x", 2 * LENGTH))).isPresent();
    assertThat(memory.part("hostile").keep(listing("y", 2 * LENGTH))).isEmpty();
    assertThat(memory.part("honest").keep(listing("x", 2 * LENGTH))).isPresent();
  }
}
