package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DocumentationLinksTest {
  private static final Path REPOSITORY = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```$|`[^`\\n]*`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]*)(?:#([^)\\s]*))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");

  static Stream<Path> pages() throws IOException {
    return DocumentationTest.pages();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void eachLinkOfAPageLeadsToAFileAndAHeadingThatExist(Path page) throws IOException {
    List<String> broken = new ArrayList<>();
    Matcher link = LINK.matcher(CODE.matcher(Files.readString(page)).replaceAll(""));
    while (link.find()) {
      if (link.group(1).contains(":")) {
        continue;
      }
      Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1)).normalize();
      if (!Files.exists(target)
          || (link.group(2) != null && !headings(target).contains(link.group(2)))) {
        broken.add(link.group());
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void theReadmeListsEachPageOnce() throws IOException {
    String table =
        Files.readString(REPOSITORY.resolve("README.md")).split("\n## Documentation\n", 2)[1];
    List<String> listed =
        LINK.matcher(table)
            .results()
            .map(link -> link.group(1))
            .filter(path -> path.startsWith("docs/"))
            .toList();
    try (Stream<Path> docs = Files.list(REPOSITORY.resolve("docs"))) {
      assertThat(listed)
          .containsExactlyInAnyOrderElementsOf(
              docs.filter(path -> path.toString().endsWith(".md"))
                  .map(path -> "docs/" + path.getFileName())
                  .toList());
    }
  }

  /** The anchors that GitHub gives the headings of a page. */
  private static Set<String> headings(Path page) throws IOException {
    String prose = FENCED.matcher(Files.readString(page)).replaceAll("");
    return HEADING
        .matcher(prose)
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(text -> text.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }
}
