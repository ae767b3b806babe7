package dev.assay.tokens;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;

/** Counts the tokens of texts as the tokenizer o200k does. */
public final class Tokens {
  private static final Encoding O200K =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

  private Tokens() {}

  /** Of a text; special tokens in it are text. */
  public static int of(String text) {
    return O200K.countTokensOrdinary(text);
  }
}
