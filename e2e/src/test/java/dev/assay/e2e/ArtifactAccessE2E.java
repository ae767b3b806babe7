package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Language;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.BlobResourceContents;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.io.IOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How people, programs and later runs get at the files that a run has left. */
@Everywhere
class ArtifactAccessE2E {
  /** Files of many kinds; four of five pictures are shown. */
  private static final String LEAVE =
      """
      import os, struct, zlib
      os.makedirs("artifacts/sub dir")
      os.chdir("artifacts")
      open("a.csv", "w").write("kind,kilos\\napple,3\\npear,4\\n")
      open("sub dir/ä#?.bin", "wb").write(bytes(range(256)))
      open("page.html", "w").write("<script>alert(1)</script>")
      open("drawing.svg", "w").write("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
      open("not.png", "w").write("no picture")

      def chunk(kind, data):
          return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

      def png(name, width, height):
          row, packer = b"\\0" + b"\\x7f" * width, zlib.compressobj(9)
          rows = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
          header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
          open(name, "wb").write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header)
                                 + chunk(b"IDAT", rows) + chunk(b"IEND", b""))

      for number in range(5):
          png(f"{number}.png", 20 + number, 10)
      png("bomb.png", 30_000, 20_000)
      print("done")
      """;

  private static final String SUB = "artifacts/sub dir/ä#?.bin";
  private static String run = "";
  private static Reply reply = Reply.refused("not run yet", Duration.ZERO);

  @BeforeAll
  static void leave(Assay assay) {
    Samples.sales(assay);
    reply = assay.run("sales_data", LEAVE).orFail();
    run = reply.files().getFirst().split("/")[3];
  }

  @Test
  void aReplyHasTheFirstImagesAndALinkForEachFile() {
    assertThat(reply.text()).startsWith("done\n");
    assertThat(reply.images()).extracting(image -> Picture.of(image).height()).containsOnly(10);
    assertThat(reply.images()).hasSizeBetween(2, 4);
    assertThat(reply.files())
        .hasSize(11)
        .contains(uri("artifacts/a.csv"), uri("artifacts/sub%20dir/%C3%A4%23%3F.bin"));
  }

  private static String uri(String encodedPath) {
    return "assay://runs/" + run + "/artifacts/" + encodedPath;
  }

  @Test
  void aResourceIsReadByItsAddress(Assay assay) {
    assertThat(text(assay, uri("artifacts/a.csv"))).isEqualTo("kind,kilos\napple,3\npear,4\n");
    assertThat(text(assay, "assay://runs/" + run + "/code")).isEqualTo(LEAVE);
    assertThat(text(assay, "assay://runs/" + run + "/output")).isEqualTo("done\n");
    BlobResourceContents bytes =
        (BlobResourceContents) assay.read(uri("artifacts/sub%20dir/%C3%A4%23%3F.bin"));
    assertThat(Base64.getDecoder().decode(bytes.blob())).hasSize(256).startsWith(0, 1, 2);
    assertThat(assay.resources()).contains(uri("artifacts/a.csv"));
    assertThat(assay.resourceTemplates())
        .containsExactlyInAnyOrder(
            "assay://runs/{run}/artifacts/{+path}",
            "assay://runs/{run}/code",
            "assay://runs/{run}/output");
  }

  private static String text(Assay assay, String uri) {
    return ((TextResourceContents) assay.read(uri)).text();
  }

  @ParameterizedTest
  @CsvSource({
    "/artifacts/artifacts/none.csv, has no artifact",
    "/artifacts/../../etc/passwd, has no artifact",
    "/artifacts/artifacts%2F..%2F..%2Fetc, has no artifact",
    "/secrets, There is no resource",
  })
  void aResourceThatIsNotThereIsNotFound(String path, String words, Assay assay) {
    assertThatThrownBy(() -> assay.read("assay://runs/" + run + path))
        .isInstanceOf(McpError.class)
        .hasMessageContaining(words);
  }

