package dev.assay.frontend.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.tokens.Tokens;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TokenEstimateTest {
  /** For whoever writes the same estimate in another language. */
  record Vector(String text, int tokens) {}

  @Test
  void theEstimateIsCloseToTheCountsOfATokenizer() throws IOException {
    Map<String, Double> errors = new TreeMap<>();
    for (Path file : corpus()) {
      String text = Files.readString(file);
      int real = Tokens.of(text);
      errors.put(file.getFileName().toString(), 100.0 * (TokenEstimate.of(text) - real) / real);
    }

    assertThat(errors).hasSizeGreaterThan(30);
    assertThat(errors).allSatisfy((name, error) -> assertThat(error).isBetween(-20.0, 20.0));
    assertThat(errors.values().stream().mapToDouble(Math::abs).average().orElseThrow())
        .as("%s", errors)
        .isLessThan(6);
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void aTextHasTheEstimateOfItsVector(Vector vector) {
    assertThat(TokenEstimate.of(vector.text)).isEqualTo(vector.tokens);
  }

  static Stream<Vector> vectors() {
    try (InputStream file = TokenEstimateTest.class.getResourceAsStream("estimates.json")) {
      JsonNode all = JsonMapper.shared().readTree(Objects.requireNonNull(file));
      return all.valueStream()
          .map(one -> new Vector(one.get("text").asString(), one.get("tokens").asInt()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aPrefixAndASuffixHaveAtMostTheTokensTheyMayHave() throws IOException {
    for (Path file : corpus()) {
      String text = Files.readString(file);
      int all = TokenEstimate.of(text);
      for (int tokens : List.of(0, 1, 7, all / 3, all - 1, all, all + 1)) {
        int end = TokenEstimate.prefix(text, tokens);
        int begin = TokenEstimate.suffix(text, tokens);
        assertThat(TokenEstimate.of(text.substring(0, end))).isLessThanOrEqualTo(tokens);
        // A piece can cost one more without what stood before it.
        assertThat(TokenEstimate.of(text.substring(begin))).isLessThanOrEqualTo(tokens + 1);
        if (tokens >= all) {
          assertThat(end).isEqualTo(text.length());
          assertThat(begin).isZero();
        } else if (tokens > 20) {
          assertThat(TokenEstimate.of(text.substring(0, end))).isGreaterThan(tokens - 20);
          assertThat(TokenEstimate.of(text.substring(begin))).isGreaterThan(tokens - 20);
        }
      }
    }
  }

  @Test
  void aTextWithoutAnyEndOfAWordIsCutTooAndNeverInTheMiddleOfACharacter() {
    for (String unit : List.of("a", " ", "\n", "7", "=", "\uD83D\uDE00", "\uD801\uDC00", "é")) {
      String text = unit.repeat(10_000);
      int end = TokenEstimate.prefix(text, 20);

      assertThat(end).isPositive().isLessThan(text.length());
      assertThat(end % unit.length()).isZero();
      assertThat(TokenEstimate.suffix(text, 20) % unit.length()).isZero();
      assertThat(TokenEstimate.fits(text, 20)).isFalse();
    }
  }

  @Test
  void halvesOfSurrogatePairsAreCountedLikeAnyOtherCharacter() {
    assertThat(TokenEstimate.of("\uD800x\uDC00\uDBFF")).isPositive();
  }

  private static List<Path> corpus() throws IOException {
    try (Stream<Path> files =
        Files.list(
            Path.of(
                Objects.requireNonNull(TokenEstimateTest.class.getResource("corpus")).toURI()))) {
      return files.sorted().toList();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
