package dev.assay.frontend.token;

/**
 * What a table may take of a reply.
 *
 * @param rows the most rows to show
 * @param tokens what the table is compressed to, by shortening cells
 * @param maxTokens what it is cut to, by leaving out rows and columns; not below {@code tokens}
 */
public record TableBudget(int rows, int tokens, int maxTokens) {
  public TableBudget {
    if (rows < 1 || tokens < 1 || maxTokens < tokens) {
      throw new IllegalArgumentException(rows + " rows, " + tokens + " to " + maxTokens);
    }
  }

  /** Rows give way to the budget: their number was nobody's wish. */
  public static TableBudget bending(int rows, int tokens) {
    return new TableBudget(rows, tokens, tokens);
  }

  /** The same with fewer tokens, to leave room for something else. */
  TableBudget less(int reserved) {
    return new TableBudget(rows, Math.max(1, tokens - reserved), Math.max(1, maxTokens - reserved));
  }
}
