package dev.assay.e2e;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;

/** Counts the tokens of texts with a real tokenizer, o200k. */
final class Tokens {
  private static final Encoding O200K =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

  private Tokens() {}

  /** Of the text of a reply that is no error. */
  static int of(Reply reply) {
    if (reply.isError()) {
      throw new AssertionError(reply.text());
    }
    return O200K.countTokensOrdinary(reply.text());
  }
}
