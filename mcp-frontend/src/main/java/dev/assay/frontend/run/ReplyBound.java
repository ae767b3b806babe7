package dev.assay.frontend.run;

import dev.assay.frontend.token.TokenEstimate;

/**
 * How much of a run's output a reply has.
 *
 * @param bytes of UTF-8, as a string of JSON: clients limit the length of a message
 * @param tokens estimated
 */
public record ReplyBound(int bytes, int tokens) {
  boolean fits(String text) {
    return Text.jsonBytes(text) <= bytes && TokenEstimate.fits(text, tokens);
  }

  /** The same with room for another text beside the output. */
  ReplyBound beside(String text) {
    return new ReplyBound(bytes, Math.max(tokens / 4, tokens - TokenEstimate.of(text)));
  }

  /** The same for each of two texts, for replies that have the output twice. */
  ReplyBound halved() {
    return new ReplyBound(bytes / 2, tokens);
  }

  ReplyBound withTokens(int other) {
    return new ReplyBound(bytes, other);
  }
}
