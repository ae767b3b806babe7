package dev.assay.frontend.mcp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.MethodKind;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.call.UnlistedContent;
import dev.assay.frontend.tool.ToolDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class CallResultsTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  private record Answer(int value) {}

  private record Unlisted(int value) implements UnlistedContent {}

  @Test
  void blocksAreWrittenInTheirOrderAndFilesAreForProgramsOnly() {
    Reply reply =
        new Reply(
            List.of(
                new ContentBlock.Text("42"),
                new ContentBlock.Image("PNG".getBytes(US_ASCII), ContentBlock.Image.Format.PNG),
                new ContentBlock.ResourceLink(
                    "assay://runs/run-a/artifacts/a.csv", "a.csv", "text/csv", 7)),
            new Answer(42),
            false,
            "Succeeded");

    assertThat(JSON.readTree(JSON.writeValueAsString(CallResults.of(reply, tool(Answer.class)))))
        .isEqualTo(
            JSON.readTree(
                """
                {
                  "content": [
                    {"type": "text", "text": "42"},
                    {"type": "image", "data": "UE5H", "mimeType": "image/png"}
                  ],
                  "structuredContent": {"value": 42},
                  "isError": false,
                  "_meta": {"assay.dev/files": [
                    {"uri": "assay://runs/run-a/artifacts/a.csv", "name": "a.csv",
                     "mimeType": "text/csv", "size": 7}]}
                }\
                """));
    assertThat(reply.text()).isEqualTo("42");
  }

  private record Name(String name) {}

  @Test
  void textShowsWhatIsInvisibleAndTheObjectHasIt() {
    Reply reply = Reply.success("pay\u202Etxt.exe", new Name("pay\u202Etxt.exe"));

    String result = JSON.writeValueAsString(CallResults.of(reply, tool(Name.class)));

    assertThat(JSON.readTree(result).at("/content/0/text").asString())
        .isEqualTo("pay\\u202etxt.exe");
    assertThat(JSON.readTree(result).at("/structuredContent/name").asString())
        .isEqualTo("pay\u202Etxt.exe");
  }

  @Test
  void aReplyThatIsNotWhatItsToolDeclaresIsAFailureOfOurs() {
    assertThatThrownBy(() -> CallResults.of(Reply.success("42"), tool(Answer.class)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CallResults.of(Reply.success("42", new Answer(42)), tool(null)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(CallResults.of(Reply.executionError("A", "b"), tool(Answer.class)).isError())
        .isTrue();
  }

  @Test
  void aToolThatListsNoSchemaMayStillHaveStructuredContent() {
    assertThat(CallResults.of(Reply.success("42", new Unlisted(42)), tool(null)))
        .satisfies(result -> assertThat(result.structuredContent()).isEqualTo(new Unlisted(42)));
    assertThatThrownBy(
            () -> CallResults.of(Reply.success("42", new Unlisted(42)), tool(Answer.class)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aPictureThatIsTooLargeForABlockIsNotTaken() {
    byte[] large = new byte[ContentBlock.Image.MAX_BYTES + 1];

    assertThatThrownBy(() -> new ContentBlock.Image(large, ContentBlock.Image.Format.JPEG))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static ToolDescription tool(@Nullable Class<? extends Record> output) {
    return new ToolDescription(
        "tool",
        "Tool",
        "",
        Parameters.of(),
        output,
        ToolDescription.Effects.READS,
        MethodKind.CALL);
  }
}
