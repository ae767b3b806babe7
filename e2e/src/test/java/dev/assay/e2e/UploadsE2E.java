package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Uploads of files, complete and interrupted. */
@Everywhere
class UploadsE2E {
  @Test
  void aFileThatIsFarTooLongForAnObjectIsUploadedAndUsed(Assay assay) {
    int rows = 400_000;
    StringBuilder csv = new StringBuilder("n,text\n");
    for (int i = 0; i < rows; i++) {
      csv.append(i).append(",some text ").append(i % 7).append('\n');
    }

    JsonNode made = uploaded(assay, "uploaded", "format=csv&wait=true", csv.toString(), 201, 200);

    assertThat(made.path("phase").asText()).as(made.toString()).isEqualTo("Ready");
    assertThat(made.path("rows").asInt()).isEqualTo(rows);
    assertThat(made.path("bytes").asInt()).isEqualTo(csv.length());
    assertThat(assay.run("uploaded", "print(df['n'].sum(), df['text'].nunique())").text())
        .isEqualTo("79999800000 7\n");
  }

  @Test
  void whatIsCompressedAndNeedsOptionsIsUploadedAsItIs(Assay assay) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write("name;price\nGenève;1,5\n".getBytes(ISO_8859_1));
    }
    HttpResponse<String> answer =
        assay
            .rest()
            .upload(
                "packed?format=csv&compression=gzip&wait=true&options="
                    + "%7B%22sep%22:%22;%22,%22decimal%22:%22,%22,%22encoding%22:%22latin-1%22%7D",
                BodyPublishers.ofByteArray(packed.toByteArray()));

    assertThat(Rest.json(answer).path("phase").asText()).as(answer.body()).isEqualTo("Ready");
    assertThat(assay.run("packed", "print(df['name'][0], df['price'][0])").text())
        .isEqualTo("Genève 1.5\n");
  }

  @Test
  void aLongTextOfACallIsUploadedToo(Assay assay) {
    Reply reply =
        assay.call(
            "load_dataset",
            Map.of(
                "dataset_name",
                "long_text",
                "text",
                "a,b\n" + "1,é\n".repeat(100_000),
                "replace",
                true));

    assertThat(reply.text()).startsWith("Dataset 'long_text' is ready: 100000 rows x 2 columns");
    assertThat(assay.run("long_text", "print(df['a'].sum(), set(df['b']))").text())
        .isEqualTo("100000 {'é'}\n");
  }

  @Test
  void anUploadThatIsCutHalfWayLeavesWhatWasThere(Assay assay) throws IOException {
    uploaded(assay, "cut", "format=csv&wait=true", "a\n1\n", 201, 200);

    assay.rest().abandonUpload("cut?format=csv", "a\n" + "7\n".repeat(10_000), 1_000_000);

    DatasetStatus status = assay.awaitSettled("cut");
    assertThat(status.phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status.message()).isEqualTo("The upload was interrupted; upload it again");
    assertThat(assay.run("cut", "print(list(df['a']))").text())
        .isEqualTo(
            """
            [1]
            Dataset 'cut' could not be replaced. Its earlier data (1 rows x 1 columns) stays in use.""");
    JsonNode again = uploaded(assay, "cut", "format=csv&wait=true", "a\n2\n", 200);
    assertThat(again.path("phase").asText()).isEqualTo("Ready");
    assertThat(assay.run("cut", "print(list(df['a']))").text()).isEqualTo("[2]\n");
  }

  @Test
  void aFileOfAnotherKindThanWasSaidIsRefusedInOneSentence(Assay assay) {
    JsonNode made =
        uploaded(assay, "no_parquet", "format=parquet&wait=true", "a,b\n1,secret\n", 201, 200);

    assertThat(made.path("phase").asText()).isEqualTo("Failed");
    assertThat(made.path("message").asText()).contains("arquet").doesNotContain("secret", "\n");
  }

  @Test
  void aFileThatIsLongerThanItsClassTakesIsRefusedBeforeItIsSent(Assay assay) {
    HttpResponse<String> answer =
        assay
            .rest()
            .upload(
                "too_long?format=csv",
                BodyPublishers.fromPublisher(
                    BodyPublishers.ofInputStream(
                        () -> {
                          throw new AssertionError("it was asked for");
                        }),
                    1L << 40));

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).contains("class 'snapshot' takes at most");
    assay.rest().get("/datasets/too_long", 404);
  }

  @Test
  void ofTwoUploadsAtOnceOneIsTaken(Assay assay) {
    List<Integer> statuses =
        Stream.of("a\n1\n", "a\n2\n")
            .map(
                text ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          String csv = text + text.substring(2).repeat(500_000);
                          return assay
                              .rest()
                              .upload("twice?format=csv&wait=true", BodyPublishers.ofString(csv))
                              .statusCode();
                        }))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .sorted()
            .toList();

    assertThat(statuses.getFirst()).isIn(200, 201);
    assertThat(statuses.getLast()).isEqualTo(409);
    assertThat(assay.run("twice", "print(len(df), df['a'].nunique())").text())
        .isEqualTo("500001 1\n");
  }

  private static JsonNode uploaded(
      Assay assay, String name, String query, String text, Integer... statuses) {
    HttpResponse<String> answer =
        assay.rest().upload(name + "?" + query, BodyPublishers.ofString(text));
    assertThat(answer.statusCode()).as(answer.body()).isIn((Object[]) statuses);
    return Rest.json(answer);
  }
}
