package dev.assay.jvm.sql;

import dev.assay.jvm.sql.Token.Kind;
import java.util.ArrayList;
import java.util.List;

/** Splits SQL into tokens, without comments and white space. It accepts any text. */
final class Lexer {
  private final String sql;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private Lexer(String sql) {
    this.sql = sql;
  }

  static List<Token> tokens(String sql) {
    Lexer lexer = new Lexer(sql);
    while (lexer.at < sql.length()) {
      lexer.next();
    }
    return lexer.tokens;
  }

  private void next() {
    char first = sql.charAt(at);
    if (Character.isWhitespace(first)) {
      at++;
    } else if (sql.startsWith("--", at)) {
      at = endOfLine();
    } else if (sql.startsWith("/*", at)) {
      at = endOfComment();
    } else if (first == '\'') {
      add(Kind.STRING, endOfQuotes('\'', at + 1, false));
    } else if ((first == 'e' || first == 'E') && sql.startsWith("'", at + 1)) {
      add(Kind.STRING, endOfQuotes('\'', at + 2, true));
    } else if (first == '"') {
      add(Kind.NAME, endOfQuotes('"', at + 1, false));
    } else if (first == '$') {
      addDollar();
    } else if (first == '?') {
      add(Kind.PARAMETER, at + 1);
    } else if (isPartOfWord(first)) {
      add(Kind.WORD, endOfWord(at));
    } else {
      add(Kind.SYMBOL, at + 1);
    }
  }

  /** A parameter such as {@code $1} or {@code $name}, or a text such as {@code $$text$$}. */
  private void addDollar() {
    int end = endOfTag(at + 1);
    if (end < sql.length() && sql.charAt(end) == '$') {
      String tag = sql.substring(at, end + 1);
      int close = sql.indexOf(tag, end + 1);
      add(Kind.STRING, close < 0 ? sql.length() : close + tag.length());
    } else if (end > at + 1) {
      add(Kind.PARAMETER, end);
    } else {
      add(Kind.SYMBOL, at + 1);
    }
  }

  private int endOfTag(int start) {
    int end = start;
    while (end < sql.length() && isPartOfWord(sql.charAt(end)) && sql.charAt(end) != '$') {
      end++;
    }
    return end;
  }

  private int endOfWord(int start) {
    int end = start;
    while (end < sql.length() && (isPartOfWord(sql.charAt(end)) || sql.charAt(end) == '$')) {
      end++;
    }
    return end;
  }

  private static boolean isPartOfWord(char character) {
    return Character.isLetterOrDigit(character) || character == '_' || character >= 0x80;
  }

  private int endOfQuotes(char quote, int start, boolean escapes) {
    int end = start;
    while (end < sql.length()) {
      char character = sql.charAt(end++);
      if (escapes && character == '\\') {
        end++;
      } else if (character == quote) {
        if (end < sql.length() && sql.charAt(end) == quote) {
          end++;
        } else {
          return end;
        }
      }
    }
    return sql.length();
  }

  private int endOfComment() {
    int depth = 1;
    int end = at + 2;
    while (end < sql.length() && depth > 0) {
      if (sql.startsWith("/*", end)) {
        depth++;
        end += 2;
      } else if (sql.startsWith("*/", end)) {
        depth--;
        end += 2;
      } else {
        end++;
      }
    }
    return Math.min(end, sql.length());
  }

  /** The engine ends a line at a carriage return, too. */
  private int endOfLine() {
    int end = at;
    while (end < sql.length() && sql.charAt(end) != '\n' && sql.charAt(end) != '\r') {
      end++;
    }
    return end;
  }

  private void add(Kind kind, int end) {
    tokens.add(new Token(kind, at, end, sql.substring(at, end)));
    at = end;
  }
}
