package dev.assay.jvm.sql;

import dev.assay.jvm.sql.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One statement of the user's code.
 *
 * @param text without the semicolon
 * @param start where it begins in the code
 * @param tokens with places in the code
 */
record SqlStatement(String text, int start, List<Token> tokens) {
  /**
   * What a query that can stand in parentheses begins with. SHOW can, too, but would list the table
   * that it is written to.
   */
  private static final Set<String> QUERY_WORDS =
      Set.of(
          "SELECT",
          "FROM",
          "WITH",
          "VALUES",
          "PIVOT",
          "PIVOT_WIDER",
          "UNPIVOT",
          "PIVOT_LONGER",
          "DESCRIBE",
          "SUMMARIZE",
          "TABLE");

  SqlStatement {
    tokens = List.copyOf(tokens);
  }

  /** The statements of a text, without empty ones. */
  static List<SqlStatement> split(String code) {
    List<SqlStatement> statements = new ArrayList<>();
    List<Token> pending = new ArrayList<>();
    for (Token token : Lexer.tokens(code)) {
      if (token.is(";")) {
        add(statements, code, pending);
        pending = new ArrayList<>();
      } else {
        pending.add(token);
      }
    }
    add(statements, code, pending);
    return statements;
  }

  private static void add(List<SqlStatement> statements, String code, List<Token> tokens) {
    if (!tokens.isEmpty()) {
      int start = tokens.getFirst().start();
      String text = code.substring(start, tokens.getLast().end());
      statements.add(new SqlStatement(text, start, tokens));
    }
  }

  /** The parameters that it takes; those of a statement that it prepares are given later. */
  List<Token> parameters() {
    return tokens.getFirst().text().equalsIgnoreCase("PREPARE")
        ? List.of()
        : tokens.stream().filter(token -> token.kind() == Kind.PARAMETER).toList();
  }

  /** Whether it looks like a query; the engine decides whether it is one. */
  boolean mayBeQuery() {
    Token first = tokens.getFirst();
    boolean begins =
        first.is("(")
            || (first.kind() == Kind.WORD
                && QUERY_WORDS.contains(first.text().toUpperCase(Locale.ROOT)));
    return begins && isBalanced();
  }

  /**
   * Whether no bracket is closed that was not opened, so that parentheses around it stay its own.
   */
  private boolean isBalanced() {
    int depth = 0;
    for (Token token : tokens) {
      if (token.is("(")) {
        depth++;
      } else if (token.is(")") && --depth < 0) {
        return false;
      }
    }
    return depth == 0;
  }
}
