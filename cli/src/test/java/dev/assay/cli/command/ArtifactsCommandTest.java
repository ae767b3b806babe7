package dev.assay.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.cli.Assay;
import dev.assay.cli.client.FakeApi;
import dev.assay.cli.client.FakeApi.Answer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ArtifactsCommandTest {
  private static final String LIST = "GET /api/v1/runs/mcp-1/artifacts";

  @TempDir private Path folder;
  private final FakeApi api = new FakeApi();

  @AfterEach
  void close() {
    api.close();
  }

  private record Result(int exit, String out, String err) {}

  private Result assay(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--endpoint", api.address()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = Assay.commandLine();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    int exit = commandLine.execute(all.toArray(String[]::new));
    return new Result(exit, out.toString(), err.toString());
  }

  private static String item(String path, String content) throws Exception {
    return "{\"path\":\"%s\",\"bytes\":%d,\"sha256\":\"%s\",\"mediaType\":\"text/csv\",\"uri\":\"u\"}"
        .formatted(
            path,
            content.getBytes(UTF_8).length,
            HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(content.getBytes(UTF_8))));
  }

  private void lists(String... items) {
    api.on(LIST, 200, "{\"items\":[" + String.join(",", items) + "]}");
  }

  @Test
  void artifactsAreATable() throws Exception {
    api.on(
        LIST,
        200,
        "{\"items\":["
            + item("reports/a.csv", "a\n")
            + ",{\"path\":\"\\u001b[2Jb\",\"bytes\":1,\"mediaType\":\"text/plain\"}],"
            + "\"message\":\"1 file was left out\"}");

    Result result = assay("artifacts", "ls", "mcp-1");

    assertThat(result.exit).isZero();
    assertThat(result.out.lines())
        .satisfiesExactly(
            line -> assertThat(line).matches("PATH +BYTES +TYPE"),
            line -> assertThat(line).matches("reports/a.csv +2 +text/csv"),
            line -> assertThat(line).startsWith("?[2Jb"));
    assertThat(result.err).isEqualTo("assay: 1 file was left out\n");
  }

  @Test
  void noArtifactsAreSaidInWords() {
    lists();

    assertThat(assay("artifacts", "ls", "mcp-1").out).isEqualTo("No artifacts.\n");
    assertThat(assay("artifacts", "ls", "mcp-1", "-o", "json").out).contains("\"items\" : [ ]");
  }

  @Test
  void allArtifactsAreSavedInAFolder() throws Exception {
    lists(item("reports/a b.csv", "a\n"), item("b.txt", ""));
    api.on(
        "GET /api/v1/runs/mcp-1/artifacts/reports/a%20b.csv", new Answer(200, "text/csv", "a\n"));
    Path out = folder.resolve("out");

    Result result = assay("artifacts", "get", "mcp-1", "-o", out.toString());

    assertThat(result.exit).as(result.err).isZero();
    assertThat(out.resolve("reports/a b.csv")).hasContent("a\n");
    assertThat(out.resolve("b.txt")).isEmptyFile();
    assertThat(assay("artifacts", "get", "mcp-1", "-o", out.toString()))
        .satisfies(
            again -> {
              assertThat(again.exit).isEqualTo(2);
              assertThat(again.err).contains("exists; --force replaces it");
            });
    assertThat(assay("artifacts", "get", "mcp-1", "--force", "-o", out.toString()).exit).isZero();
  }

  @Test
  void oneArtifactIsSavedUnderAnotherName() throws Exception {
    lists(item("reports/a.csv", "a\n"));
    api.on("GET /api/v1/runs/mcp-1/artifacts/reports/a.csv", new Answer(200, "text/csv", "a\n"));

    assertThat(assay("artifacts", "get", "mcp-1", "reports/a.csv", "-o", folder + "/mine.csv").exit)
        .isZero();
    assertThat(folder.resolve("mine.csv")).hasContent("a\n");
    assertThat(assay("artifacts", "get", "mcp-1", "reports/a.csv", "-o", folder.toString()).exit)
        .isZero();
    assertThat(folder.resolve("a.csv")).hasContent("a\n");
  }

  @Test
  void aDownloadGoesOnWhereItBrokeOff() throws Exception {
    lists(item("a.csv", "abcdef"));
    api.on(
        "GET /api/v1/runs/mcp-1/artifacts/a.csv",
        Answer.brokenOff("abc"),
        new Answer(206, "text/csv", "def"));

    assertThat(assay("artifacts", "get", "mcp-1", "a.csv", "-o", folder + "/a").exit).isZero();
    assertThat(folder.resolve("a")).hasContent("abcdef");
  }

  @Test
  void bytesThatAreNotThoseOfTheListAreNotKept() throws Exception {
    lists(item("a.csv", "abcdef"));
    api.on("GET /api/v1/runs/mcp-1/artifacts/a.csv", new Answer(200, "text/csv", "abcdeX"));

    Result result = assay("artifacts", "get", "mcp-1", "a.csv", "-o", folder + "/a");

    assertThat(result.exit).isEqualTo(3);
    assertThat(result.err).contains("is not what the run has left");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aHostileNameWritesNothing() throws Exception {
    lists(item("../../a.csv", ""));
    Path out = Files.createDirectories(folder.resolve("a/b"));

    Result result = assay("artifacts", "get", "mcp-1", "-o", out.toString());

    assertThat(result.exit).isEqualTo(2);
    assertThat(result.err).contains("cannot be that of a file here");
    assertThat(folder.resolve("a.csv")).doesNotExist();
  }

  @Test
  void anArtifactThatIsNotThereIsNamed() {
    lists();

    Result result = assay("artifacts", "get", "mcp-1", "a.csv");

    assertThat(result.exit).isEqualTo(2);
    assertThat(result.err)
        .contains("the run has no file 'a.csv'; 'assay artifacts ls mcp-1' lists them");
    assertThat(assay("artifacts", "ls", "mcp-2").exit).isEqualTo(3);
  }
}