  @Test
  void aRunOfAnotherNamespaceIsNotFound(Assay assay) {
    AnalyticsRun other = new AnalyticsRun();
    other.setMetadata(
        new ObjectMetaBuilder().withGenerateName("run-").withNamespace(elsewhere(assay)).build());
    other.setSpec(
        AnalyticsRunSpecBuilder.builder()
            .className("python")
            .language(Language.PYTHON)
            .code("secret = 1")
            .build());
    AnalyticsRun created = assay.kubernetes().resource(other).create();
    String name = created.getMetadata().getName();
    try {
      for (String path : List.of("", "/artifacts", "/artifacts/a.csv", "/code", "/output")) {
        assertThat(assay.rest().get("/runs/" + name + path, 404).body()).doesNotContain("secret");
      }
      assertThatThrownBy(() -> assay.read("assay://runs/" + name + "/code"))
          .hasMessageContaining("There is no run");
      Reply export =
          assay.call(
              "analytics_export_result", Map.of("query_id", name, "destination", "/workspace"));
      assertThat(export.text()).startsWith("ERROR 4002 ");
      Reply load =
          assay.call(
              "load_dataset",
              Map.of("dataset_name", "stolen", "from_run", name, "path", "artifacts/a.csv"));
      assertThat(load.text()).contains("'from_run': there is no run");
      Reply inputs =
          assay.call(
              Assay.TOOL,
              Map.of(
                  "python_code",
                  "print(1)",
                  "dataset_name",
                  "sales_data",
                  "inputs",
                  List.of(Map.of("run", name, "artifact", "artifacts/a.csv"))));
      assertThat(inputs.isError()).isTrue();
      assertThat(inputs.text()).contains(name, "not found");
    } finally {
      assay.kubernetes().resource(created).delete();
    }
  }

