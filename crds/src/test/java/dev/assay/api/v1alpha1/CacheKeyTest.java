package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CacheKeyTest {
  private static final String IMAGE = "sha256:" + "a".repeat(64);
  private static final PinnedSnapshot SALES =
      new PinnedSnapshot("sales", "s-1-0", "snapshots/s/1-0", "Sales");
  private static final PinnedSnapshot COSTS =
      new PinnedSnapshot("costs", "c-1-0", "snapshots/c/1-0", null);
  private static final AnalyticsRunSpec SQL =
      AnalyticsRunSpecBuilder.builder()
          .language(Language.SQL)
          .code("SELECT 1")
          .input("[1]")
          .reply(new ReplySpec(10))
          .cacheName("mine")
          .build();
  private static final String KEY = CacheKey.of(SQL, "sql", List.of(SALES, COSTS), IMAGE);

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
        key(SQL.withReply(new ReplySpec(11))),
        key(SQL.withReply(null)),
        key(SQL.withCacheName("yours")),
        key(SQL.withCacheName(null)),
        CacheKey.of(SQL, "sql-large", List.of(SALES, COSTS), IMAGE),
        CacheKey.of(SQL, "sql", List.of(COSTS, SALES), IMAGE),
        CacheKey.of(SQL, "sql", List.of(SALES), IMAGE),
        CacheKey.of(SQL, "sql", List.of(SALES, COSTS), "sha256:" + "b".repeat(64)),
        CacheKey.of(
            SQL,
            "sql",
            List.of(new PinnedSnapshot("sales", "s-2-0", SALES.path(), "Sales"), COSTS),
            IMAGE),
        CacheKey.of(
            SQL,
            "sql",
            List.of(new PinnedSnapshot("sales", "s-1-0", SALES.path(), "Old_Sales"), COSTS),
            IMAGE));
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

  private static String key(AnalyticsRunSpec spec) {
    return CacheKey.of(spec, "sql", List.of(SALES, COSTS), IMAGE);
  }
}
