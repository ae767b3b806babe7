package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CacheKeyTest {
  private static final String IMAGE = "sha256:" + "a".repeat(64);
  private static final PinnedSnapshot SALES =
      new PinnedSnapshot("sales", "s-1-0", "snapshots/s/1-0", "Sales", null);
  private static final PinnedSnapshot COSTS =
      new PinnedSnapshot("costs", "c-1-0", "snapshots/c/1-0", null, null);
  private static final AnalyticsRunSpec SQL =
      AnalyticsRunSpecBuilder.builder()
          .language(Language.SQL)
          .code("SELECT 1")
          .input("[1]")
          .reply(ReplySpec.ofRows(10))
          .cacheName("mine")
          .build();
  private static final String KEY =
      CacheKey.of(SQL, "sql", List.of(SALES, COSTS), List.of(), IMAGE);

  @Test
  void theKeyIsTheSameInEveryProcessAndVersion() {
    assertThat(KEY).isEqualTo("4a54698dfd39e7d9300e6393813670cf2a27904bca7e4b63c16a7fedd9a96514");
  }

  @ParameterizedTest
  @MethodSource("others")
  void theKeyChangesWithEverythingThatTheValueFollowsFrom(String other) {
    assertThat(other).matches("[0-9a-f]{64}").isNotEqualTo(KEY);
  }

  static List<String> others() {
    return List.of(
        key(SQL.withLanguage(Language.POLARS)),
        key(SQL.withCode("SELECT 2")),
        key(SQL.withCode(null)),
        key(SQL.withInput("[2]")),
        key(SQL.withInput(null)),
        key(SQL.withReply(ReplySpec.ofRows(11))),
        key(SQL.withReply(null)),
        key(SQL.withReply(new ReplySpec(10, new ChartSpec(null), null))),
        key(SQL.withMode(RunMode.CODE)),
        key(SQL.withFiles(List.of(new RunFile("a.py", "")))),
        key(SQL.withKeep(List.of("a"))),
        key(SQL, input("a", null, "1")),
        key(SQL.withCacheName("yours")),
        key(SQL.withCacheName(null)),
        CacheKey.of(SQL, "sql-large", List.of(SALES, COSTS), List.of(), IMAGE),
        CacheKey.of(SQL, "sql", List.of(COSTS, SALES), List.of(), IMAGE),
        CacheKey.of(SQL, "sql", List.of(SALES), List.of(), IMAGE),
        CacheKey.of(SQL, "sql", List.of(SALES, COSTS), List.of(), "sha256:" + "b".repeat(64)),
        CacheKey.of(
            SQL,
            "sql",
            List.of(new PinnedSnapshot("sales", "s-2-0", SALES.path(), "Sales", null), COSTS),
            List.of(),
            IMAGE),
        CacheKey.of(
            SQL,
            "sql",
            List.of(new PinnedSnapshot("sales", "s-1-0", SALES.path(), "Old_Sales", null), COSTS),
            List.of(),
            IMAGE));
  }

  @Test
  void whatFewRunsHaveMattersInEachOfItsParts() {
    assertThat(
            List.of(
                key(SQL.withReply(new ReplySpec(10, new ChartSpec(ChartType.BAR), null))),
                key(SQL.withReply(new ReplySpec(10, new ChartSpec(ChartType.LINE), null))),
                key(SQL.withReply(new ReplySpec(10, new ChartSpec(null), null))),
                key(SQL.withReply(new ReplySpec(10, null, "Europe/Berlin"))),
                key(SQL.withReply(new ReplySpec(10, null, "Asia/Tokyo"))),
                key(SQL.withFiles(List.of(new RunFile("a.py", "1")))),
                key(SQL.withFiles(List.of(new RunFile("a.py", "2")))),
                key(SQL.withFiles(List.of(new RunFile("b.py", "1")))),
                key(SQL.withFiles(List.of(new RunFile("a.py", ""), new RunFile("1", "")))),
                key(SQL.withKeep(List.of("a", "b"))),
                key(SQL.withKeep(List.of("ab"))),
                key(SQL, input("a", null, "1")),
                key(SQL, input("a", null, "2")),
                key(SQL, input("b", null, "1")),
                key(SQL, input(null, "a", "1"))))
        .doesNotHaveDuplicates();
  }

  @Test
  void theSameBytesAreTheSameInputWhicheverRunLeftThem() {
    PinnedInput one = input("a", null, "1");
    PinnedInput other = new PinnedInput("other", "u-2", 7, "b", 5, one.sha256(), "a", null);
    assertThat(key(SQL, one)).isEqualTo(key(SQL, other));
  }

  @Test
  void theModeThatIsTheDefaultIsTheSameAsNone() {
    assertThat(key(SQL.withMode(RunMode.STANDARD))).isEqualTo(KEY);
    assertThat(key(SQL.withMode(RunMode.LEGACY))).isEqualTo(KEY);
  }

  @Test
  void builtinWorkDiffersByItsNameAndItsArguments() {
    AnalyticsRunSpec profile =
        AnalyticsRunSpecBuilder.builder()
            .language(Language.SQL)
            .builtin(new BuiltinSpec(Builtin.PROFILE, "{}"))
            .build();
    assertThat(
            List.of(
                key(profile),
                key(profile.withBuiltin(new BuiltinSpec(Builtin.SAMPLE, "{}"))),
                key(profile.withBuiltin(new BuiltinSpec(Builtin.PROFILE, null))),
                key(profile.withBuiltin(new BuiltinSpec(Builtin.PROFILE, "{\"file\":1}")))))
        .doesNotHaveDuplicates();
  }

  @Test
  void textsThatAreDividedInAnotherPlaceHaveAnotherKey() {
    AnalyticsRunSpec one = SQL.withCode("SELECT 1").withInput("2");
    AnalyticsRunSpec other = SQL.withCode("SELECT 12").withInput("");
    assertThat(key(one)).isNotEqualTo(key(other));
  }

  @Test
  void whoCallsAndTheLimitsOfTheRunDoNotMatter() {
    AnalyticsRunSpec other =
        SQL.withCaller("other")
            .withTool("execute_query")
            .withRequestId("r-2")
            .withTimeoutSeconds(5)
            .withOutputLimitBytes(2048)
            .withTtlSecondsAfterFinished(60)
            .withClassName("sql");
    assertThat(key(other)).isEqualTo(KEY);
  }

  private static String key(AnalyticsRunSpec spec, PinnedInput... inputs) {
    return CacheKey.of(spec, "sql", List.of(SALES, COSTS), List.of(inputs), IMAGE);
  }

  private static PinnedInput input(@Nullable String path, @Nullable String frame, String digit) {
    return new PinnedInput("run-1", "u-1", 1, "a", 5, digit.repeat(64), path, frame);
  }
}
