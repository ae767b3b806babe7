package dev.assay.jvm.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SqlStatementTest {
  private static List<String> split(String code) {
    return SqlStatement.split(code).stream().map(SqlStatement::text).toList();
  }

  @Test
  void semicolonsInTextNamesAndCommentsEndNoStatement() {
    assertThat(split("SELECT ';', \"a;b\" -- ;\n; SELECT $$;$$ /* ; /* ; */ ; */ ;"))
        .containsExactly("SELECT ';', \"a;b\"", "SELECT $$;$$");
    assertThat(split("SELECT E'\\';', 'it''s;'; x"))
        .containsExactly("SELECT E'\\';', 'it''s;'", "x");
    assertThat(split("SELECT $tag$ ; $$ ; $tag$; y"))
        .containsExactly("SELECT $tag$ ; $$ ; $tag$", "y");
  }

  @Test
  void aCommentEndsAtTheFirstLineFeedOrCarriageReturnAsThatOfTheEngineDoes() {
    assertThat(split("SELECT 1 -- ;\r, 2; SELECT 3"))
        .containsExactly("SELECT 1 -- ;\r, 2", "SELECT 3");
    assertThat(split("SELECT 1 -- ;\r\n, 2; x")).containsExactly("SELECT 1 -- ;\r\n, 2", "x");
    assertThat(split("SELECT 1 -- ;\u000b; \u0085; y\n, 2"))
        .containsExactly("SELECT 1 -- ;\u000b; \u0085; y\n, 2");
  }

  @Test
  void aTextWithoutAnEndIsOneStatement() {
    assertThat(split("SELECT 'a; b")).containsExactly("SELECT 'a; b");
    assertThat(split("SELECT 1 /* a; b")).containsExactly("SELECT 1");
    assertThat(split("SELECT $$ a; b")).hasSize(1);
    assertThat(split(" ;; -- x")).isEmpty();
  }

  @Test
  void aBracketThatClosesWhatIsAroundIsNoQuery() {
    assertThat(SqlStatement.split("SELECT 1) UNION (SELECT 2").getFirst().mayBeQuery()).isFalse();
    assertThat(SqlStatement.split("(SELECT ')')").getFirst().mayBeQuery()).isTrue();
    assertThat(SqlStatement.split("DROP TABLE x").getFirst().mayBeQuery()).isFalse();
  }
}