  /** A namespace that no key of the scenarios belongs to. */
  private static String elsewhere(Assay assay) {
    return assay.kubernetes().namespaces().list().getItems().stream()
        .map(namespace -> namespace.getMetadata().getName())
        .filter(name -> !name.equals(assay.namespace()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void restListsTheFilesWithTheirDigests(Assay assay) {
    JsonNode items = Rest.json(assay.rest().get("/runs/" + run + "/artifacts", 200)).path("items");
    assertThat(items).hasSize(11);
    for (JsonNode item : items) {
      assertThat(item.path("sha256").asText()).matches("[0-9a-f]{64}");
      assertThat(item.path("bytes").asLong()).isPositive();
    }
    assertThat(assay.rest().get("/runs/" + run + "/code", 200).body()).isEqualTo(LEAVE);
  }

  @ParameterizedTest
  @CsvSource({
    "bytes=2-4, 206, 'nd,'",
    "bytes=-3, 206, ',4\n'",
    "bytes=22-, 206, 'r,4\n'",
    "bytes=25-999, 206, ''",
    "bytes=99-, 416, ''",
    "'', 200, 'kind,kilos\napple,3\npear,4\n'",
  })
  void aPartOfAFileIsDownloadedByItsRange(String range, int status, String part, Assay assay) {
    HttpResponse<byte[]> response = download(assay, "artifacts/a.csv", range);
    assertThat(response.statusCode()).isEqualTo(status);
    if (status != 416) {
      String whole = "kind,kilos\napple,3\npear,4\n";
      assertThat(new String(response.body(), UTF_8))
          .isEqualTo(part.isEmpty() ? whole.substring(25) : part);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "artifacts/page.html, text/html, page.html",
    "artifacts/drawing.svg, image/svg+xml, drawing.svg",
    "artifacts/a.csv, text/csv, a.csv",
    "artifacts/sub dir/ä#?.bin, application/octet-stream, %C3%A4%23%3F.bin",
  })
  void aBrowserSavesAFileAndRunsNothingOfIt(String path, String type, String name, Assay assay) {
    HttpHeaders headers = download(assay, path, "").headers();
    assertThat(headers.firstValue("Content-Type").orElseThrow()).startsWith(type);
    assertThat(headers.firstValue("Content-Disposition").orElseThrow())
        .startsWith("attachment; ")
        .endsWith("filename*=UTF-8''" + name);
    assertThat(headers.firstValue("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(headers.firstValue("Content-Security-Policy").orElseThrow())
        .contains("default-src 'none'", "sandbox");
  }

  private static HttpResponse<byte[]> download(Assay assay, String path, String range) {
    HttpRequest.Builder request =
        assay.rest().request("/runs/" + run + "/artifacts/" + Rest.encoded(path));
    return assay.rest().bytes((range.isEmpty() ? request : request.header("Range", range)).build());
  }

  @Test
  void theCommandLineListsAndSavesThem(Assay assay, @TempDir Path folder) throws IOException {
    String listed = assay.program("artifacts", "ls", run).orFail();
    assertThat(listed).contains("artifacts/a.csv", SUB, "text/csv");
    assertThat(assay.program("artifacts", "get", run, "artifacts/a.csv", "--output", "-").orFail())
        .isEqualTo("kind,kilos\napple,3\npear,4\n");
    String target = folder.resolve("new").toString();
    assay.program("artifacts", "get", run, "--output", target).orFail();
    assertThat(Files.readAllBytes(folder.resolve("new").resolve(SUB))).hasSize(256);
    Programs.Finished again = assay.program("artifacts", "get", run, "--output", target);
    assertThat(again.exit()).isEqualTo(2);
    assertThat(again.errors()).contains("--force");
    assertThat(assay.program("artifacts", "get", run, "none").errors()).contains("has no file");
    assertThat(assay.program("artifacts", "ls", "run-aaaaaaaaaaaaaaa").exit()).isEqualTo(3);
  }

  @Test
  void anArtifactIsProfiledSampledAndQueriedByItsLink(Assay assay) {
    String link = uri("artifacts/a.csv");
    Reply profile = assay.call("analytics_profile_dataset", Map.of("file_path", link)).orFail();
    assertThat(profile.document().at("/statistics/row_count").asInt()).isEqualTo(2);
    Reply sample =
        assay
            .call("analytics_stream_sample", Map.of("file_path", link, "strategy", "head"))
            .orFail();
    assertThat(sample.document().at("/sample/1/kind").asText()).isEqualTo("pear");
    String sum = "SELECT sum(kilos) AS s FROM 'artifacts/a.csv'";
    assertThat(Query.sql(assay, sum, link).result().at("/data/0/s").asInt()).isEqualTo(7);
    String scan = "pl.scan_csv('artifacts/a.csv').select(pl.col('kilos').sum())";
    assertThat(Query.polars(assay, scan, link).result().at("/data/0/kilos").asInt()).isEqualTo(7);
  }

  @Test
  void anArtifactBecomesADataset(Assay assay) {
    assay
        .call(
            "load_dataset",
            Map.of(
                "dataset_name",
                "fruit_of_a_run",
                "from_run",
                run,
                "path",
                "artifacts/a.csv",
                "replace",
                true))
        .orFail();
    assertThat(assay.run("fruit_of_a_run", "print(df['kilos'].sum())").text()).isEqualTo("7\n");
    Reply missing =
        assay.call(
            "load_dataset",
            Map.of("dataset_name", "none", "from_run", run, "path", "artifacts/none.csv"));
    assertThat(missing.text()).contains("has no artifact 'artifacts/none.csv'");
  }

  @Test
  void anAnalysisGoesOnAndBranchesFromKeptFrames(Assay assay) {
    String first =
        "by_region = df.groupby('region')['order_value'].sum().reset_index()\nprint(len(by_region))";
    Reply kept =
        assay
            .call(
                Assay.TOOL,
                Map.of(
                    "dataset_name",
                    "sales_data",
                    "python_code",
                    first,
                    "keep",
                    List.of("by_region")))
            .orFail();
    String earlier = kept.files().getFirst().split("/")[3];
    List<Map<String, String>> inputs = List.of(Map.of("run", earlier));
    Reply python =
        assay.call(
            Assay.TOOL,
            Map.of(
                "dataset_name",
                "sales_data",
                "python_code",
                "print(round(by_region['order_value'].sum() - df['order_value'].sum(), 6))",
                "inputs",
                inputs));
    assertThat(python.orFail().text()).isEqualTo("0.0\n");
    JsonNode sql =
        assay
            .rest()
            .post(
                "/runs",
                Rest.JSON
                    .createObjectNode()
                    .put("language", "sql")
                    .put("code", "SELECT count(*) AS n FROM by_region")
                    .put("waitSeconds", 60)
                    .set("inputs", Rest.JSON.valueToTree(inputs)),
                201);
    assertThat(sql.at("/value/json/table/rows/0/0").asText())
        .isEqualTo(kept.text().lines().findFirst().orElseThrow());
  }

  @Test
  void theRowsOfAResultAreReadInPagesWithoutAnotherRun(Assay assay) {
    String query = "SELECT i AS n, 'row ' || i AS text FROM range(12000) AS t(i) ORDER BY i";
    JsonNode result = Query.sql(assay, query).with("return_limit", 5).result();
    String name = result.path("query_id").asText();
    assertThat(result.path("total_rows").asInt()).isEqualTo(12_000);
    for (int offset : List.of(0, 5, 9_990)) {
      Reply page =
          assay.call(
              "get_run", Map.of("name", name, "rows", Map.of("offset", offset, "limit", 10)));
      assertThat(page.orFail().text())
          .contains(offset + ",row " + offset, (offset + 9) + ",row " + (offset + 9))
          .doesNotContain("row " + (offset + 10) + "\n");
    }
    Reply beyond =
        assay.call("get_run", Map.of("name", name, "rows", Map.of("offset", 10_000, "limit", 10)));
    assertThat(beyond.text()).doesNotContain("row 10000").contains("10000");
  }
}
